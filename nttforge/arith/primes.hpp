// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nttforge/base/cxx20.hpp"

namespace nttforge {

/// Deterministic primality of any 64-bit integer (Miller-Rabin with a proven set of bases).
bool is_prime(std::uint64_t value);

/// Distinct prime factors in increasing order (trial division, then Pollard rho). value >= 1.
std::vector<std::uint64_t> prime_factors(std::uint64_t value);

/// The `count` largest primes q < 2^bits, of exactly `bits` bits, with q = 1 (mod 2n), from the top
/// downwards, leaving out `exclude`. n     power of two, 1 ... 2^28 (transform_size.hpp); bits 2 ... 62 (so
/// that every prime works with Modulus). count at most 65536. throws ParameterError if there are fewer,
/// saying how many there are, and which bits and which n have enough.
std::vector<std::uint64_t> ntt_primes(std::size_t n, unsigned bits, std::size_t count,
                                      std::span<const std::uint64_t> exclude = {});

/// A prime of the form 2^i + s_j 2^j + s_0 with signs s_j, s_0 in {-1, +1} [Yan22, section 5.2.2].
struct GeneralisedMersennePrime {
  std::uint64_t value = 0;
  unsigned i = 0;
  unsigned j = 0;
  int sign_j = 0;
  int sign_0 = 0;
  std::string text() const;  // "2^30 - 2^18 + 1"
};

/// All such primes with 1 <= j < i and exactly `bits` bits (2 ... 62), largest first, each value once.
std::vector<GeneralisedMersennePrime> generalised_mersenne_primes(unsigned bits);

}  // namespace nttforge
