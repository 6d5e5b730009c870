#pragma once

// Butterflies for split_passes.hpp: like those of butterflies.hpp, but told for each x whether to reduce it,
// so that values are reduced only where they would outgrow their words.
//   kForwardStages    stages that forward does between two reductions of x (docs/bounds/)
//   kFinalReduces     whether forward reduces x in the very last stage, whatever was done before
//   inverse_reduces   whether inverse reduces the x in `row` of stage s, when 2^log rows go through `log`
//   stages

#include <cstdint>

#include "nttforge/base/macros.hpp"
#include "nttforge/ntt/butterflies.hpp"
#include "nttforge/ntt/fp64_butterfly.hpp"
#include "nttforge/ntt/products.hpp"

namespace nttforge {

/// Doubles: docs/bounds/fp64.md, "Sparse centring". `added`: quotients are rounded by adding and subtracting
/// 1.5 2^52, in one fused operation less on cores whose rounding instruction takes two; needs |y| <= 4q.
template <class LanesType, bool added>
struct NarrowFp64 : Fp64Types<LanesType> {
  using Base = LanesType;
  using typename Fp64Types<LanesType>::Constants;
  using typename Fp64Types<LanesType>::Product;
  using typename Fp64Types<LanesType>::Twiddle;
  using typename Fp64Types<LanesType>::V;
  static constexpr unsigned kForwardStages = added ? 5 : 8;
  static constexpr bool kFinalReduces = true;
  /// Only sums of sums outgrow their interval; stage s pairs rows that differ in bit log - 1 - s.
  static constexpr bool inverse_reduces(unsigned log, unsigned s, int row) {
    if (log == 4) return s == 2 ? row % 4 == 0 : s == 0 && row < 4;
    if (log == 3) return s == 1 ? row % 4 == 0 : s == 0 && (row == 1 || row == 2);
    return s == 0 && row == 0;
  }

