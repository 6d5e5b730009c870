// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "nttforge/arith/shoup.hpp"
#include "nttforge/cpu/rows/row_ops_kernels.hpp"
#include "nttforge/ntt/word_ops.hpp"

// Operations on words that need not be reduced (ntt/word_ops.hpp), written once over a lane type L and two
// arithmetics: products below 2^50 and constant factors below 2^49 may have faster ones than words of 64
// bits. Each operation takes multiples of q off its inputs in registers and is then the one of
// row_ops_kernels.hpp. The bounds are in docs/bounds/word_ops.md.

namespace nttforge::cpu {
namespace {

/// Product of words in [0, 8q), q < 2^49, with one constant factor in doubles: the quotient is rounded to
/// nearest, so the product lies in (-q, q).
template <class L>
struct Fp64Factor {
  using Vec = typename L::Vec;
  using Real = typename L::Real;
  Vec q;
  Real real_q, value, quotient;

  NTTF_INLINE Fp64Factor(const RowModulus& m, std::uint64_t scalar) : q(L::broadcast(m.q)) {
    const double centred =
        scalar > m.q / 2 ? -static_cast<double>(m.q - scalar) : static_cast<double>(scalar);
    real_q = L::real_broadcast(static_cast<double>(m.q));
    value = L::real_broadcast(centred);
    quotient = L::real_broadcast(centred / static_cast<double>(m.q));
  }
  NTTF_INLINE Vec mul(Vec a) const {
    const Real y = L::to_real(a);
    const Real high = L::real_mul(y, value);
    const Real low = L::real_fms(y, value, high);
    const Real estimate = L::real_round(L::real_mul(y, quotient));
    const Real r = L::real_add(L::real_fnma(estimate, real_q, high), low);
    return L::add_if_negative(L::from_real(r), q);
  }
};

/// [0, kFactor q) -> [0, q).
template <class L, unsigned kFactor>
struct Multiples {
  using Vec = typename L::Vec;
  Vec q, q2, q4;

  explicit NTTF_INLINE Multiples(std::uint64_t modulus)
      : q(L::broadcast(modulus)), q2(L::broadcast(2 * modulus)), q4(L::broadcast(4 * modulus)) {}
  NTTF_INLINE Vec reduce(Vec v) const {
    if constexpr (kFactor > 4) v = L::reduce_once(v, q4);
    if constexpr (kFactor > 2) v = L::reduce_once(v, q2);
    if constexpr (kFactor > 1) v = L::reduce_once(v, q);
    return v;
  }
};

/// Any word -> [0, q), 2 <= q < 2^63: x minus floor(x mu / 2^64) q with mu = floor((2^64 - 1) / q) is below
/// 2q.
template <class L>
struct AnyWord {
  using Vec = typename L::Vec;
  Vec q, mu;

  explicit NTTF_INLINE AnyWord(std::uint64_t modulus)
      : q(L::broadcast(modulus)), mu(L::broadcast(~std::uint64_t{0} / modulus)) {}
  NTTF_INLINE Vec reduce(Vec x) const { return L::reduce_once(L::sub(x, L::mul_lo(L::mul_hi(x, mu), q)), q); }
};

/// inside or outside, by whether x is in the range.
template <class L>
struct Chosen {
  using Vec = typename L::Vec;
  Vec first, span, inside, difference;

  NTTF_INLINE Chosen(WordRange range, std::uint64_t in, std::uint64_t out)
      : first(L::broadcast(range.first)),
        span(L::broadcast(range.span)),
        inside(L::broadcast(in)),
        difference(L::broadcast(in ^ out)) {}
  NTTF_INLINE Vec operator()(Vec x) const {
    return L::bit_xor(inside, L::bit_and(difference, L::above_mask(L::sub(x, first), span)));
  }
};

/// What the arithmetics read of a modulus, without the constants that only sums and rows of one plan want.
NTTF_INLINE RowModulus product_modulus(std::uint64_t q) {
  const unsigned bits = bits_of(q);
  const u128 ratio = ~u128{0} / q + (std::has_single_bit(q) ? 1 : 0);  // floor(2^128 / q)
  RowModulus m;
  m.q = q;
  m.ratio_low = static_cast<std::uint64_t>(ratio);
  m.ratio_high = static_cast<std::uint64_t>(ratio >> 64);
  if (bits <= 50) m.ratio52 = static_cast<std::uint64_t>(ratio >> (78 - bits));
  return m;
}

/// Product and Factor serve every modulus; Small and SmallFactor those below 2^50 and 2^49.
template <class L, class Product, class Factor, class Small, class SmallFactor>
struct WordKernels {
  using Word = std::uint64_t;
  using Vec = typename L::Vec;

