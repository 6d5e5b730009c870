// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/arith/barrett.hpp"
#include "nttforge/base/macros.hpp"

namespace nttforge {

/// Largest modulus of the 64-bit class has 62 bits: lazy butterflies hold values in [0, 4q) and need 4q <=
/// 2^64 (docs/bounds/modulus.md). Goldilocks, 2^64 - 2^32 + 1, has arithmetic of its own (goldilocks.hpp).
inline constexpr unsigned kMaxModulusBits = 62;

/// Integers modulo q, 2 <= q < 2^62, prime or not, with Barrett reduction [Bar86].
/// Operands are reduced, in [0, q), unless said otherwise; results always are.
/// The member functions take time independent of the values of their operands, except pow (exponent) and
/// inverse.
class Modulus {
 public:
  /// throws ParameterError unless 2 <= q < 2^62.
  explicit Modulus(std::uint64_t q);

  std::uint64_t value() const { return q_; }
  unsigned bits() const { return bits_; }

  /// floor(2^128 / q) as two words; for kernels that do the reduction themselves.
  std::uint64_t barrett_low() const { return ratio_low_; }
  std::uint64_t barrett_high() const { return ratio_high_; }

  /// x mod q for any 64-bit x.
  NTTF_INLINE std::uint64_t reduce(std::uint64_t x) const { return barrett_reduce(x, q_, ratio_high_); }

  /// x mod q for any 128-bit x.
  NTTF_INLINE std::uint64_t reduce128(u128 x) const;

  NTTF_INLINE std::uint64_t add(std::uint64_t a, std::uint64_t b) const {
    const std::uint64_t s = a + b;
    return s - (q_ & (std::uint64_t{0} - static_cast<std::uint64_t>(s >= q_)));
  }
  NTTF_INLINE std::uint64_t sub(std::uint64_t a, std::uint64_t b) const {
    return a - b + (q_ & (std::uint64_t{0} - static_cast<std::uint64_t>(a < b)));
  }
  NTTF_INLINE std::uint64_t negate(std::uint64_t a) const {
    return (q_ - a) & (std::uint64_t{0} - static_cast<std::uint64_t>(a != 0));
  }
  NTTF_INLINE std::uint64_t mul(std::uint64_t a, std::uint64_t b) const {
    return reduce128(static_cast<u128>(a) * b);
  }

  /// a^exponent.
  std::uint64_t pow(std::uint64_t a, std::uint64_t exponent) const;

  /// a^-1. throws ParameterError if gcd(a, q) != 1.
  std::uint64_t inverse(std::uint64_t a) const;

  friend bool operator==(const Modulus& a, const Modulus& b) { return a.q_ == b.q_; }

 private:
  std::uint64_t q_;
  std::uint64_t ratio_low_;
  std::uint64_t ratio_high_;
  unsigned bits_;
};

NTTF_INLINE std::uint64_t Modulus::reduce128(u128 x) const {
  // quotient = floor(x * floor(2^128 / q) / 2^128) up to an error of at most 1 downwards, so one subtraction
  // is enough (docs/bounds/barrett.md).
  const std::uint64_t x0 = static_cast<std::uint64_t>(x);
  const std::uint64_t x1 = static_cast<std::uint64_t>(x >> 64);
  const u128 low = static_cast<u128>(x0) * ratio_low_;
  const u128 mid_a = static_cast<u128>(x0) * ratio_high_;
  const u128 mid_b = static_cast<u128>(x1) * ratio_low_;
  const u128 mid = mid_a + static_cast<std::uint64_t>(low >> 64);
  const u128 mid_c = mid_b + static_cast<std::uint64_t>(mid);
  const std::uint64_t quotient =
      x1 * ratio_high_ + static_cast<std::uint64_t>(mid >> 64) + static_cast<std::uint64_t>(mid_c >> 64);
  const std::uint64_t r = x0 - quotient * q_;
  return r - (q_ & (std::uint64_t{0} - static_cast<std::uint64_t>(r >= q_)));
}

}  // namespace nttforge
