// SPDX-License-Identifier: Apache-2.0
#pragma once

// Butterflies in doubles for sixteen registers, as sparse_butterflies.hpp has them for words.

#include "nttforge/base/macros.hpp"
#include "nttforge/ntt/kernels/fp64_butterfly.hpp"
#include "nttforge/ntt/kernels/products/products.hpp"

namespace nttforge {

/// How quotients are rounded to integers.
enum class Rounding {
  instruction,
  addition,  ///< of 1.5 2^52 and subtraction: an operation less where the instruction takes two; |y| <= 4q
};

/// Doubles: docs/bounds/fp64.md, "Sparse centring".
template <class LanesType, Rounding rounding>
struct SparseFp64 : Fp64Types<LanesType> {
  static constexpr bool kAdded = rounding == Rounding::addition;
  using Base = LanesType;
  using typename Fp64Types<LanesType>::Constants;
  using typename Fp64Types<LanesType>::Product;
  using typename Fp64Types<LanesType>::Twiddle;
  using typename Fp64Types<LanesType>::V;
  static constexpr unsigned kForwardStages = kAdded ? 5 : 8;
  static constexpr bool kFinalReduces = true;
  static constexpr bool kVectorsOfValues = !kAdded;
  static constexpr unsigned kTailGrowth = 4;

  /// A word in [0, q) that is only multiplied: it becomes a mantissa beside a multiple of q.
  static NTTF_KERNEL V enter_factor(V v, const Constants& c) {
    if constexpr (kAdded) return Fp64Types<LanesType>::enter(v);
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
    if constexpr (kAdded) {
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
    if constexpr (!kAdded) return Product::centred(v, c);
    const V quotient = Base::real_sub(Base::real_fma(v, c.inverse, c.middle), c.middle);
    return Base::real_fnma(quotient, c.q, v);
  }
};

}  // namespace nttforge
