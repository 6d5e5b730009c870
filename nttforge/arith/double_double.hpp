// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "nttforge/arith/host_device.hpp"

namespace nttforge {

// Floating point that is specified to the last bit (docs/decisions/encoding-of-real-numbers.md): each
// operation is one of IEEE 754 on doubles, to nearest, ties to even. Files that use it are compiled without
// contraction; device code names the rounding, which forbids contraction too.

NTTF_HOST_DEVICE double exact_add(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dadd_rn(a, b);
#else
  return a + b;
#endif
}

NTTF_HOST_DEVICE double exact_multiply(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

NTTF_HOST_DEVICE double exact_fma(double a, double b, double c) {
#ifdef __CUDA_ARCH__
  return __fma_rn(a, b, c);
#else
  return std::fma(a, b, c);
#endif
}

/// The number hi + lo, hi the double nearest to it: some 104 bits. [Dekker71], [Knuth2] 4.2.2.
struct DoubleDouble {
  double hi = 0;
  double lo = 0;

  friend bool operator==(const DoubleDouble&, const DoubleDouble&) = default;
};

/// The sum and its rounding error, which is exact [Knuth2].
NTTF_HOST_DEVICE DoubleDouble two_sum(double a, double b) {
  const double total = exact_add(a, b), part = exact_add(total, -a);
  return {total, exact_add(exact_add(a, -exact_add(total, -part)), exact_add(b, -part))};
}

/// The same where a is 0 or its exponent at least that of b [Dekker71].
NTTF_HOST_DEVICE DoubleDouble fast_two_sum(double a, double b) {
  const double total = exact_add(a, b);
  return {total, exact_add(b, -exact_add(total, -a))};
}

// What transforms need of a number, for both kinds.
NTTF_HOST_DEVICE double add(double a, double b) { return exact_add(a, b); }
NTTF_HOST_DEVICE double multiply(double a, double b) { return exact_multiply(a, b); }

/// The sum, with an error of 2^-104 of the larger operand.
NTTF_HOST_DEVICE DoubleDouble add(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble sum = two_sum(a.hi, b.hi);
  return fast_two_sum(sum.hi, exact_add(sum.lo, exact_add(a.lo, b.lo)));
}

/// The product, with a relative error of 2^-102.
NTTF_HOST_DEVICE DoubleDouble multiply(const DoubleDouble& a, const DoubleDouble& b) {
  const double product = exact_multiply(a.hi, b.hi);
  const double error = exact_fma(a.hi, b.hi, -product);
  const double cross = exact_add(exact_multiply(a.hi, b.lo), exact_multiply(a.lo, b.hi));
  return fast_two_sum(product, exact_add(error, cross));
}

/// 1 / a with a relative error of 2^-100: one step of Newton's from the double nearest to 1 / hi. On the
/// host.
inline DoubleDouble reciprocal(const DoubleDouble& a) {
  const double start = 1.0 / a.hi, rest = exact_fma(-start, a.hi, 1.0);
  return fast_two_sum(start, exact_multiply(exact_add(rest, -exact_multiply(start, a.lo)), start));
}

NTTF_HOST_DEVICE DoubleDouble operator-(const DoubleDouble& a) { return {-a.hi, -a.lo}; }

}  // namespace nttforge