  /// x, y -> x + w y, x - w y.
  template <int K>
  static NTTF_KERNEL void forward(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  const bool (&reduce)[K]) {
    const bool wide[K] = {};
    V t[K];
    multiply(t, y, w, c, wide);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = reduce[i] ? centred(x[i], c) : x[i];
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = Base::real_sub(x[i], t[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Base::real_add(x[i], t[i]);
  }

  /// x, y -> x + y, w (x - y). Where the sum is too large, so is the difference.
  template <int K>
  static NTTF_KERNEL void inverse(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  const bool (&reduce)[K]) {
    V d[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) d[i] = Base::real_sub(x[i], y[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Base::real_add(x[i], y[i]);
    multiply(y, d, w, c, reduce);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = reduce[i] ? Product::centred(x[i], c) : x[i];
  }

  /// x, y -> scale (x + y), w (x - y); w holds the scale too.
  template <int K>
  static NTTF_KERNEL void inverse_last(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Twiddle (&scale)[K],
                                       const Constants& c) {
    V s[K], d[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) d[i] = Base::real_sub(x[i], y[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) s[i] = Base::real_add(x[i], y[i]);
    Product::multiply(y, d, w, c);
    Product::multiply(x, s, scale, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = reduce_forward(x[i], c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = reduce_forward(y[i], c);
  }

  /// |v| <= 1.6 q -> a word in [0, q): (v + 1/2) / q stays away from integers, so its rounded value has the
  /// same floor.
  static NTTF_KERNEL V reduce_forward(V v, const Constants& c) {
    const V quotient = Base::real_floor(Base::real_fma(v, c.inverse, c.half_inverse));
    const V result = Base::real_fnma(quotient, c.q, Base::real_add(v, c.two52));
    return Base::bits_to_real(Base::bit_xor(Base::real_to_bits(result), Base::real_to_bits(c.two52)));
  }

 private:
  template <int K>
  static NTTF_KERNEL void multiply(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                   const bool (&wide)[K]) {
    if constexpr (!added) return Product::multiply(t, y, w, c);
    V high[K], low[K], estimate[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Base::real_mul(y[i], w[i].value);
    NTTF_UNROLL for (int i = 0; i < K; ++i) {
      estimate[i] =
          wide[i] ? Base::real_mul(y[i], w[i].quotient) : Base::real_fma(y[i], w[i].quotient, c.middle);
    }
    NTTF_UNROLL for (int i = 0; i < K; ++i) low[i] = Base::real_fms(y[i], w[i].value, high[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) {
      estimate[i] = wide[i] ? Base::real_round(estimate[i]) : Base::real_sub(estimate[i], c.middle);
    }
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Base::real_fnma(estimate[i], c.q, high[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Base::real_add(high[i], low[i]);
  }
  static NTTF_KERNEL V centred(V v, const Constants& c) {
    if constexpr (!added) return Product::centred(v, c);
    const V quotient = Base::real_sub(Base::real_fma(v, c.inverse, c.middle), c.middle);
    return Base::real_fnma(quotient, c.q, v);
  }
};

/// Shoup's product for lanes whose longest multiplications are 32 x 32 -> 64 bits and 32-bit low products: as
/// RoughShoupProduct, and all four cross products of y w - e q modulo 2^64 come from two multiplications of
/// 32-bit words by words with swapped halves (docs/bounds/butterfly64.md).
template <class LanesType>
struct SwappedShoupProduct {
  using Lanes = LanesType;
  using Word = typename Lanes::Word;
  using V = typename Lanes::Vec;
  static constexpr unsigned kBound = 4;
  struct Twiddle {
    V value, swapped, quotient, quotient_high;
  };
  struct Constants {
    V q, q2, bound, twice_bound, minus_q, minus_q_swapped;
  };
  static NTTF_KERNEL Constants constants(Word q) {
    const V minus_q = Lanes::broadcast(Word{0} - q);
    return {Lanes::broadcast(q),
            Lanes::broadcast(2 * q),
            Lanes::broadcast(4 * q),
            Lanes::broadcast(8 * q),
            minus_q,
            Lanes::swap_halves(minus_q)};
  }
  static NTTF_KERNEL Twiddle twiddle(V value, V quotient) {
    return {value, Lanes::swap_halves(value), quotient, Lanes::template shift_right<32>(quotient)};
  }

  template <int K>
  static NTTF_KERNEL void multiply(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    V high[K], cross[K], estimate[K];
    RoughShoupProduct<Lanes>::estimates(estimate, y, w);
    NTTF_UNROLL for (int i = 0; i < K; ++i) cross[i] = Lanes::mul_lo_32(y[i], w[i].swapped);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::mul_32(y[i], w[i].value);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::mul_lo_32(estimate[i], c.minus_q_swapped);
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Lanes::mul_32(estimate[i], c.minus_q);
    NTTF_UNROLL for (int i = 0; i < K; ++i) cross[i] = Lanes::add_32(cross[i], high[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::add(t[i], estimate[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::template shift_left<32>(cross[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) cross[i] = Lanes::upper_halves(cross[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::add(t[i], high[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::add(t[i], cross[i]);
  }
};

/// LazyButterfly, products in [0, B q). stages = 1: forward keeps [0, 2 B q). stages = 2: x is reduced to
/// [0, 2 B q) in the first of two stages only and stays below 4 B q, which must fit a word. Inverse keeps [0,
/// B q).
template <class ProductType, unsigned stages>
struct NarrowLazy : LazyButterfly<ProductType> {
  using Base = LazyButterfly<ProductType>;
  using typename Base::Constants;
  using typename Base::Lanes;
  using typename Base::Product;
  using typename Base::Twiddle;
  using typename Base::V;
  static constexpr unsigned kForwardStages = stages;
  static constexpr bool kFinalReduces = false;
  static constexpr bool inverse_reduces(unsigned, unsigned, int) { return true; }

  template <int K>
  static NTTF_KERNEL void forward(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  const bool (&reduce)[K]) {
    V t[K];
    Product::multiply(t, y, w, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = reduce[i] ? Lanes::reduce_once(x[i], step(c)) : x[i];
    Base::sums(x, y, t, c);
  }

  static NTTF_KERNEL V reduce_forward(V v, const Constants& c) {
    if constexpr (stages == 2) v = Lanes::reduce_once(v, step(c));
    return Base::reduce_forward(v, c);
  }

  template <int K>
  static NTTF_KERNEL void inverse(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  const bool (&)[K]) {
    Base::inverse(x, y, w, c, Step::reduce);
  }

 private:
  static NTTF_KERNEL V step(const Constants& c) {
    if constexpr (stages == 2) {
      return c.twice_bound;
    } else {
      return c.bound;
    }
  }
};

/// StrictButterfly: nothing grows.
template <class ProductType>
struct NarrowStrict : StrictButterfly<ProductType> {
  using Base = StrictButterfly<ProductType>;
  using typename Base::Constants;
  using typename Base::Twiddle;
  using typename Base::V;
  static constexpr unsigned kForwardStages = 1;
  static constexpr bool kFinalReduces = false;
  static constexpr bool inverse_reduces(unsigned, unsigned, int) { return false; }

  template <int K>
  static NTTF_KERNEL void forward(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  const bool (&)[K]) {
    Base::forward(x, y, w, c, Step::keep);
  }

  template <int K>
  static NTTF_KERNEL void inverse(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  const bool (&)[K]) {
    Base::inverse(x, y, w, c, Step::keep);
  }
};

/// y w mod q for q < 2^32 on 64-bit words: with W = ceil(w 2^64 / q), the lower word of y W is the fractional
/// part of y w / q, and q times that, upper word, is the residue itself (docs/bounds/butterfly32.md). W comes
/// in halves.
template <class LanesType>
struct FractionProduct : StrictShoupProduct<LanesType> {
  using Lanes = LanesType;
  using Word = typename Lanes::Word;
  using V = typename Lanes::Vec;
  using typename StrictShoupProduct<LanesType>::Constants;
  struct Twiddle {
    V fraction;
  };
  static NTTF_KERNEL Twiddle twiddle(V lower, V upper) {
    return {Lanes::add(lower, Lanes::template shift_left<32>(upper))};
  }
  template <int K>
  static NTTF_KERNEL void multiply(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::mul_hi(Lanes::mul_lo(y[i], w[i].fraction), c.q);
  }
};

}  // namespace nttforge
