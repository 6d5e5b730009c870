// SPDX-License-Identifier: Apache-2.0
#pragma once

// Products y w in GF(q)[i] with a table entry w, over the lanes of products.hpp. Both parts of y w are sums
// of two products modulo q; where the arithmetic allows they share one reduction:
//   re = y.re w.re + y.im (q - w.im),   im = y.re w.im + y.im w.re.
// K independent products advance together. Bounds: docs/bounds/dgt.md.

#include <cstdint>

#include "nttforge/base/macros.hpp"
#include "nttforge/ntt/kernels/fp64_butterfly.hpp"
#include "nttforge/ntt/kernels/products/products.hpp"

namespace nttforge {

/// A vector of real parts and one of imaginary parts.
template <class LanesType>
struct ComplexOf {
  typename LanesType::Vec re, im;
};

/// q < 2^62 (2^30 with 32-bit words) and the exact high product: parts in [0, 4q), reduced to [0, 2q).
/// rough: with mul_hi_lower, which is at most one too small; q < 2^61, parts in [0, 6q), reduced to [0, 4q).
template <class LanesType, bool rough>
struct ComplexShoupProduct {
  using Lanes = LanesType;
  using Word = typename Lanes::Word;
  using V = typename Lanes::Vec;
  using Single = ShoupProduct<Lanes>;
  static constexpr unsigned kBound = rough ? 4 : 2;
  struct Twiddle {
    V re, re_quotient, im, im_quotient;
  };
  struct Constants {
    V q, q2, bound;
  };
  static NTTF_KERNEL Constants constants(Word q) {
    return {Lanes::broadcast(q), Lanes::broadcast(static_cast<Word>(2 * q)),
            Lanes::broadcast(static_cast<Word>(kBound * q))};
  }
  static TwiddleEntry entry(std::uint64_t w, std::uint64_t q) { return Single::entry(w, q); }
  static NTTF_KERNEL Twiddle twiddle(const V (&w)[4], const Constants&) { return {w[0], w[1], w[2], w[3]}; }

  static NTTF_KERNEL V high(V a, V b) {
    if constexpr (rough) {
      return Lanes::mul_hi_lower(a, b);
    } else {
      return Lanes::mul_hi(a, b);
    }
  }
  static NTTF_KERNEL V reduce_bound(V v, const Constants& c) { return Lanes::reduce_once(v, c.bound); }

  template <int K>
  static NTTF_KERNEL void multiply(ComplexOf<Lanes> (&t)[K], const ComplexOf<Lanes> (&y)[K],
                                   const Twiddle (&w)[K], const Constants& c) {
    V re[K], im[K];
    // The estimates' difference may be negative: all of it is modulo the word, and 2q (4q) makes the sum
    // positive.
    NTTF_UNROLL for (int i = 0; i < K; ++i) re[i] =
        Lanes::sub(high(y[i].re, w[i].re_quotient), high(y[i].im, w[i].im_quotient));
    NTTF_UNROLL for (int i = 0; i < K; ++i) im[i] =
        Lanes::add(high(y[i].re, w[i].im_quotient), high(y[i].im, w[i].re_quotient));
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i].re =
        Lanes::sub(Lanes::mul_lo(y[i].re, w[i].re), Lanes::mul_lo(y[i].im, w[i].im));
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i].im =
        Lanes::add(Lanes::mul_lo(y[i].re, w[i].im), Lanes::mul_lo(y[i].im, w[i].re));
    NTTF_UNROLL for (int i = 0; i < K; ++i) re[i] = Lanes::mul_lo(re[i], c.q);
    NTTF_UNROLL for (int i = 0; i < K; ++i) im[i] = Lanes::mul_lo(im[i], c.q);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i].re =
        reduce_bound(Lanes::add(Lanes::sub(t[i].re, re[i]), c.bound), c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i].im = reduce_bound(Lanes::sub(t[i].im, im[i]), c);
  }

  /// Products with a real factor, in the same range.
  template <int K>
  static NTTF_KERNEL void multiply_real(V (&t)[K], const V (&y)[K], const Twiddle& w, const Constants& c) {
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] =
        Lanes::sub(Lanes::mul_lo(y[i], w.re), Lanes::mul_lo(high(y[i], w.re_quotient), c.q));
  }
};

/// 52-bit multiply-add, y < 2^52, q < 2^50: parts in [0, 4q), reduced to [0, 2q).
template <class LanesType>
struct ComplexIfmaProduct : ComplexShoupProduct<LanesType, false> {
  using Base = ComplexShoupProduct<LanesType, false>;
  using Lanes = LanesType;
  using Word = typename Lanes::Word;
  using V = typename Lanes::Vec;
  struct Twiddle {
    V re, re_quotient, im, im_quotient, minus_im, minus_im_quotient;
  };
  struct Constants : Base::Constants {
    V minus_q, mask, zero;
  };
  static NTTF_KERNEL Constants constants(Word q) {
    constexpr Word kTwo52 = Word{1} << 52;
    return {Base::constants(q), Lanes::broadcast(kTwo52 - q), Lanes::broadcast(kTwo52 - 1),
            Lanes::broadcast(0)};
  }
  static TwiddleEntry entry(std::uint64_t w, std::uint64_t q) { return shoup_entry(w, q, 52); }
  static NTTF_KERNEL Twiddle twiddle(const V (&w)[4], const Constants& c) {
    return {w[0], w[1], w[2], w[3], Lanes::sub(c.q, w[2]), Lanes::sub(c.mask, w[3])};
  }

