// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cooley-Tukey (forward) and Gentleman-Sande (inverse) butterflies over a product (products.hpp), K at once.
// What a butterfly offers to the stage loops:
//   enter            a word of the caller, in [0, q), as the loops hold it
//   enter_lazy       a word of the caller in [0, 2q), likewise, as one in [0, q)
//   forward, inverse K butterflies; what `Step` is for, see there
//   forward_last     the last stage of all, fully reduced: words of the caller in [0, q)
//   inverse_last     the same, with the factor 1/n
//   reduce_forward   as the loops hold it -> a word of the caller in [0, q)

#include <cstdint>

#include "nttforge/base/macros.hpp"
#include "nttforge/ntt/kernels/products/products.hpp"

namespace nttforge {

/// Where a stage stands: the first of the transform, where words in [0, q) enter, one where butterflies whose
/// values grow reduce them, or one where they need not.
enum class Step { first, reduce, keep };

template <class ProductType>
struct ButterflyTypes {
  using Product = ProductType;
  using Lanes = typename Product::Lanes;
  using Word = typename Product::Word;
  using V = typename Product::V;
  using Twiddle = typename Product::Twiddle;
  using Constants = typename Product::Constants;
  static constexpr bool kConverts = false;  ///< whether enter changes anything
  static constexpr bool kSigned = false;    ///< whether rows carry signs and roles (ifma_butterfly.hpp)
  static constexpr unsigned kKept = 2;      ///< most forward stages in a row with Step::keep
  /// Whether words in [0, 4q) may enter a forward transform by Step::first; otherwise they do by
  /// Step::reduce.
  static constexpr bool kLazyFirst = true;
  static NTTF_KERNEL V enter(V v) { return v; }
  static NTTF_KERNEL V enter_lazy(V v, const Constants& c) { return Lanes::reduce_once(v, c.q); }
};

/// Lazy butterflies of [Har14]. With products in [0, B q), B = Product::kBound, forward keeps [0, 2 B q) and
/// inverse [0, B q); needs 2 B q <= 2^word, for the 52-bit product 2^52.
template <class ProductType>
struct LazyButterfly : ButterflyTypes<ProductType> {
  using Types = ButterflyTypes<ProductType>;
  using typename Types::Constants;
  using typename Types::Lanes;
  using typename Types::Product;
  using typename Types::Twiddle;
  using typename Types::V;
  static constexpr bool kLazyFirst = Product::kBound >= 4;

  /// x, y -> x + w y, x - w y.
  template <int K>
  static NTTF_KERNEL void forward(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  Step step) {
    V t[K];
    promise(x, c.bound, 2);
    Product::multiply(t, y, w, c);
    promise(t, c.bound, 1);
    if (step != Step::first) {
      NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::reduce_once(x[i], c.bound);
    }
    sums(x, y, t, c);
    promise(x, c.bound, 2);
    promise(y, c.bound, 2);
  }

  static NTTF_KERNEL V reduce_forward(V v, const Constants& c) {
    return reduce_product<Product>(Lanes::reduce_once(v, c.bound), c);
  }
  template <int K>
  static NTTF_KERNEL void forward_last(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    last_of<LazyButterfly>(x, y, w, c);
  }

