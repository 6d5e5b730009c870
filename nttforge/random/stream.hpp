// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "nttforge/base/cxx20.hpp"

namespace nttforge {

/// Names one stream of words: ChaCha20 (RFC 8439) with key = seed and the 96-bit nonce (domain, index, lane),
/// three little-endian 32-bit words; word i of the stream is bytes 8i ... 8i+7 of the key stream,
/// little-endian, block counter from 0. A sample depends on its stream's name and its own position only, so
/// any device may compute any sample at any time and gets the same words. `lane` = limb * 256 + rejection
/// round.
struct Seed {
  std::array<std::uint8_t, 32> bytes{};
  ~Seed();  ///< overwrites the bytes: no copy of a seed outlives its scope, also where an error is thrown
  friend bool operator==(const Seed&, const Seed&) = default;
};

/// What a stream is used for; never reuse (seed, domain, index). Values are part of the format of seeded
/// objects.
enum class Domain : std::uint32_t {
  secret_key = 1,
  public_key_a = 2,
  public_key_error = 3,
  key_switch_a = 4,
  key_switch_error = 5,
  encrypt_u = 6,
  encrypt_error_0 = 7,
  encrypt_error_1 = 8,
  encrypt_a = 9,
  derive_seed = 10,  ///< words 0 ... 3 of lane 0 are a seed independent of the parent
  user = 100,
};

/// Which stream of random words: equal names give equal words.
struct StreamName {
  Seed seed;
  Domain domain = Domain::user;
  std::uint32_t index = 0;
};

}  // namespace nttforge
