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

/// Doubles: docs/bounds/fp64.md, "Sparse centring".
template <class LanesType>
struct NarrowFp64 {
  struct Product : Fp64Product<LanesType> {
    using Base = Fp64Product<LanesType>;
    static NTTF_KERNEL typename Base::Twiddle twiddle_vectors(const typename Base::Word* p) {
      return {Base::Lanes::load(p), Base::Lanes::load(p + Base::Lanes::kWidth)};
    }
  };
  using Base = LanesType;
  using Lanes = typename Product::Lanes;
  using Word = typename Product::Word;
  using V = typename Product::V;
  using Twiddle = typename Product::Twiddle;
  using Constants = typename Product::Constants;
  static constexpr bool kConverts = true;
  static constexpr unsigned kForwardStages = 8;
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
    V t[K];
    Product::multiply(t, y, w, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = reduce[i] ? Product::centred(x[i], c) : x[i];
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = Base::real_sub(x[i], t[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Base::real_add(x[i], t[i]);
  }

  /// x, y -> x + y, w (x - y).
  template <int K>
  static NTTF_KERNEL void inverse(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  const bool (&reduce)[K]) {
    V d[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) d[i] = Base::real_sub(x[i], y[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Base::real_add(x[i], y[i]);
    Product::multiply(y, d, w, c);
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
};

}  // namespace nttforge
