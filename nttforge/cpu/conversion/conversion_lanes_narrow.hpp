// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cpu/conversion/conversion_lanes_common.hpp"

// Arithmetic of the narrow class (moduli and values below 2^50) for the loops of conversion_rows.hpp, over
// the plain vector lanes of an instruction set. Ranges and proofs: docs/bounds/conversion52.md.

namespace nttforge {
namespace {

/// Lanes with the 52-bit multiply-add: they sum lower and upper halves of 104-bit products.
template <class L>
struct Lanes52 : ConversionLanes<L> {
  static constexpr std::size_t kVectors = 4;
  static constexpr std::size_t kOutputs = 2;
  static constexpr std::size_t kDigits = 2;
  static constexpr bool kPrepares = false;
  static constexpr unsigned kSumBits = 104;
  using Vector = typename L::Vec;
  using Factor = Vector;
  struct Sum {
    Vector low, high;
  };
  struct Constants {
    Vector q, q2, pow52, pow52_quotient, one_quotient;
  };
  struct Scale {
    Vector w, quotient, q;
  };

  static NTTF_INLINE Vector zero() { return L::broadcast(0); }
  static NTTF_INLINE Vector mask52(Vector v) {
    return L::bit_and(v, L::broadcast((std::uint64_t{1} << 52) - 1));
  }
  // floor(floor(w 2^64 / q) / 2^12) = floor(w 2^52 / q)
  static NTTF_INLINE Constants constants(const RowModulus& m) {
    return {L::broadcast(m.q), L::broadcast(2 * m.q), L::broadcast(m.pow52.value),
            L::broadcast(m.pow52.quotient >> 12), L::broadcast(m.one_quotient >> 12)};
  }
  static NTTF_INLINE Scale scale(const ScaleRow& row) {
    return {L::broadcast(row.w.value), L::broadcast(row.w.quotient >> 12), L::broadcast(row.modulus.q)};
  }

  static NTTF_INLINE Sum start(Vector v) { return {v, zero()}; }
  static NTTF_INLINE Factor factor(Vector v) { return v; }
  static NTTF_INLINE Factor factor_of(std::uint64_t c) { return L::broadcast(c); }
  static NTTF_INLINE void add_product(Sum& sum, Factor a, Factor b) {
    sum.low = L::madd52_lo(sum.low, a, b);
    sum.high = L::madd52_hi(sum.high, a, b);
  }

  static constexpr unsigned kUpperBits = 52;
  static NTTF_INLINE Vector upper(const Sum& sum) {
    return L::add(sum.high, L::template shift_right<52>(sum.low));
  }

  /// sum < 2^104 -> [0, q): a 2^52 + b with a, b < 2^52, one quotient estimate for both parts, at most 3 too
  /// small.
  static NTTF_INLINE Vector reduce(const Sum& sum, const Constants& m) {
    const Vector a = upper(sum);
    const Vector b = mask52(sum.low);
    const Vector quotient = L::madd52_hi(L::madd52_hi(zero(), a, m.pow52_quotient), b, m.one_quotient);
    const Vector r = mask52(L::sub(L::madd52_lo(b, a, m.pow52), L::madd52_lo(zero(), quotient, m.q)));
    return L::reduce_once(L::reduce_once(r, m.q2), m.q);
  }
  /// x < 2^52.
  static NTTF_INLINE Vector reduce_word(Vector x, const Constants& m) {
    const Vector quotient = L::madd52_hi(zero(), x, m.one_quotient);
    return L::reduce_once(L::sub(x, L::madd52_lo(zero(), quotient, m.q)), m.q);
  }

  /// Shoup's estimate with 52 bits: w x - estimate q in [0, 2q).
  static NTTF_INLINE Vector rest(Vector x, Vector estimate, const Scale& s) {
    return mask52(L::sub(L::madd52_lo(zero(), x, s.w), L::madd52_lo(zero(), estimate, s.q)));
  }
  static NTTF_INLINE Vector multiply(Vector x, const Scale& s) {
    return L::reduce_once(rest(x, L::madd52_hi(zero(), x, s.quotient), s), s.q);
  }
};

/// Lanes without the 52-bit multiply-add: products of two 26-bit halves by Karatsuba with 32-bit
/// multiplications, reductions in doubles with FMA.
template <class L>
struct Lanes26 : ConversionLanes<L> {
  static constexpr std::size_t kVectors = 4;
  static constexpr std::size_t kOutputs = 1;
  static constexpr std::size_t kDigits = 2;
  static constexpr bool kPrepares = true;
  static constexpr unsigned kSumBits = 103;
  using Vector = typename L::Vec;
  using Real = typename L::Real;
  struct Factor {
    Vector low, high, both;
  };
  struct Sum {
    Vector low, high, both;
  };
  struct Constants {
    Real q, inverse, pow52;
    Vector q1, q2;
  };
  struct Scale {
    Real w, q, inverse;
    Vector q1, q2;
  };

