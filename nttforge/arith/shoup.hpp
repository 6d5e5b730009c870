// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/base/macros.hpp"

namespace nttforge {

/// Multiplication by a constant w in [0, q) with the precomputed quotient floor(w 2^64 / q): NTL's method,
/// [Har14]. Any x; q < 2^63 for the lazy product to fit (docs/bounds/shoup64.md).
struct ShoupConstant {
  std::uint64_t value = 0;
  std::uint64_t quotient = 0;
};

NTTF_INLINE std::uint64_t shoup_quotient(std::uint64_t w, std::uint64_t q) {
  return static_cast<std::uint64_t>((static_cast<u128>(w) << 64) / q);
}

NTTF_INLINE ShoupConstant make_shoup(std::uint64_t w, std::uint64_t q) { return {w, shoup_quotient(w, q)}; }

/// x any 64-bit word -> x w mod q in [0, 2q).
NTTF_INLINE std::uint64_t mul_shoup_lazy(std::uint64_t x, ShoupConstant w, std::uint64_t q) {
  const std::uint64_t estimate = static_cast<std::uint64_t>((static_cast<u128>(x) * w.quotient) >> 64);
  return x * w.value - estimate * q;
}

/// x any 64-bit word -> x w mod q in [0, q).
NTTF_INLINE std::uint64_t mul_shoup(std::uint64_t x, ShoupConstant w, std::uint64_t q) {
  const std::uint64_t r = mul_shoup_lazy(x, w, q);
  return r - (q & (std::uint64_t{0} - static_cast<std::uint64_t>(r >= q)));
}

/// The same with 32-bit words: quotient floor(w 2^32 / q); q < 2^31.
struct ShoupConstant32 {
  std::uint32_t value = 0;
  std::uint32_t quotient = 0;
};

NTTF_INLINE ShoupConstant32 make_shoup32(std::uint32_t w, std::uint32_t q) {
  return {w, static_cast<std::uint32_t>((static_cast<std::uint64_t>(w) << 32) / q)};
}

/// x any 32-bit word -> [0, 2q).
NTTF_INLINE std::uint32_t mul_shoup_lazy(std::uint32_t x, ShoupConstant32 w, std::uint32_t q) {
  const std::uint32_t estimate =
      static_cast<std::uint32_t>((static_cast<std::uint64_t>(x) * w.quotient) >> 32);
  return x * w.value - estimate * q;
}

/// x any 32-bit word -> [0, q).
NTTF_INLINE std::uint32_t mul_shoup(std::uint32_t x, ShoupConstant32 w, std::uint32_t q) {
  const std::uint32_t r = mul_shoup_lazy(x, w, q);
  return r - (q & (std::uint32_t{0} - static_cast<std::uint32_t>(r >= q)));
}

}  // namespace nttforge