  /// x, y -> x + y, w (x - y).
  template <int K>
  static NTTF_KERNEL void inverse(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  Step step) {
    V d[K];
    promise(x, c.bound, 1);
    promise(y, c.bound, 1);
    NTTF_UNROLL for (int i = 0; i < K; ++i) d[i] = Lanes::sub(Lanes::add(x[i], c.bound), y[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::add(x[i], y[i]);
    Product::multiply(y, d, w, c);
    if (step != Step::first) {
      NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::reduce_once(x[i], c.bound);
    }
    promise(x, c.bound, 1);
    promise(y, c.bound, 1);
  }

  /// x, y -> scale (x + y), w (x - y); w holds the scale too.
  template <int K>
  static NTTF_KERNEL void inverse_last(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Twiddle (&scale)[K],
                                       const Constants& c) {
    V d[K], s[K];
    promise(x, c.bound, 1);
    promise(y, c.bound, 1);
    NTTF_UNROLL for (int i = 0; i < K; ++i) d[i] = Lanes::sub(Lanes::add(x[i], c.bound), y[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) s[i] = Lanes::add(x[i], y[i]);
    Product::multiply(y, d, w, c);
    Product::multiply(x, s, scale, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = reduce_product<Product>(x[i], c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = reduce_product<Product>(y[i], c);
  }

 protected:
  /// The checked build asserts that v is in [0, times bound).
  template <int K>
  static NTTF_KERNEL void promise([[maybe_unused]] const V (&v)[K], [[maybe_unused]] const V& bound,
                                  [[maybe_unused]] unsigned times) {
    if constexpr (requires { Lanes::promise_below(v[0], bound, times); }) {
      for (int i = 0; i < K; ++i) Lanes::promise_below(v[i], bound, times);
    }
  }
  /// x and the product are reduced before they are added, which takes fewer steps than afterwards.
  template <class Butterfly, int K>
  static NTTF_KERNEL void last_of(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    V t[K];
    Product::multiply(t, y, w, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Butterfly::reduce_forward(x[i], c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = reduce_product<Product>(t[i], c);
    promise(x, c.q, 1);
    promise(t, c.q, 1);
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = Lanes::sub(x[i], t[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::reduce_once(Lanes::add(x[i], t[i]), c.q);
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = Lanes::add_if_negative(y[i], c.q);
  }
  /// x, y -> x + t, x - t for products t.
  template <int K>
  static NTTF_KERNEL void sums(V (&x)[K], V (&y)[K], const V (&t)[K], const Constants& c) {
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = Lanes::sub(Lanes::add(x[i], c.bound), t[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::add(x[i], t[i]);
  }
};

/// Lazy butterflies for moduli with a bit more room: 4 B q <= 2^word. Forward values lie in [0, 4 B q) and x
/// is reduced, to [0, 2 B q), in every second stage only.
template <class ProductType>
struct RoomyButterfly : LazyButterfly<ProductType> {
  using Base = LazyButterfly<ProductType>;
  using typename Base::Constants;
  using typename Base::Lanes;
  using typename Base::Product;
  using typename Base::Twiddle;
  using typename Base::V;
  static constexpr unsigned kKept = 1;
  static constexpr bool kLazyFirst = true;

  template <int K>
  static NTTF_KERNEL void forward(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  Step step) {
    V t[K];
    Base::promise(x, c.bound, 4);
    Product::multiply(t, y, w, c);
    if (step == Step::reduce) {
      const V bound = Lanes::add(c.bound, c.bound);
      NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::reduce_once(x[i], bound);
    }
    Base::promise(x, c.bound, 3);
    Base::sums(x, y, t, c);
    Base::promise(x, c.bound, 4);
    Base::promise(y, c.bound, 4);
  }
  static NTTF_KERNEL V reduce_forward(V v, const Constants& c) {
    return Base::reduce_forward(Lanes::reduce_once(v, Lanes::add(c.bound, c.bound)), c);
  }
  template <int K>
  static NTTF_KERNEL void forward_last(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    Base::template last_of<RoomyButterfly>(x, y, w, c);
  }
};

/// Butterflies that keep every value in [0, q): for moduli without room above them. The product brings exact
/// multiply, add and sub.
template <class ProductType>
struct StrictButterfly : ButterflyTypes<ProductType> {
  using Types = ButterflyTypes<ProductType>;
  using typename Types::Constants;
  using typename Types::Product;
  using typename Types::Twiddle;
  using typename Types::V;

  template <int K>
  static NTTF_KERNEL void forward(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c, Step) {
    V t[K];
    Product::multiply(t, y, w, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = Product::sub(x[i], t[i], c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Product::add(x[i], t[i], c);
  }

  static NTTF_KERNEL V reduce_forward(V v, const Constants&) { return v; }
  template <int K>
  static NTTF_KERNEL void forward_last(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    forward(x, y, w, c, Step::keep);
  }

  template <int K>
  static NTTF_KERNEL void inverse(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c, Step) {
    V d[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) d[i] = Product::sub(x[i], y[i], c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Product::add(x[i], y[i], c);
    Product::multiply(y, d, w, c);
  }

  template <int K>
  static NTTF_KERNEL void inverse_last(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Twiddle (&scale)[K],
                                       const Constants& c) {
    V s[K];
    inverse(x, y, w, c, Step::reduce);
    NTTF_UNROLL for (int i = 0; i < K; ++i) s[i] = x[i];
    Product::multiply(x, s, scale, c);
  }
};

}  // namespace nttforge