  static NTTF_INLINE double real(std::uint64_t v) {
    return static_cast<double>(static_cast<std::int64_t>(v));
  }
  static NTTF_INLINE Vector mask26(Vector v) { return L::bit_and(v, L::broadcast((1u << 26) - 1)); }
  static NTTF_INLINE Constants constants(const RowModulus& m) {
    return {L::real_broadcast(real(m.q)), L::real_broadcast(m.inverse),
            L::real_broadcast(real(m.pow52.value)), L::broadcast(m.q), L::broadcast(2 * m.q)};
  }
  static NTTF_INLINE Scale scale(const ScaleRow& row) {
    const std::uint64_t q = row.modulus.q;
    return {L::real_broadcast(real(row.w.value)), L::real_broadcast(real(q)),
            L::real_broadcast(row.modulus.inverse), L::broadcast(q), L::broadcast(2 * q)};
  }

  static NTTF_INLINE Sum start(Vector v) { return {v, L::broadcast(0), v}; }
  static NTTF_INLINE Factor factor(Vector v) {
    const Vector low = mask26(v), high = L::template shift_right<26>(v);
    return {low, high, L::add(low, high)};
  }
  static NTTF_INLINE Factor factor_of(std::uint64_t c) { return factor(L::broadcast(c)); }
  static NTTF_INLINE void add_product(Sum& sum, const Factor& a, const Factor& b) {
    sum.low = L::add(sum.low, L::mul_32(a.low, b.low));
    sum.high = L::add(sum.high, L::mul_32(a.high, b.high));
    sum.both = L::add(sum.both, L::mul_32(a.both, b.both));
  }

  static constexpr unsigned kUpperBits = 52;
  static NTTF_INLINE Vector middle(const Sum& sum) {
    return L::add(L::sub(L::sub(sum.both, sum.low), sum.high), L::template shift_right<26>(sum.low));
  }
  static NTTF_INLINE Vector upper(const Sum& sum) {
    return L::add(sum.high, L::template shift_right<26>(middle(sum)));
  }

  /// r in (-q, 3q), an integer -> [0, q). Moved to (-2q, 2q), within the 2^51 that from_real takes.
  static NTTF_INLINE Vector normalise(Real r, Real q, Vector q1, Vector q2) {
    return L::reduce_once(L::add_if_negative(L::from_real(L::real_sub(r, q)), q2), q1);
  }
  /// sum < 2^103 -> [0, q): a 2^52 + b, quotient of a pow52 + b estimated in doubles.
  static NTTF_INLINE Vector reduce(const Sum& sum, const Constants& m) {
    const Vector tail = middle(sum);
    const Real a = L::to_real(L::add(sum.high, L::template shift_right<26>(tail)));
    const Real b = L::to_real(L::add(L::template shift_left<26>(mask26(tail)), mask26(sum.low)));
    const Real h = L::real_mul(a, m.pow52);
    const Real rest = L::real_add(L::real_fms(a, m.pow52, h), b);
    const Real quotient = L::real_floor(L::real_mul(L::real_add(h, b), m.inverse));
    return normalise(L::real_add(L::real_fnma(quotient, m.q, h), rest), m.q, m.q1, m.q2);
  }
  /// x < 2^52.
  static NTTF_INLINE Vector reduce_word(Vector x, const Constants& m) {
    const Real b = L::to_real(x);
    const Real quotient = L::real_floor(L::real_mul(b, m.inverse));
    return normalise(L::real_fnma(quotient, m.q, b), m.q, m.q1, m.q2);
  }

  /// w x - quotient q, exact.
  static NTTF_INLINE Real rest(Real x, const Scale& s, Real& quotient) {
    const Real h = L::real_mul(x, s.w);
    quotient = L::real_floor(L::real_mul(h, s.inverse));
    return L::real_add(L::real_fnma(quotient, s.q, h), L::real_fms(x, s.w, h));
  }
  static NTTF_INLINE Vector multiply(Vector x, const Scale& s) {
    Real quotient;
    const Real r = rest(L::to_real(x), s, quotient);
    return normalise(r, s.q, s.q1, s.q2);
  }
};

}  // namespace
}  // namespace nttforge
