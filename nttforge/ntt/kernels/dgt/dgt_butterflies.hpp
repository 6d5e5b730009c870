// SPDX-License-Identifier: Apache-2.0
#pragma once

// Butterflies in GF(q)[i], over the products of dgt_products.hpp; what dgt_loops.hpp asks of one:
//   enter, leave        a word of the caller in [0, q) <-> as the loops hold it, part by part
//   forward, inverse    K butterflies; `reduce` is set in every second forward stage of a pass
//   inverse_last        the last stage, with the factor 1/(n/2), fully reduced

#include "nttforge/base/macros.hpp"
#include "nttforge/ntt/kernels/dgt/dgt_products.hpp"

namespace nttforge {

/// Sums says how parts are added and subtracted: add(a, b, c), sub(a, b, c).
template <class ProductType, class Sums>
struct ComplexTypes {
  using Product = ProductType;
  using Lanes = typename Product::Lanes;
  using Word = typename Product::Word;
  using Part = typename Product::V;
  using V = ComplexOf<Lanes>;
  using Twiddle = typename Product::Twiddle;
  using Constants = typename Product::Constants;
  static NTTF_KERNEL Part enter(Part v) { return v; }

  /// Applies f to both parts of x[i] and y[i].
  template <int K, class Function>
  static NTTF_KERNEL void each_part(V (&x)[K], const V (&y)[K], const Function& f) {
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i].re = f(x[i].re, y[i].re);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i].im = f(x[i].im, y[i].im);
  }
  /// x, y -> x + t, x - t.
  template <int K>
  static NTTF_KERNEL void sums(V (&x)[K], V (&y)[K], const V (&t)[K], const Constants& c) {
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = x[i];
    each_part(y, t, [&](Part a, Part b) NTTF_LAMBDA_INLINE { return Sums::sub(a, b, c); });
    each_part(x, t, [&](Part a, Part b) NTTF_LAMBDA_INLINE { return Sums::add(a, b, c); });
  }
  /// x, y -> x + y, w (x - y).
  template <int K>
  static NTTF_KERNEL void sum_and_product(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    V d[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) d[i] = x[i];
    each_part(d, y, [&](Part a, Part b) NTTF_LAMBDA_INLINE { return Sums::sub(a, b, c); });
    each_part(x, y, [&](Part a, Part b) NTTF_LAMBDA_INLINE { return Sums::add(a, b, c); });
    Product::multiply(y, d, w, c);
  }
  template <int K>
  static NTTF_KERNEL void scale_parts(V (&x)[K], const Twiddle& scale, const Constants& c) {
    Part parts[2 * K], scaled[2 * K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) parts[2 * i] = x[i].re;
    NTTF_UNROLL for (int i = 0; i < K; ++i) parts[2 * i + 1] = x[i].im;
    Product::multiply_real(scaled, parts, scale, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = {scaled[2 * i], scaled[2 * i + 1]};
  }
};

template <class Product>
struct LazySums {
  using Lanes = typename Product::Lanes;
  using Part = typename Product::V;
  using Constants = typename Product::Constants;
  static NTTF_KERNEL Part add(Part a, Part b, const Constants&) { return Lanes::add(a, b); }
  static NTTF_KERNEL Part sub(Part a, Part b, const Constants& c) {
    return Lanes::sub(Lanes::add(a, c.bound), b);
  }
};

/// With products in [0, B q), B = Product::kBound, forward keeps parts in [0, 2 B q) and inverse in [0, B q),
/// as LazyButterfly does.
template <class ProductType>
struct LazyComplexButterfly : ComplexTypes<ProductType, LazySums<ProductType>> {
  using Types = ComplexTypes<ProductType, LazySums<ProductType>>;
  using typename Types::Constants;
  using typename Types::Lanes;
  using typename Types::Part;
  using typename Types::Product;
  using typename Types::Twiddle;
  using typename Types::V;

  template <int K>
  static NTTF_KERNEL void forward(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c, bool) {
    V t[K];
    Product::multiply(t, y, w, c);
    Types::each_part(x, x, [&](Part a, Part) NTTF_LAMBDA_INLINE { return Lanes::reduce_once(a, c.bound); });
    Types::sums(x, y, t, c);
  }

