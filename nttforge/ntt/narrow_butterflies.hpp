#pragma once

// Butterflies for split_passes.hpp: like those of butterflies.hpp, but told for each x whether to reduce it,
// so that values are reduced only where they would outgrow their words.
//   kForwardStages    stages that forward does between two reductions of x (docs/bounds/)
//   kFinalReduces     whether forward reduces x in the very last stage, whatever was done before
//   inverse_reduces   whether inverse reduces the x in `row` of stage s, when 2^log rows go through `log`
//   stages

#include <cstdint>

#include "nttforge/base/macros.hpp"
#include "nttforge/ntt/fp64_butterfly.hpp"
#include "nttforge/ntt/products.hpp"

namespace nttforge {

/// Doubles: docs/bounds/fp64.md, "Sparse centring". `added`: quotients are rounded by adding and subtracting
/// 1.5 2^52, in one fused operation less on cores whose rounding instruction takes two; needs |y| <= 4q.
template <class LanesType, bool added>
struct NarrowFp64 {
  using Product = Fp64Product<LanesType>;
  using Base = LanesType;
  using Lanes = typename Product::Lanes;
  using Word = typename Product::Word;
  using V = typename Product::V;
  using Twiddle = typename Product::Twiddle;
  using Constants = typename Product::Constants;
  static constexpr bool kConverts = true;
  static constexpr unsigned kForwardStages = added ? 5 : 8;
  static constexpr bool kFinalReduces = true;
  /// Only sums of sums outgrow their interval; stage s pairs rows that differ in bit log - 1 - s.
  static constexpr bool inverse_reduces(unsigned log, unsigned s, int row) {
    if (log == 4) return s == 2 ? row % 4 == 0 : s == 0 && row < 4;
    if (log == 3) return s == 1 ? row % 4 == 0 : s == 0 && (row == 1 || row == 2);
    return s == 0 && row == 0;
  }

