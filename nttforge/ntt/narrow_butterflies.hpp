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
  static constexpr bool kVectorsOfValues = !added;
  static constexpr unsigned kTailGrowth = 4;

  /// A word in [0, q) that is only multiplied: it becomes a mantissa beside a multiple of q.
  static NTTF_KERNEL V enter_factor(V v, const Constants& c) {
    if constexpr (added) return Fp64Types<LanesType>::enter(v);
    return Base::bits_to_real(Base::add(Base::real_to_bits(v), c.factor_bits));
  }
  /// Only sums of sums outgrow their interval; stage s pairs rows that differ in bit log - 1 - s.
  static constexpr bool inverse_reduces(unsigned log, unsigned s, int row) {
    if (log == 4) return s == 2 ? row % 4 == 0 : s == 0 && row < 4;
    if (log == 3) return s == 1 ? row % 4 == 0 : s == 0 && (row == 1 || row == 2);
    return s == 0 && row == 0;
  }

  /// x, y -> x + w y, x - w y.
  template <int K, class AnyTwiddle>
  static NTTF_KERNEL void forward(V (&x)[K], V (&y)[K], const AnyTwiddle (&w)[K], const Constants& c,
                                  const bool (&reduce)[K]) {
    const bool wide[K] = {};
    V t[K];
    multiply(t, y, w, c, wide);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = reduce[i] ? centred(x[i], c) : x[i];
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = Base::real_sub(x[i], t[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Base::real_add(x[i], t[i]);
  }

  /// x, y -> x + y, w (x - y). Where the sum is too large, so is the difference.
  template <int K, class AnyTwiddle>
  static NTTF_KERNEL void inverse(V (&x)[K], V (&y)[K], const AnyTwiddle (&w)[K], const Constants& c,
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
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = reduce_product(x[i], c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = reduce_product(y[i], c);
  }

  /// A product, |t| < q, never -0.0 -> a word in [0, q).
  static NTTF_KERNEL V reduce_product(V t, const Constants& c) {
    const auto offset = Base::select_by_sign(
        Base::real_to_bits(t), Base::real_to_bits(Base::real_add(c.two52, c.q)), Base::real_to_bits(c.two52));
    const V result = Base::real_add(t, Base::bits_to_real(offset));
    return Base::bits_to_real(Base::bit_xor(Base::real_to_bits(result), Base::real_to_bits(c.two52)));
  }

  /// |v| < 2q -> a word in [0, q): (v + 1/2) / q stays away from integers, so its rounded value has the
  /// same floor.
  static NTTF_KERNEL V reduce_forward(V v, const Constants& c) {
    const V quotient = Base::real_floor(Base::real_fma(v, c.inverse, c.half_inverse));
    const V result = Base::real_fnma(quotient, c.q, Base::real_add(v, c.two52));
    return Base::bits_to_real(Base::bit_xor(Base::real_to_bits(result), Base::real_to_bits(c.two52)));
  }

 private:
  template <int K, class AnyTwiddle>
  static NTTF_KERNEL void multiply(V (&t)[K], const V (&y)[K], const AnyTwiddle (&w)[K], const Constants& c,
                                   const bool (&wide)[K]) {
    if constexpr (added) {
      multiply_added(t, y, w, c, wide);
    } else {
      Product::multiply(t, y, w, c);
    }
  }
  template <int K>
  static NTTF_KERNEL void multiply_added(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K],
                                         const Constants& c, const bool (&wide)[K]) {
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
    V q, q2, bound, minus_q, minus_q_swapped;
  };
  static NTTF_KERNEL Constants constants(Word q) {
    const V minus_q = Lanes::broadcast(Word{0} - q);
    return {Lanes::broadcast(q), Lanes::broadcast(2 * q), Lanes::broadcast(4 * q), minus_q,
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

/// Products of halves, for lanes whose longest multiplication is 32 x 32 -> 64 bits, y < 2^62, q < 2^60. With
/// y = y1 2^31 + y0 and table entries u = 2^32 w and v = 2^63 w modulo q, y1 v + y0 u is 2^32 y w and below
/// 2^32 q, and one step of Montgomery's reduction by 2^32 ends in (-q, q). No carry is lost: y has halves of
/// 31 bits, and the lower halves of what is subtracted are equal (docs/bounds/butterfly64.md).
template <class LanesType>
struct HalvesProduct {
  using Lanes = LanesType;
  using Word = typename Lanes::Word;
  using V = typename Lanes::Vec;
  static constexpr unsigned kBound = 2;
  struct Twiddle {
    V low, low_high, high, high_high;  ///< u, its upper half, v, its upper half
  };
  struct Constants {
    V q, q2, bound, q_high, inverse, mask;
  };
  static NTTF_KERNEL Constants constants(Word q) {
    const V q2 = Lanes::broadcast(2 * q);
    return {
        Lanes::broadcast(q),          q2, q2, Lanes::broadcast(q >> 32), Lanes::broadcast(inverse_of_odd(q)),
        Lanes::broadcast(0x7FFFFFFFu)};
  }
  static NTTF_KERNEL Twiddle twiddle(V low, V high) {
    return {low, Lanes::template shift_right<32>(low), high, Lanes::template shift_right<32>(high)};
  }

  /// Modulo 2^64, in (-q, q).
  template <int K>
  static NTTF_KERNEL void multiply_centred(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K],
                                           const Constants& c) {
    V high[K], low[K], lower[K], factor[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::template shift_right<31>(y[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) low[i] = Lanes::bit_and(y[i], c.mask);
    NTTF_UNROLL for (int i = 0; i < K; ++i) lower[i] = Lanes::mul_32(high[i], w[i].high);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::mul_32(high[i], w[i].high_high);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::mul_32(low[i], w[i].low);
    NTTF_UNROLL for (int i = 0; i < K; ++i) low[i] = Lanes::mul_32(low[i], w[i].low_high);
    NTTF_UNROLL for (int i = 0; i < K; ++i) lower[i] = Lanes::add(lower[i], high[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) factor[i] = Lanes::mul_32(lower[i], c.inverse);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::add(t[i], low[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) lower[i] = Lanes::template shift_right<32>(lower[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::mul_32(factor[i], c.q);
    NTTF_UNROLL for (int i = 0; i < K; ++i) factor[i] = Lanes::mul_32(factor[i], c.q_high);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::add(t[i], lower[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::template shift_right<32>(high[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::sub(t[i], factor[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::sub(t[i], high[i]);
  }

  template <int K>
  static NTTF_KERNEL void multiply(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    multiply_centred(t, y, w, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::add(t[i], c.q);
  }
};

/// LazyButterfly: x is reduced in every stage.
template <class ProductType>
struct NarrowLazy : LazyButterfly<ProductType> {
  using Base = LazyButterfly<ProductType>;
  using typename Base::Constants;
  using typename Base::Twiddle;
  using typename Base::V;
  static constexpr unsigned kForwardStages = 1;
  static constexpr bool kFinalReduces = false;
  static constexpr bool inverse_reduces(unsigned, unsigned, int) { return true; }

  template <int K>
  static NTTF_KERNEL void forward(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  const bool (&)[K]) {
    Base::forward(x, y, w, c, Step::reduce);
  }
  template <int K>
  static NTTF_KERNEL void inverse(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  const bool (&)[K]) {
    Base::inverse(x, y, w, c, Step::reduce);
  }
};

/// NarrowLazy over HalvesProduct: the offset of products comes with the reduction of x.
template <class LanesType>
struct HalvesButterfly : NarrowLazy<HalvesProduct<LanesType>> {
  using Base = NarrowLazy<HalvesProduct<LanesType>>;
  using typename Base::Constants;
  using typename Base::Lanes;
  using typename Base::Product;
  using typename Base::Twiddle;
  using typename Base::V;

  template <int K>
  static NTTF_KERNEL void forward(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  const bool (&)[K]) {
    V t[K];
    Product::multiply_centred(t, y, w, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::add(Lanes::reduce_once(x[i], c.q2), c.q);
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = Lanes::sub(x[i], t[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::add(x[i], t[i]);
  }
  template <int K>
  static NTTF_KERNEL void inverse(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  const bool (&)[K]) {
    V d[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) d[i] = Lanes::sub(Lanes::add(x[i], c.bound), y[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::add(x[i], y[i]);
    Product::multiply(y, d, w, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::reduce_once(x[i], c.q2);
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
