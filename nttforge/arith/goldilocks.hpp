// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/arith/host_device.hpp"

namespace nttforge {

/// Arithmetic modulo the Goldilocks prime p = 2^64 - 2^32 + 1, used by [Bad18a]: 2^64 = 2^32 - 1 and 2^96 =
/// -1 (mod p), so a 128-bit product is reduced with shifts and additions. Operands and results in [0, p). No
/// branch or memory access depends on the values. docs/bounds/goldilocks.md
inline constexpr std::uint64_t kGoldilocks = 0xFFFFFFFF00000001u;

namespace goldilocks {

inline constexpr std::uint64_t kEpsilon = 0xFFFFFFFFu;  ///< 2^64 mod p

/// 2^64 mod p if the condition holds, else 0: adding p is subtracting this modulo 2^64, and the other way
/// round.
NTTF_HOST_DEVICE std::uint64_t epsilon_if(bool condition) {
  std::uint32_t word = condition;
  NTTF_HIDE_FROM_CLANG("r", word);  // Clang would branch on the condition
  return std::uint32_t{0} - word;
}

/// d = a - b modulo 2^64; whether b was larger. Both compilers are told in their own way.
NTTF_HOST_DEVICE bool subtract_words(std::uint64_t a, std::uint64_t b, std::uint64_t& d) {
#ifdef __CUDA_ARCH__
  d = a - b;
  return a < b;
#else
  return __builtin_sub_overflow(a, b, &d);
#endif
}
/// s = a + b modulo 2^64; whether it lost 2^64.
NTTF_HOST_DEVICE bool add_words(std::uint64_t a, std::uint64_t b, std::uint64_t& s) {
#ifdef __CUDA_ARCH__
  s = a + b;
  return s < b;
#else
  return __builtin_add_overflow(a, b, &s);
#endif
}

/// Any 64-bit word -> [0, p).
NTTF_HOST_DEVICE std::uint64_t reduce(std::uint64_t x) { return x + epsilon_if(x >= kGoldilocks); }

/// Any 128-bit x -> x mod p in [0, p).
NTTF_HOST_DEVICE std::uint64_t reduce128(u128 x) {
  const std::uint64_t low = static_cast<std::uint64_t>(x);
  const std::uint64_t middle = static_cast<std::uint64_t>(x >> 64) & kEpsilon;  // counts 2^64 = 2^32 - 1
  const std::uint64_t high = static_cast<std::uint64_t>(x >> 96);               // counts 2^96 = -1
  std::uint64_t r;
  const bool borrow = subtract_words(low, high, r);
  r -= epsilon_if(borrow);  // took 2^64 too much; cannot borrow again
  const bool carry = add_words(r, (middle << 32) - middle, r);
  r += epsilon_if(carry);  // lost 2^64; cannot carry again
  return reduce(r);
}

NTTF_HOST_DEVICE std::uint64_t sub(std::uint64_t a, std::uint64_t b) {
  std::uint64_t d;
  const bool borrow = subtract_words(a, b, d);
  return d - epsilon_if(borrow);
}
NTTF_HOST_DEVICE std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  return sub(a, kGoldilocks - b);
}  // b = 0: a - p + p
NTTF_HOST_DEVICE std::uint64_t negate(std::uint64_t a) {
  return (kGoldilocks - a) & (std::uint64_t{0} - static_cast<std::uint64_t>(a != 0));
}
NTTF_HOST_DEVICE std::uint64_t mul(std::uint64_t a, std::uint64_t b) {
  return reduce128(static_cast<u128>(a) * b);
}

}  // namespace goldilocks
}  // namespace nttforge
