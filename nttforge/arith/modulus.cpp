// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/modulus.hpp"

#include <bit>
#include <string>

#include "nttforge/base/error.hpp"

namespace nttforge {

Modulus::Modulus(std::uint64_t q) : q_(q), ratio_low_(0), ratio_high_(0), bits_(0) {
  if (q < 2 || q >> kMaxModulusBits != 0) {
    throw ParameterError("q = " + std::to_string(q) + " is outside the moduli supported: need 2 <= q < 2^" +
                         std::to_string(kMaxModulusBits) + " = " +
                         std::to_string(std::uint64_t{1} << kMaxModulusBits) +
                         "; choose a smaller modulus, for example with ntt_primes");
  }
  // 2^128 itself does not fit; floor((2^128 - 1) / q) differs from floor(2^128 / q) only if q divides 2^128.
  const u128 ratio = ~u128{0} / q + (std::has_single_bit(q) ? 1u : 0u);
  ratio_low_ = static_cast<std::uint64_t>(ratio);
  ratio_high_ = static_cast<std::uint64_t>(ratio >> 64);
  bits_ = static_cast<unsigned>(std::bit_width(q));
}

std::uint64_t Modulus::pow(std::uint64_t a, std::uint64_t exponent) const {
  std::uint64_t result = 1;
  for (std::uint64_t square = a; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = mul(result, square);
    square = mul(square, square);
  }
  return result;
}

std::uint64_t Modulus::inverse(std::uint64_t a) const {
  // Extended Euclid: r = s a (mod q) throughout; |s| <= q < 2^62.
  std::uint64_t r0 = q_, r1 = a;
  std::int64_t s0 = 0, s1 = 1;
  while (r1 != 0) {
    const std::uint64_t quotient = r0 / r1;
    const std::uint64_t r2 = r0 - quotient * r1;
    const std::int64_t s2 = s0 - static_cast<std::int64_t>(quotient) * s1;
    r0 = r1, r1 = r2;
    s0 = s1, s1 = s2;
  }
  if (r0 != 1) {
    throw ParameterError("a = " + std::to_string(a) + " has no inverse modulo q = " + std::to_string(q_) +
                         ": both are divisible by " + std::to_string(r0));
  }
  return s0 < 0 ? q_ - static_cast<std::uint64_t>(-s0) : static_cast<std::uint64_t>(s0);
}

}  // namespace nttforge
