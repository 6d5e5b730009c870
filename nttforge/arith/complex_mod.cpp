// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/complex_mod.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "nttforge/arith/roots.hpp"
#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"

namespace nttforge {
namespace {

std::uint64_t add_mod(std::uint64_t a, std::uint64_t b, std::uint64_t q) {
  return a >= q - b ? a - (q - b) : a + b;
}
std::uint64_t sub_mod(std::uint64_t a, std::uint64_t b, std::uint64_t q) {
  return a >= b ? a - b : a + (q - b);
}

/// q = 3 (mod 4), where x + i runs over non-squares soon.
ComplexMod smallest_twist_root(std::uint64_t n, std::uint64_t q) {
  const ComplexMod minus_one{q - 1, 0}, i{0, 1};
  ComplexMod h;
  for (std::uint64_t x = 0;; ++x) {
    h = complex_pow({x, 1}, (static_cast<u128>(q) * q - 1) / (2 * n), q);
    if (complex_pow(h, n, q) == minus_one) break;
  }
  if (complex_pow(h, n / 2, q) != i) h = complex_inverse(h, q);
  ComplexPowers roots(h, complex_pow(h, 4, q), q);
  SparsePoll poll;
  for (std::uint64_t k = 0; k < n / 2; ++k) {
    poll();
    h = std::min(h, roots.next());
  }
  return h;
}

}  // namespace

ComplexMod complex_mul(const ComplexMod& a, const ComplexMod& b, std::uint64_t q) {
  return {sub_mod(wide_mul_mod(a.re, b.re, q), wide_mul_mod(a.im, b.im, q), q),
          add_mod(wide_mul_mod(a.re, b.im, q), wide_mul_mod(a.im, b.re, q), q)};
}

ComplexMod complex_pow(ComplexMod a, u128 exponent, std::uint64_t q) {
  ComplexMod result{1 % q, 0};
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = complex_mul(result, a, q);
    a = complex_mul(a, a, q);
  }
  return result;
}

ComplexMod complex_inverse(const ComplexMod& a, std::uint64_t q) {
  const std::uint64_t norm = add_mod(wide_mul_mod(a.re, a.re, q), wide_mul_mod(a.im, a.im, q), q);
  if (norm == 0) {
    throw ParameterError(std::to_string(a.re) + " + " + std::to_string(a.im) +
                         " i has no inverse modulo q = " + std::to_string(q) + ": its norm is 0");
  }
  const std::uint64_t inverse = wide_pow_mod(norm, q - 2, q);
  return {wide_mul_mod(a.re, inverse, q), wide_mul_mod(sub_mod(0, a.im, q), inverse, q)};
}

ComplexPowers::ComplexPowers(const ComplexMod& first, const ComplexMod& w, std::uint64_t q)
    : value_(first), w_(w), re_(make_shoup(w.re, q)), im_(make_shoup(w.im, q)), q_(q) {}

ComplexMod ComplexPowers::next() {
  const ComplexMod x = value_;
  if (q_ >> 63 != 0) {
    value_ = complex_mul(x, w_, q_);
  } else {
    value_ = {sub_mod(mul_shoup(x.re, re_, q_), mul_shoup(x.im, im_, q_), q_),
              add_mod(mul_shoup(x.re, im_, q_), mul_shoup(x.im, re_, q_), q_)};
  }
  return x;
}

ComplexMod twist_root(std::uint64_t n, std::uint64_t q) {
  const TransformSupport support = transform_support(q);
  if (n < 2 || !std::has_single_bit(n) || n > support.max_n_dgt) {
    const std::string allowed = support.max_n_dgt < 2
                                    ? "none for this q"
                                    : "powers of two, 2 ... " + std::to_string(support.max_n_dgt);
    throw ParameterError("n = " + std::to_string(n) + " has no DGT modulo q = " + std::to_string(q) +
                         ": allowed are " + allowed + "; " + support.explain());
  }
  if (q % 4 == 3) return smallest_twist_root(n, q);
  const std::uint64_t psi = smallest_root_of_unity(2 * n, q), inverse = wide_pow_mod(psi, q - 2, q);
  const std::uint64_t half = q / 2 + 1, minus_i = wide_pow_mod(inverse, n / 2, q);
  return {wide_mul_mod(add_mod(psi, inverse, q), half, q),
          wide_mul_mod(wide_mul_mod(sub_mod(psi, inverse, q), half, q), minus_i, q)};
}

}  // namespace nttforge
