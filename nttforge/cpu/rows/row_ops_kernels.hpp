// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "nttforge/arith/shoup.hpp"
#include "nttforge/cpu/rows/row_ops_sums.hpp"
#include "nttforge/ntt/row_ops.hpp"

// Row operations on 64-bit words, written once over a lane type L and an arithmetic A<L>:
//
//   row   | a a a a | a a a a | a a .   ->  whole vectors, then one partial vector that touches only what is
//   there
//
// The unnamed namespace gives every object of an instruction set its own copy, never one the linker could
// share.

namespace nttforge::cpu {
namespace {

/// Sum, difference and negation of residues in [0, q), q <= 2^62.
template <class L>
struct Additive {
  using Vec = typename L::Vec;
  Vec q;

  explicit NTTF_INLINE Additive(const RowModulus& m) : q(L::broadcast(m.q)) {}
  NTTF_INLINE Vec add(Vec a, Vec b) const { return L::reduce_once(L::add(a, b), q); }
  NTTF_INLINE Vec sub(Vec a, Vec b) const { return L::add_if_negative(L::sub(a, b), q); }
  NTTF_INLINE Vec negate(Vec a) const { return L::reduce_once(L::sub(q, a), q); }
};

/// Barrett product for 2 <= q < 2^62 [Bar86]. With L = bits of q and x = a b:
///   c = floor(x / 2^(L-2)), taken as the upper word of (a 2^(64-L)) (4 b);  mu = floor(2^(L+62) / q) < 2^64;
///   estimate = upper word of c mu;  r = x - estimate q.
/// Invariant: r in [0, 3.5 q), even though each upper word may be one too small (docs/bounds/barrett.md).
template <class L>
struct Barrett64 : Additive<L> {
  using Vec = typename L::Vec;
  using Additive<L>::q;
  Vec q2, mu, shift;

  explicit NTTF_INLINE Barrett64(const RowModulus& m) : Additive<L>(m), q2(L::broadcast(2 * m.q)) {
    const unsigned bits = bits_of(m.q);
    const u128 ratio = (static_cast<u128>(m.ratio_high) << 64) | m.ratio_low;
    mu = L::broadcast(static_cast<std::uint64_t>(ratio >> (66 - bits)));
    shift = L::broadcast(64 - bits);
  }
  NTTF_INLINE Vec mul(Vec a, Vec b) const {
    const Vec c = L::mul_hi_lower(L::shift_left_by(a, shift), L::template shift_left<2>(b));
    const Vec estimate = L::mul_hi_lower(c, mu);
    const Vec r = L::sub(L::mul_lo(a, b), L::mul_lo(estimate, q));
    return L::reduce_once(L::reduce_once(r, q2), q);
  }
};

/// Product for 2 <= q < 2^50 in doubles, for instruction sets without wide integer products. x = a b = h + l
/// exactly (one fused multiply-subtract); e = floor(h / q) is off by less than 0.38 before the floor, so
/// Invariant: r = x - e q in [-0.38 q, 1.38 q), an exact integer (docs/bounds/barrett.md).
template <class L>
struct Fp64 : Additive<L> {
  using Vec = typename L::Vec;
  using Real = typename L::Real;
  using Additive<L>::q;
  Real real_q, inverse;

  explicit NTTF_INLINE Fp64(const RowModulus& m)
      : Additive<L>(m),
        real_q(L::real_broadcast(static_cast<double>(m.q))),
        inverse(L::real_broadcast(1.0 / static_cast<double>(m.q))) {}
  NTTF_INLINE Vec mul(Vec a, Vec b) const {
    const Real x = L::to_real(a), y = L::to_real(b);
    const Real h = L::real_mul(x, y);
    const Real l = L::real_fms(x, y, h);
    const Real e = L::real_floor(L::real_mul(h, inverse));
    const Real r = L::real_add(L::real_fnma(e, real_q, h), l);
    return L::reduce_once(L::add_if_negative(L::from_real(r), q), q);
  }
};

/// Barrett64 with 52-bit words, for 2 <= q < 2^50 and lanes with the 52-bit multiply-add.
/// Invariant: r in [0, 2.25 q); only its lower 52 bits are computed (docs/bounds/barrett.md).
template <class L>
struct Barrett52 : Additive<L> {
  using Vec = typename L::Vec;
  using Additive<L>::q;
  Vec q2, mu, shift, mask, zero;