  template <int K>
  static NTTF_KERNEL void multiply(ComplexOf<Lanes> (&t)[K], const ComplexOf<Lanes> (&y)[K],
                                   const Twiddle (&w)[K], const Constants& c) {
    V re[K], im[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) re[i] = Lanes::madd52_hi(c.zero, y[i].re, w[i].re_quotient);
    NTTF_UNROLL for (int i = 0; i < K; ++i) im[i] = Lanes::madd52_hi(c.zero, y[i].re, w[i].im_quotient);
    NTTF_UNROLL for (int i = 0; i < K; ++i) re[i] = Lanes::madd52_hi(re[i], y[i].im, w[i].minus_im_quotient);
    NTTF_UNROLL for (int i = 0; i < K; ++i) im[i] = Lanes::madd52_hi(im[i], y[i].im, w[i].re_quotient);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i].re = Lanes::madd52_lo(c.zero, y[i].re, w[i].re);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i].im = Lanes::madd52_lo(c.zero, y[i].re, w[i].im);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i].re = Lanes::madd52_lo(t[i].re, y[i].im, w[i].minus_im);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i].im = Lanes::madd52_lo(t[i].im, y[i].im, w[i].re);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i].re = Lanes::madd52_lo(t[i].re, re[i], c.minus_q);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i].im = Lanes::madd52_lo(t[i].im, im[i], c.minus_q);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i].re =
        Lanes::reduce_once(Lanes::bit_and(t[i].re, c.mask), c.q2);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i].im =
        Lanes::reduce_once(Lanes::bit_and(t[i].im, c.mask), c.q2);
  }

  template <int K>
  static NTTF_KERNEL void multiply_real(V (&t)[K], const V (&y)[K], const Twiddle& w, const Constants& c) {
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] =
        Lanes::bit_and(Lanes::madd52_lo(Lanes::madd52_lo(c.zero, y[i], w.re),
                                        Lanes::madd52_hi(c.zero, y[i], w.re_quotient), c.minus_q),
                       c.mask);
  }
};

/// What products have in common that take four products of numbers.
template <class SingleType>
struct ComplexOfSingle {
  using Single = SingleType;
  using Lanes = typename Single::Lanes;
  using Word = typename Single::Word;
  using V = typename Single::V;
  struct Twiddle {
    typename Single::Twiddle re, im;
  };
  using Constants = typename Single::Constants;
  static NTTF_KERNEL Constants constants(Word q) { return Single::constants(q); }
  static TwiddleEntry entry(std::uint64_t w, std::uint64_t q) { return Single::entry(w, q); }
  static NTTF_KERNEL Twiddle twiddle(const V (&w)[4], const Constants&) {
    return {Single::twiddle(w[0], w[1]), Single::twiddle(w[2], w[3])};
  }

  template <int K>
  static NTTF_KERNEL void multiply_real(V (&t)[K], const V (&y)[K], const Twiddle& w, const Constants& c) {
    typename Single::Twiddle twiddles[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) twiddles[i] = w.re;
    Single::multiply(t, y, twiddles, c);
  }
};

/// Doubles, q < 2^50: four products of Fp64Product, |part| <= (1 + 0.254 C) q for |y| <= C q, C <= 8.
template <class LanesType>
struct ComplexFp64Product : ComplexOfSingle<Fp64Product<LanesType>> {
  using Types = ComplexOfSingle<Fp64Product<LanesType>>;
  using typename Types::Constants;
  using typename Types::Lanes;
  using typename Types::Single;
  using typename Types::Twiddle;
  using typename Types::V;

  template <int K>
  static NTTF_KERNEL void multiply(ComplexOf<Lanes> (&t)[K], const ComplexOf<Lanes> (&y)[K],
                                   const Twiddle (&w)[K], const Constants& c) {
    V factor[4 * K], product[4 * K];
    typename Single::Twiddle twiddles[4 * K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) {
      factor[4 * i] = factor[4 * i + 2] = y[i].re;
      factor[4 * i + 1] = factor[4 * i + 3] = y[i].im;
      twiddles[4 * i] = twiddles[4 * i + 3] = w[i].re;
      twiddles[4 * i + 1] = twiddles[4 * i + 2] = w[i].im;
    }
    Single::multiply(product, factor, twiddles, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) {
      t[i].re = LanesType::real_sub(product[4 * i], product[4 * i + 1]);
      t[i].im = LanesType::real_add(product[4 * i + 2], product[4 * i + 3]);
    }
  }
};

/// Over a product that keeps [0, q) (products.hpp: multiply, add, sub), for moduli without room above them.
template <class SingleType>
struct ComplexStrictProduct : ComplexOfSingle<SingleType> {
  using Types = ComplexOfSingle<SingleType>;
  using typename Types::Constants;
  using typename Types::Lanes;
  using typename Types::Single;
  using typename Types::Twiddle;
  using typename Types::V;

  template <int K>
  static NTTF_KERNEL void multiply(ComplexOf<Lanes> (&t)[K], const ComplexOf<Lanes> (&y)[K],
                                   const Twiddle (&w)[K], const Constants& c) {
    NTTF_UNROLL for (int i = 0; i < K; ++i) {
      const V factor[4] = {y[i].re, y[i].im, y[i].re, y[i].im};
      const typename Single::Twiddle twiddles[4] = {w[i].re, w[i].im, w[i].im, w[i].re};
      V product[4];
      Single::multiply(product, factor, twiddles, c);
      t[i] = {Single::sub(product[0], product[1], c), Single::add(product[2], product[3], c)};
    }
  }
};

}  // namespace nttforge
