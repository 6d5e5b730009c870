#pragma once

// The arithmetic of one stage, over any lane type (cpu/lanes_scalar.hpp says what one is).
//
// A Product multiplies by a table entry; a Butterfly joins products to Cooley-Tukey (forward) and
// Gentleman-Sande (inverse) butterflies. Both work on K independent butterflies at once, one operation at a
// time over all of them: compilers keep that order, and K independent chains hide the latency of the
// multiplier.

#include <cstdint>

#include "nttforge/base/macros.hpp"

#define NTTF_UNROLL _Pragma("GCC unroll 32")

namespace nttforge {

/// y w mod q in [0, 2q) by Shoup's precomputed quotient [Har14]; any word y; word = 64 bits or 32
/// (docs/bounds/butterfly64.md, butterfly32.md).
template <class LanesType>
struct ShoupProduct {
  using Lanes = LanesType;
  using Word = typename Lanes::Word;
  using V = typename Lanes::Vec;
  struct Twiddle {
    V value, quotient;
  };
  struct Constants {
    V q, q2;
  };
  static NTTF_INLINE Constants constants(Word q) {
    return {Lanes::broadcast(q), Lanes::broadcast(static_cast<Word>(2 * q))};
  }
  static NTTF_INLINE Twiddle twiddle(V value, V quotient) { return {value, quotient}; }

  template <int K>
  static NTTF_INLINE void multiply(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    V estimate[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Lanes::mul_hi(y[i], w[i].quotient);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::mul_lo(y[i], w[i].value);
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Lanes::mul_lo(estimate[i], c.q);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::sub(t[i], estimate[i]);
  }
};

/// Lazy butterflies of [Har14]: forward keeps [0, 4q), inverse [0, 2q); needs 4q <= 2^word (2^52 for the
/// 52-bit product).
template <class ProductType>
struct LazyButterfly {
  using Product = ProductType;
  using Lanes = typename Product::Lanes;
  using Word = typename Product::Word;
  using V = typename Product::V;
  using Twiddle = typename Product::Twiddle;
  using Constants = typename Product::Constants;

  /// x, y in [0, 4q) -> x + w y, x - w y in [0, 4q).
  template <int K>
  static NTTF_INLINE void forward(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    V t[K];
    Product::multiply(t, y, w, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::reduce_once(x[i], c.q2);
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = Lanes::sub(Lanes::add(x[i], c.q2), t[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::add(x[i], t[i]);
  }

  /// [0, 4q) -> [0, q).
  static NTTF_INLINE V reduce_forward(V v, const Constants& c) {
    v = Lanes::reduce_once(v, c.q2);
    return Lanes::reduce_once(v, c.q);
  }

  /// x, y in [0, 2q) -> x + y, w (x - y) in [0, 2q).
  template <int K>
  static NTTF_INLINE void inverse(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    V d[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) d[i] = Lanes::sub(Lanes::add(x[i], c.q2), y[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::add(x[i], y[i]);
    Product::multiply(y, d, w, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::reduce_once(x[i], c.q2);
  }

  /// The last stage: x, y in [0, 2q) -> scale (x + y), w (x - y) in [0, q); w holds the scale too.
  template <int K>
  static NTTF_INLINE void inverse_last(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Twiddle (&scale)[K],
                                       const Constants& c) {
    V d[K], s[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) d[i] = Lanes::sub(Lanes::add(x[i], c.q2), y[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) s[i] = Lanes::add(x[i], y[i]);
    Product::multiply(y, d, w, c);
    Product::multiply(x, s, scale, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::reduce_once(x[i], c.q);
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = Lanes::reduce_once(y[i], c.q);
  }
};

/// Butterflies that keep every value in [0, q): for moduli without room above them. The product brings exact
/// multiply, add and sub.
template <class ProductType>
struct StrictButterfly {
  using Product = ProductType;
  using Lanes = typename Product::Lanes;
  using Word = typename Product::Word;
  using V = typename Product::V;
  using Twiddle = typename Product::Twiddle;
  using Constants = typename Product::Constants;

  template <int K>
  static NTTF_INLINE void forward(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    V t[K];
    Product::multiply(t, y, w, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = Product::sub(x[i], t[i], c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Product::add(x[i], t[i], c);
  }

  static NTTF_INLINE V reduce_forward(V v, const Constants&) { return v; }

  template <int K>
  static NTTF_INLINE void inverse(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    V d[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) d[i] = Product::sub(x[i], y[i], c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Product::add(x[i], y[i], c);
    Product::multiply(y, d, w, c);
  }

  template <int K>
  static NTTF_INLINE void inverse_last(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Twiddle (&scale)[K],
                                       const Constants& c) {
    V s[K];
    inverse(x, y, w, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) s[i] = x[i];
    Product::multiply(x, s, scale, c);
  }
};

/// Exact product for q < 2^32 with 64-bit values: [0, q) x [0, q) -> [0, q) (docs/bounds/butterfly32.md).
template <class LanesType>
struct StrictShoupProduct : ShoupProduct<LanesType> {
  using Base = ShoupProduct<LanesType>;
  using Lanes = LanesType;
  using Word = typename Lanes::Word;
  using V = typename Lanes::Vec;
  using typename Base::Constants;
  using typename Base::Twiddle;

  static NTTF_INLINE Constants constants(Word q) { return {Lanes::broadcast(q), Lanes::broadcast(q)}; }

  template <int K>
  static NTTF_INLINE void multiply(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    Base::multiply(t, y, w, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::reduce_once(t[i], c.q);
  }
  static NTTF_INLINE V add(V a, V b, const Constants& c) { return Lanes::reduce_once(Lanes::add(a, b), c.q); }
  static NTTF_INLINE V sub(V a, V b, const Constants& c) {
    return Lanes::add_if_negative(Lanes::sub(a, b), c.q);
  }
};

}  // namespace nttforge
