// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/base/macros.hpp"

namespace nttforge {

/// Plain arithmetic modulo any 64-bit q by division: slow, without preconditions beyond q >= 1 and reduced
/// operands. For set-up code that must also serve moduli outside Modulus' range (primality, Goldilocks).
NTTF_INLINE std::uint64_t wide_mul_mod(std::uint64_t a, std::uint64_t b, std::uint64_t q) {
  return static_cast<std::uint64_t>(static_cast<u128>(a) * b % q);
}

inline std::uint64_t wide_pow_mod(std::uint64_t a, std::uint64_t exponent, std::uint64_t q) {
  std::uint64_t result = 1 % q;
  for (std::uint64_t square = a % q; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = wide_mul_mod(result, square, q);
    square = wide_mul_mod(square, square, q);
  }
  return result;
}

}  // namespace nttforge