  static NTTF_KERNEL V enter(V v) { return Base::to_real(Base::real_to_bits(v)); }

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
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::template shift_right<32>(y[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) cross[i] = Lanes::mul_32(y[i], w[i].quotient_high);
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Lanes::mul_32(high[i], w[i].quotient_high);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::mul_32(high[i], w[i].quotient);
    NTTF_UNROLL for (int i = 0; i < K; ++i) cross[i] = Lanes::template shift_right<32>(cross[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::template shift_right<32>(high[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Lanes::add(estimate[i], cross[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Lanes::add(estimate[i], high[i]);
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

/// Lazy butterflies, products in [0, B q). stages = 1: forward keeps [0, 2 B q). stages = 2: x is reduced to
/// [0, 2 B q) in the first of two stages only and stays below 4 B q, which must fit a word. Inverse keeps [0,
/// B q).
template <class ProductType, unsigned stages>
struct NarrowLazy {
  using Product = ProductType;
  using Lanes = typename Product::Lanes;
  using Word = typename Product::Word;
  using V = typename Product::V;
  using Twiddle = typename Product::Twiddle;
  using Constants = typename Product::Constants;
  static constexpr bool kConverts = false;
  static constexpr unsigned kForwardStages = stages;
  static constexpr bool kFinalReduces = false;
  static constexpr bool inverse_reduces(unsigned, unsigned, int) { return true; }
  static NTTF_KERNEL V enter(V v) { return v; }

  template <int K>
  static NTTF_KERNEL void forward(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  const bool (&reduce)[K]) {
    V t[K];
    Product::multiply(t, y, w, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = reduce[i] ? Lanes::reduce_once(x[i], step(c)) : x[i];
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = Lanes::sub(Lanes::add(x[i], c.bound), t[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::add(x[i], t[i]);
  }

  static NTTF_KERNEL V reduce_forward(V v, const Constants& c) {
    if constexpr (stages == 2) v = Lanes::reduce_once(v, step(c));
    return reduce_product(Lanes::reduce_once(v, c.bound), c);
  }

  template <int K>
  static NTTF_KERNEL void inverse(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  const bool (&)[K]) {
    V d[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) d[i] = Lanes::sub(Lanes::add(x[i], c.bound), y[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::add(x[i], y[i]);
    Product::multiply(y, d, w, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::reduce_once(x[i], c.bound);
  }

  template <int K>
  static NTTF_KERNEL void inverse_last(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Twiddle (&scale)[K],
                                       const Constants& c) {
    V d[K], s[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) d[i] = Lanes::sub(Lanes::add(x[i], c.bound), y[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) s[i] = Lanes::add(x[i], y[i]);
    Product::multiply(y, d, w, c);
    Product::multiply(x, s, scale, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = reduce_product(x[i], c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = reduce_product(y[i], c);
  }

 private:
  static NTTF_KERNEL V step(const Constants& c) {
    if constexpr (stages == 2) {
      return c.twice_bound;
    } else {
      return c.bound;
    }
  }
  /// [0, B q) -> [0, q).
  static NTTF_KERNEL V reduce_product(V v, const Constants& c) {
    static_assert(Product::kBound == 2 || Product::kBound == 4);
    if constexpr (Product::kBound == 4) v = Lanes::reduce_once(v, c.q2);
    return Lanes::reduce_once(v, c.q);
  }
};

/// Every value in [0, q), the product exact: for moduli without room above them. The product brings multiply,
/// add, sub.
template <class ProductType>
struct NarrowStrict {
  using Product = ProductType;
  using Lanes = typename Product::Lanes;
  using Word = typename Product::Word;
  using V = typename Product::V;
  using Twiddle = typename Product::Twiddle;
  using Constants = typename Product::Constants;
  static constexpr bool kConverts = false;
  static constexpr unsigned kForwardStages = 1;
  static constexpr bool kFinalReduces = false;
  static constexpr bool inverse_reduces(unsigned, unsigned, int) { return false; }
  static NTTF_KERNEL V enter(V v) { return v; }
  static NTTF_KERNEL V reduce_forward(V v, const Constants&) { return v; }

  template <int K>
  static NTTF_KERNEL void forward(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  const bool (&)[K]) {
    V t[K];
    Product::multiply(t, y, w, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = Product::sub(x[i], t[i], c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Product::add(x[i], t[i], c);
  }

  template <int K>
  static NTTF_KERNEL void inverse(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  const bool (&)[K]) {
    V d[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) d[i] = Product::sub(x[i], y[i], c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Product::add(x[i], y[i], c);
    Product::multiply(y, d, w, c);
  }

  template <int K>
  static NTTF_KERNEL void inverse_last(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Twiddle (&scale)[K],
                                       const Constants& c) {
    const bool none[K] = {};
    V s[K];
    inverse(x, y, w, c, none);
    NTTF_UNROLL for (int i = 0; i < K; ++i) s[i] = x[i];
    Product::multiply(x, s, scale, c);
  }
};

/// y w mod q for q < 2^32 on 64-bit words: with W = ceil(w 2^64 / q), the lower word of y W is the fractional
/// part of y w / q, and q times that, upper word, is the residue itself (docs/bounds/butterfly32.md). W comes
/// in halves.
template <class LanesType>
struct FractionProduct {
  using Lanes = LanesType;
  using Word = typename Lanes::Word;
  using V = typename Lanes::Vec;
  struct Twiddle {
    V fraction;
  };
  struct Constants {
    V q, q2, bound;
  };
  static NTTF_KERNEL Constants constants(Word q) {
    const V v = Lanes::broadcast(q);
    return {v, v, v};
  }
  static NTTF_KERNEL Twiddle twiddle(V lower, V upper) {
    return {Lanes::add(lower, Lanes::template shift_left<32>(upper))};
  }
  template <int K>
  static NTTF_KERNEL void multiply(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::mul_hi(Lanes::mul_lo(y[i], w[i].fraction), c.q);
  }
  static NTTF_KERNEL V add(V a, V b, const Constants& c) { return Lanes::reduce_once(Lanes::add(a, b), c.q); }
  static NTTF_KERNEL V sub(V a, V b, const Constants& c) {
    return Lanes::add_if_negative(Lanes::sub(a, b), c.q);
  }
};

}  // namespace nttforge