  explicit NTTF_INLINE Barrett52(const RowModulus& m)
      : Additive<L>(m),
        q2(L::broadcast(2 * m.q)),
        mu(L::broadcast(m.ratio52)),
        shift(L::broadcast(52 - bits_of(m.q))),
        mask(L::broadcast((std::uint64_t{1} << 52) - 1)),
        zero(L::broadcast(0)) {}
  NTTF_INLINE Vec mul(Vec a, Vec b) const {
    const Vec c = L::madd52_hi(zero, L::shift_left_by(a, shift), L::template shift_left<2>(b));
    const Vec estimate = L::madd52_hi(zero, c, mu);
    const Vec r = L::sub(L::madd52_lo(zero, a, b), L::madd52_lo(zero, estimate, q));
    return L::reduce_once(L::reduce_once(L::bit_and(r, mask), q2), q);
  }
};

/// ShoupFactor with 52-bit words, q < 2^50.
template <class L>
struct ShoupFactor52 {
  using Vec = typename L::Vec;
  Vec q, value, quotient, mask, zero;

  NTTF_INLINE ShoupFactor52(const RowModulus& m, std::uint64_t scalar)
      : q(L::broadcast(m.q)),
        value(L::broadcast(scalar)),
        quotient(L::broadcast(shoup_quotient(scalar, m.q) >> 12)),
        mask(L::broadcast((std::uint64_t{1} << 52) - 1)),
        zero(L::broadcast(0)) {}
  NTTF_INLINE Vec mul(Vec a) const {
    const Vec estimate = L::madd52_hi(zero, a, quotient);
    const Vec r = L::sub(L::madd52_lo(zero, a, value), L::madd52_lo(zero, estimate, q));
    return L::reduce_once(L::bit_and(r, mask), q);
  }
};

/// A constant factor for an arithmetic that gains nothing from knowing it.
template <class L, class Arithmetic>
struct PlainFactor {
  using Vec = typename L::Vec;
  Arithmetic arithmetic;
  Vec scalar;
  NTTF_INLINE PlainFactor(const RowModulus& m, typename L::Word value)
      : arithmetic(m), scalar(L::broadcast(value)) {}
  NTTF_INLINE Vec mul(Vec a) const { return arithmetic.mul(a, scalar); }
};

/// Product with one constant factor: Shoup's precomputed quotient.
template <class L>
struct ShoupFactor {
  using Vec = typename L::Vec;
  Vec q, value, quotient;

  NTTF_INLINE ShoupFactor(const RowModulus& m, std::uint64_t scalar)
      : q(L::broadcast(m.q)),
        value(L::broadcast(scalar)),
        quotient(L::broadcast(shoup_quotient(scalar, m.q))) {}
  NTTF_INLINE Vec mul(Vec a) const {
    const Vec estimate = L::mul_hi(a, quotient);
    return L::reduce_once(L::sub(L::mul_lo(a, value), L::mul_lo(estimate, q)), q);
  }
};

/// Applies `combine` (up to three vectors -> vector) along rows. Unused inputs may repeat another pointer.
template <class L, class Combine>
NTTF_INLINE void map_row(const typename L::Word* a, const typename L::Word* b, const typename L::Word* c,
                         typename L::Word* out, std::size_t count, const Combine& combine) {
  std::size_t i = 0;
  for (; i + L::kWidth <= count; i += L::kWidth) {
    L::store(out + i, combine(L::load(a + i), L::load(b + i), L::load(c + i)));
  }
  if constexpr (L::kWidth > 1) {
    const std::size_t rest = count - i;
    if (rest != 0) {
      const auto result =
          combine(L::load_part(a + i, rest), L::load_part(b + i, rest), L::load_part(c + i, rest));
      L::store_part(out + i, result, rest);
    }
  }
}

/// The product of complex numbers, and that plus another one.
template <class L, bool accumulates, class Arithmetic>
NTTF_INLINE void multiply_complex_row(const Arithmetic& f, const typename L::Word* a,
                                      const typename L::Word* b, typename L::Word* out, std::size_t half) {
  using Vec = typename L::Vec;
  const auto combine = [&f](Vec(&z)[2], const Vec(&x)[2], const Vec(&y)[2]) NTTF_LAMBDA_INLINE {
    const Vec re = f.sub(f.mul(x[0], y[0]), f.mul(x[1], y[1]));
    const Vec im = f.add(f.mul(x[0], y[1]), f.mul(x[1], y[0]));
    z[0] = accumulates ? f.add(z[0], re) : re;
    z[1] = accumulates ? f.add(z[1], im) : im;
  };
  std::size_t i = 0;
  for (; i + L::kWidth <= half; i += L::kWidth) {
    Vec z[2] = {L::load(out + i), L::load(out + half + i)};
    combine(z, {L::load(a + i), L::load(a + half + i)}, {L::load(b + i), L::load(b + half + i)});
    L::store(out + i, z[0]);
    L::store(out + half + i, z[1]);
  }
  if constexpr (L::kWidth > 1) {
    const std::size_t rest = half - i;
    if (rest == 0) return;
    Vec z[2] = {L::load_part(out + i, rest), L::load_part(out + half + i, rest)};
    combine(z, {L::load_part(a + i, rest), L::load_part(a + half + i, rest)},
            {L::load_part(b + i, rest), L::load_part(b + half + i, rest)});
    L::store_part(out + i, z[0], rest);
    L::store_part(out + half + i, z[1], rest);
  }
}

/// The row operations of one arithmetic. Factor is the arithmetic of a constant factor, Sums that of sums.
template <class L, class Arithmetic, class Factor, class Sums>
struct RowKernels {
  using Word = typename L::Word;
  using Vec = typename L::Vec;