  static void add(Word q, const Word* a, const Word* b, Word* out, std::size_t count) {
    const Vec m = L::broadcast(q);
    map_row<L>(a, b, b, out, count,
               [m](Vec x, Vec y, Vec) NTTF_LAMBDA_INLINE { return L::reduce_once(L::add(x, y), m); });
  }
  static void sub(Word q, const Word* a, const Word* b, Word* out, std::size_t count) {
    const Vec m = L::broadcast(q);
    map_row<L>(a, b, b, out, count,
               [m](Vec x, Vec y, Vec) NTTF_LAMBDA_INLINE { return L::add_if_negative(L::sub(x, y), m); });
  }
  static void add_scalar(Word q, const Word* a, Word scalar, Word* out, std::size_t count) {
    const Vec m = L::broadcast(q), s = L::broadcast(scalar);
    map_row<L>(a, a, a, out, count,
               [m, s](Vec x, Vec, Vec) NTTF_LAMBDA_INLINE { return L::reduce_once(L::add(x, s), m); });
  }
  static void multiply(Word q, unsigned factor, const Word* a, const Word* b, Word* out, std::size_t count) {
    const RowModulus m = product_modulus(q);
    if (q >> 50 == 0) {
      factor == 1 ? products<Small, 1>(m, a, b, out, count) : products<Small, 4>(m, a, b, out, count);
    } else {
      factor == 1 ? products<Product, 1>(m, a, b, out, count) : products<Product, 4>(m, a, b, out, count);
    }
  }
  static void multiply_add(Word q, unsigned factor, const Word* a, Word scalar, const Word* c, Word* out,
                           std::size_t count) {
    RowModulus m;
    m.q = q;
    if (q >> 49 == 0) {
      scaled(SmallFactor(m, scalar), q, factor, a, c, out, count);
    } else {
      scaled(Factor(m, scalar), q, factor, a, c, out, count);
    }
  }
  static void reduce(Word q, const Word* a, Word* out, std::size_t count) {
    const AnyWord<L> any(q);
    map_row<L>(a, a, a, out, count, [&any](Vec x, Vec, Vec) NTTF_LAMBDA_INLINE { return any.reduce(x); });
  }
  static void take_off(Word modulus, unsigned factor, const Word* a, Word* out, std::size_t count) {
    factor == 2 ? multiples_off<2>(modulus, a, out, count) : multiples_off<4>(modulus, a, out, count);
  }
  static void add_where(WordRange range, Word inside, Word outside, const Word* a, Word* out,
                        std::size_t count) {
    const Chosen<L> chosen(range, inside, outside);
    map_row<L>(a, a, a, out, count,
               [&chosen](Vec x, Vec, Vec) NTTF_LAMBDA_INLINE { return L::add(x, chosen(x)); });
  }
  static void sub_where(Word q, WordRange range, Word inside, Word outside, const Word* a, Word* out,
                        std::size_t count) {
    const Chosen<L> chosen(range, inside, outside);
    const AnyWord<L> any(q);
    map_row<L>(a, a, a, out, count, [&](Vec x, Vec, Vec) NTTF_LAMBDA_INLINE {
      return L::add_if_negative(L::sub(any.reduce(x), chosen(x)), any.q);
    });
  }

  static constexpr WordOps table() {
    return {&add, &sub, &add_scalar, &multiply, &multiply_add, &reduce, &take_off, &add_where, &sub_where};
  }

 private:
  template <unsigned kFactor>
  static NTTF_INLINE void multiples_off(Word modulus, const Word* a, Word* out, std::size_t count) {
    const Multiples<L, kFactor> multiples(modulus);
    map_row<L>(a, a, a, out, count, [&](Vec x, Vec, Vec) NTTF_LAMBDA_INLINE { return multiples.reduce(x); });
  }
  template <class Arithmetic, unsigned kFactor>
  static NTTF_INLINE void products(const RowModulus& m, const Word* a, const Word* b, Word* out,
                                   std::size_t count) {
    const Arithmetic f(m);
    const Multiples<L, kFactor> multiples(m.q);
    map_row<L>(a, b, b, out, count, [&](Vec x, Vec y, Vec) NTTF_LAMBDA_INLINE {
      return f.mul(multiples.reduce(x), multiples.reduce(y));
    });
  }
  /// A constant factor takes words in [0, 8q) as they are; only what is added must be reduced.
  template <class Any>
  static NTTF_INLINE void scaled(const Any& f, Word q, unsigned factor, const Word* a, const Word* c,
                                 Word* out, std::size_t count) {
    if (c == nullptr) {
      map_row<L>(a, a, a, out, count, [&f](Vec x, Vec, Vec) NTTF_LAMBDA_INLINE { return f.mul(x); });
    } else if (factor == 1) {
      scaled_and_added<1>(f, q, a, c, out, count);
    } else {
      scaled_and_added<8>(f, q, a, c, out, count);
    }
  }
  template <unsigned kFactor, class Any>
  static NTTF_INLINE void scaled_and_added(const Any& f, Word q, const Word* a, const Word* c, Word* out,
                                           std::size_t count) {
    const Multiples<L, kFactor> multiples(q);
    map_row<L>(a, c, c, out, count, [&](Vec x, Vec z, Vec) NTTF_LAMBDA_INLINE {
      return L::reduce_once(L::add(f.mul(x), multiples.reduce(z)), multiples.q);
    });
  }
};

}  // namespace
}  // namespace nttforge::cpu
