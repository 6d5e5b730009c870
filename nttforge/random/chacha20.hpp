// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "nttforge/base/macros.hpp"
#include "nttforge/random/stream.hpp"

namespace nttforge {

/// ChaCha20 of RFC 8439: 32-bit block counter, 96-bit nonce, blocks of 64 bytes = eight 64-bit words of ours.
inline constexpr std::size_t kChaChaWordsPerBlock = 8;

/// Key and nonce as little-endian 32-bit words. Plain arrays, because kernels in instruction-set files read
/// it. It holds the seed, so it wipes itself.
struct ChaChaInput {
  std::uint32_t key[8] = {};
  std::uint32_t nonce[3] = {};
  ChaChaInput() = default;
  ChaChaInput(const ChaChaInput&) = default;
  ChaChaInput& operator=(const ChaChaInput&) = default;
  ~ChaChaInput();
};

/// The input of one lane of a stream (stream.hpp).
ChaChaInput chacha_input(const StreamName& name, std::uint32_t lane);

/// The quarter round [RFC 8439, section 2.1] on a vector of states; L offers add, bit_xor and rotate_left on
/// 32-bit words.
template <class L>
NTTF_INLINE void chacha_quarter_round(typename L::Vec& a, typename L::Vec& b, typename L::Vec& c,
                                      typename L::Vec& d) {
  a = L::add(a, b), d = L::template rotate_left<16>(L::bit_xor(d, a));
  c = L::add(c, d), b = L::template rotate_left<12>(L::bit_xor(b, c));
  a = L::add(a, b), d = L::template rotate_left<8>(L::bit_xor(d, a));
  c = L::add(c, d), b = L::template rotate_left<7>(L::bit_xor(b, c));
}

}  // namespace nttforge
