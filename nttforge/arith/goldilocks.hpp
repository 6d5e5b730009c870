#pragma once

#include <cstdint>

#include "nttforge/base/macros.hpp"

namespace nttforge {

/// Arithmetic modulo the Goldilocks prime p = 2^64 - 2^32 + 1, used by [Bad18a]: 2^64 = 2^32 - 1 and 2^96 =
/// -1 (mod p), so a 128-bit product is reduced with shifts and additions. Operands and results in [0, p). No
/// branch or memory access depends on the values. docs/bounds/goldilocks.md
inline constexpr std::uint64_t kGoldilocks = 0xFFFFFFFF00000001u;

namespace goldilocks {

inline constexpr std::uint64_t kEpsilon = 0xFFFFFFFFu;  ///< 2^64 mod p

/// All ones if the condition holds.
NTTF_INLINE std::uint64_t mask_if(bool condition) {
  return std::uint64_t{0} - static_cast<std::uint64_t>(condition);
}

/// Any 64-bit word -> [0, p).
NTTF_INLINE std::uint64_t reduce(std::uint64_t x) { return x - (kGoldilocks & mask_if(x >= kGoldilocks)); }

/// Any 128-bit x -> x mod p in [0, p).
NTTF_INLINE std::uint64_t reduce128(u128 x) {
  const std::uint64_t low = static_cast<std::uint64_t>(x);
  const std::uint64_t middle = static_cast<std::uint64_t>(x >> 64) & kEpsilon;  // counts 2^64 = 2^32 - 1
  const std::uint64_t high = static_cast<std::uint64_t>(x >> 96);               // counts 2^96 = -1
  std::uint64_t r = low - high;
  r -= kEpsilon & mask_if(low < high);  // a borrow took 2^64 too much; cannot borrow again
  const std::uint64_t term = (middle << 32) - middle;
  r += term;
  r += kEpsilon & mask_if(r < term);  // a carry lost 2^64; cannot carry again
  return reduce(r);
}

NTTF_INLINE std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t s = a + b;
  return s - (kGoldilocks & (mask_if(s < a) | mask_if(s >= kGoldilocks)));
}
NTTF_INLINE std::uint64_t sub(std::uint64_t a, std::uint64_t b) {
  return a - b + (kGoldilocks & mask_if(a < b));
}
NTTF_INLINE std::uint64_t negate(std::uint64_t a) { return (kGoldilocks - a) & mask_if(a != 0); }
NTTF_INLINE std::uint64_t mul(std::uint64_t a, std::uint64_t b) {
  return reduce128(static_cast<u128>(a) * b);
}

}  // namespace goldilocks
}  // namespace nttforge