  static NTTF_KERNEL Part leave(Part v, const Constants& c) {
    return reduce_product<Product>(Lanes::reduce_once(v, c.bound), c);
  }

  template <int K>
  static NTTF_KERNEL void inverse(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    Types::sum_and_product(x, y, w, c);
    Types::each_part(x, x, [&](Part a, Part) NTTF_LAMBDA_INLINE { return Lanes::reduce_once(a, c.bound); });
  }

  template <int K>
  static NTTF_KERNEL void inverse_last(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Twiddle& scale,
                                       const Constants& c) {
    Types::sum_and_product(x, y, w, c);
    Types::scale_parts(x, scale, c);
    const auto reduce = [&](Part a, Part) NTTF_LAMBDA_INLINE { return reduce_product<Product>(a, c); };
    Types::each_part(x, x, reduce);
    Types::each_part(y, y, reduce);
  }
};

/// Parts in [0, q) throughout.
template <class ProductType>
struct StrictComplexButterfly : ComplexTypes<ProductType, typename ProductType::Single> {
  using Types = ComplexTypes<ProductType, typename ProductType::Single>;
  using typename Types::Constants;
  using typename Types::Part;
  using typename Types::Product;
  using typename Types::Twiddle;
  using typename Types::V;

  template <int K>
  static NTTF_KERNEL void forward(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c, bool) {
    V t[K];
    Product::multiply(t, y, w, c);
    Types::sums(x, y, t, c);
  }

  static NTTF_KERNEL Part leave(Part v, const Constants&) { return v; }

  template <int K>
  static NTTF_KERNEL void inverse(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    Types::sum_and_product(x, y, w, c);
  }

  template <int K>
  static NTTF_KERNEL void inverse_last(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Twiddle& scale,
                                       const Constants& c) {
    inverse(x, y, w, c);
    Types::scale_parts(x, scale, c);
  }
};

template <class LanesType>
struct RealSums {
  using Part = typename LanesType::Real;
  template <class Constants>
  static NTTF_KERNEL Part add(Part a, Part b, const Constants&) {
    return LanesType::real_add(a, b);
  }
  template <class Constants>
  static NTTF_KERNEL Part sub(Part a, Part b, const Constants&) {
    return LanesType::real_sub(a, b);
  }
};

/// Doubles: forward centres x in every second stage, inverse the sum in every one. |parts| <= 4.3 q forward,
/// 2.1 q inverse (docs/bounds/dgt.md).
template <class LanesType>
struct Fp64ComplexButterfly : ComplexTypes<ComplexFp64Product<LanesType>, RealSums<LanesType>> {
  using Types = ComplexTypes<ComplexFp64Product<LanesType>, RealSums<LanesType>>;
  using typename Types::Constants;
  using typename Types::Part;
  using typename Types::Product;
  using typename Types::Twiddle;
  using typename Types::V;
  using Single = Fp64Butterfly<LanesType>;

  static NTTF_KERNEL Part enter(Part v) { return Single::enter(v); }
  static NTTF_KERNEL Part leave(Part v, const Constants& c) { return Single::reduce_forward(v, c); }

  template <int K>
  static NTTF_KERNEL void forward(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  bool reduce) {
    V t[K];
    Product::multiply(t, y, w, c);
    if (reduce) centre(x, c);
    Types::sums(x, y, t, c);
  }

  template <int K>
  static NTTF_KERNEL void inverse(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    Types::sum_and_product(x, y, w, c);
    centre(x, c);
  }

  template <int K>
  static NTTF_KERNEL void inverse_last(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Twiddle& scale,
                                       const Constants& c) {
    Types::sum_and_product(x, y, w, c);
    Types::scale_parts(x, scale, c);
    const auto finish = [&](Part a, Part) NTTF_LAMBDA_INLINE { return leave(a, c); };
    Types::each_part(x, x, finish);
    Types::each_part(y, y, finish);
  }

 private:
  template <int K>
  static NTTF_KERNEL void centre(V (&x)[K], const Constants& c) {
    Part parts[2 * K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) parts[2 * i] = x[i].re;
    NTTF_UNROLL for (int i = 0; i < K; ++i) parts[2 * i + 1] = x[i].im;
    Product::Single::centre(parts, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = {parts[2 * i], parts[2 * i + 1]};
  }
};

}  // namespace nttforge
