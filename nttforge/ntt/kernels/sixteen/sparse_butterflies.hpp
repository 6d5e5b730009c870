// SPDX-License-Identifier: Apache-2.0
#pragma once

// Butterflies with sparse reductions, for tail_passes.hpp: like those of butterflies.hpp, but told for each x
// whether to reduce it, so that values are reduced only where they would outgrow their words.
//   kForwardStages    stages that forward does between two reductions of x (docs/bounds/)
//   kFinalReduces     whether forward reduces x in the very last stage, whatever was done before
//   inverse_reduces   whether inverse reduces the x in `row` of stage s, when 2^log rows go through `log`
//   stages

#include "nttforge/base/macros.hpp"
#include "nttforge/ntt/kernels/butterflies.hpp"
#include "nttforge/ntt/kernels/sixteen/short_products.hpp"

namespace nttforge {

/// LazyButterfly with that interface: it reduces x in every stage.
template <class ProductType>
struct SparseLazy : LazyButterfly<ProductType> {
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

/// SparseLazy over HalvesProduct: the offset of products comes with the reduction of x.
template <class LanesType>
struct HalvesButterfly : SparseLazy<HalvesProduct<LanesType>> {
  using Base = SparseLazy<HalvesProduct<LanesType>>;
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

/// StrictButterfly with that interface: no value grows.
template <class ProductType>
struct SparseStrict : StrictButterfly<ProductType> {
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

}  // namespace nttforge
