// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

#include "nttforge/arith/shoup.hpp"
#include "nttforge/base/macros.hpp"

namespace nttforge {

/// x + y i with i^2 = -1 and x, y in [0, q): the field of q^2 elements for a prime q = 3 (mod 4), two copies
/// of Z_q for q = 1 (mod 4). Ordered by x, then y.
struct ComplexMod {
  std::uint64_t re = 0;
  std::uint64_t im = 0;

  friend auto operator<=>(const ComplexMod&, const ComplexMod&) = default;
};

/// A product for set-up code: q is any prime of Modulus' range, or Goldilocks.
ComplexMod complex_mul(const ComplexMod& a, const ComplexMod& b, std::uint64_t q);
ComplexMod complex_pow(ComplexMod a, u128 exponent, std::uint64_t q);
/// i^-1 = -i, and in general a^-1 for |a|^2 = x^2 + y^2 != 0 (mod q). throws ParameterError otherwise.
ComplexMod complex_inverse(const ComplexMod& a, std::uint64_t q);

/// first, first w, first w^2, ... quickly.
class ComplexPowers {
 public:
  ComplexPowers(const ComplexMod& first, const ComplexMod& w, std::uint64_t q);
  ComplexMod next();

 private:
  ComplexMod value_, w_;
  ShoupConstant re_, im_;
  std::uint64_t q_;
};

/// h with h^(n/2) = i, and so of order 2n: the root of a DGT of n coefficients [Bad18b, Alg. 1].
/// q = 3 (mod 4): the smallest of the n/2 such elements. q = 1 (mod 4): with psi the smallest primitive 2n-th
/// root and i -> psi^(n/2), i -> -psi^(n/2) the two maps to Z_q, the element that they send to psi and
/// psi^-1. throws ParameterError unless n is a power of two in 2 ... transform_support(q).max_n_dgt.
ComplexMod twist_root(std::uint64_t n, std::uint64_t q);

}  // namespace nttforge