  static void add(const RowModulus& m, const Word* a, const Word* b, Word* out, std::size_t count) {
    const Arithmetic f(m);
    map_row<L>(a, b, b, out, count, [&f](Vec x, Vec y, Vec) NTTF_LAMBDA_INLINE { return f.add(x, y); });
  }
  static void sub(const RowModulus& m, const Word* a, const Word* b, Word* out, std::size_t count) {
    const Arithmetic f(m);
    map_row<L>(a, b, b, out, count, [&f](Vec x, Vec y, Vec) NTTF_LAMBDA_INLINE { return f.sub(x, y); });
  }
  static void negate(const RowModulus& m, const Word* a, Word* out, std::size_t count) {
    const Arithmetic f(m);
    map_row<L>(a, a, a, out, count, [&f](Vec x, Vec, Vec) NTTF_LAMBDA_INLINE { return f.negate(x); });
  }
  static void multiply(const RowModulus& m, const Word* a, const Word* b, Word* out, std::size_t count) {
    const Arithmetic f(m);
    map_row<L>(a, b, b, out, count, [&f](Vec x, Vec y, Vec) NTTF_LAMBDA_INLINE { return f.mul(x, y); });
  }
  static void multiply_accumulate(const RowModulus& m, const Word* a, const Word* b, Word* accumulator,
                                  std::size_t count) {
    const Arithmetic f(m);
    map_row<L>(a, b, accumulator, accumulator, count,
               [&f](Vec x, Vec y, Vec z) NTTF_LAMBDA_INLINE { return f.add(z, f.mul(x, y)); });
  }
  static void multiply_scalar(const RowModulus& m, const Word* a, Word scalar, Word* out, std::size_t count) {
    const Factor f(m, scalar);
    map_row<L>(a, a, a, out, count, [&f](Vec x, Vec, Vec) NTTF_LAMBDA_INLINE { return f.mul(x); });
  }
  static void sum_of_products(const RowModulus& m, const Word* a, const Word* b, std::size_t stride,
                              std::size_t terms, Word* out, bool accumulate, std::size_t count) {
    std::size_t together = terms;
    if constexpr (requires { Sums::kFewestTerms; }) {
      const std::size_t rest = terms % AllSums::kTerms;
      if (rest < Sums::kFewestTerms) together -= rest;
    }
    AllSums::sum_of_products(m, a, b, stride, together, out, accumulate, count);
    for (std::size_t i = together; i < terms; ++i) {
      const auto one = accumulate || i != 0 ? &multiply_accumulate : &multiply;
      one(m, a + i * stride, b + i * stride, out, count);
    }
  }
  static void complex_multiply(const RowModulus& m, const Word* a, const Word* b, Word* out,
                               std::size_t count) {
    multiply_complex_row<L, false>(Arithmetic(m), a, b, out, count / 2);
  }
  static void complex_multiply_accumulate(const RowModulus& m, const Word* a, const Word* b,
                                          Word* accumulator, std::size_t count) {
    multiply_complex_row<L, true>(Arithmetic(m), a, b, accumulator, count / 2);
  }

  static constexpr RowOpsTable<Word> table() {
#if defined(__wasm__)  // a page loads every byte, and no scheme has a DGT
    return {&add,    &sub,    &negate,          &multiply, &multiply_accumulate, &multiply_scalar,
            nullptr, nullptr, &sum_of_products, nullptr};
#endif
    return {&add,
            &sub,
            &negate,
            &multiply,
            &multiply_accumulate,
            &multiply_scalar,
            &complex_multiply,
            &complex_multiply_accumulate,
            &sum_of_products,
            &AllSums::complex_sum_of_products};
  }

 private:
  using AllSums = SumKernels<L, Arithmetic, Sums>;
};

}  // namespace
}  // namespace nttforge::cpu
