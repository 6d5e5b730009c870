// SPDX-License-Identifier: Apache-2.0
#pragma once

// Products of linear polynomials (pair_products.hpp) by 52-bit multiply-adds. docs/bounds/pair_products.md.

#include "nttforge/ntt/kernels/ifma_butterfly.hpp"
#include "nttforge/ntt/kernels/products/pair_products.hpp"

namespace nttforge {

/// 52-bit multiply-adds, q < 2^50, values modulo 2^52 in [0, 4q) with a sign that both factors share. Sums of
/// products are reduced together by Montgomery's method, then as inverse wants them.
template <class LanesType>
struct PairProduct<IfmaButterfly<LanesType>> {
  static constexpr bool kExists = true;
  static constexpr unsigned kBits = 52;
  using Lanes = LanesType;
  using Butterfly = IfmaButterfly<Lanes>;
  using Product = IfmaProduct52<Lanes>;
  using Word = typename Product::Word;
  using V = typename Product::V;
  using Twiddle = typename Product::Twiddle;
  struct Constants {
    V q, minus_q, inverse, minus_inverse_of_q, role;
    V sign, offset;  ///< 1 and 0; in the upper half of the lanes -1 and 2q
  };
  static NTTF_KERNEL Constants constants(Word q) {
    const V one = Lanes::broadcast(1), zero = Lanes::broadcast(0), q2 = Lanes::broadcast(2 * q);
    return {Lanes::broadcast(q),
            Lanes::broadcast(Product::kTwo52 - q),
            Lanes::broadcast(Product::kTwo52 / q),
            Lanes::broadcast(0 - inverse_of_odd(q)),
            Lanes::load(Product::kPatterns.role[Product::kLanesLog - 1]),
            Lanes::reflect_upper(one, zero),
            Lanes::reflect_upper(zero, q2)};
  }

  template <int K>
  static NTTF_KERNEL void multiply(V (&a)[2][K], const V (&b)[2][K], const Twiddle (&z)[K],
                                   const Constants& c) {
    V t[K], low[2 * K], high[2 * K];
    NTTF_UNROLL for (int i = 0; i < 2; ++i) Butterfly::promise(a[i], c.q, 0, 4);
    NTTF_UNROLL for (int i = 0; i < 2; ++i) Butterfly::promise(b[i], c.q, 0, 4);
    table_products(t, a[1], z, c);
    reduce(a[0], c);
    reduce(a[1], c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) low[i] = Lanes::madd52_lo(zero(), a[0][i], b[0][i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::madd52_hi(zero(), a[0][i], b[0][i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) low[K + i] = Lanes::madd52_lo(zero(), a[0][i], b[1][i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[K + i] = Lanes::madd52_hi(zero(), a[0][i], b[1][i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) low[i] = Lanes::madd52_lo(low[i], t[i], b[1][i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::madd52_hi(high[i], t[i], b[1][i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) low[K + i] = Lanes::madd52_lo(low[K + i], a[1][i], b[0][i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[K + i] = Lanes::madd52_hi(high[K + i], a[1][i], b[0][i]);
    store_reduced(a, low, high, c);
  }

  template <int K>
  static NTTF_KERNEL void square(V (&a)[2][K], const Twiddle (&z)[K], const Constants& c) {
    V t[K], twice[K], low[2 * K], high[2 * K];
    table_products(t, a[1], z, c);
    reduce(a[0], c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) twice[i] = Lanes::add(a[0][i], a[0][i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) low[i] = Lanes::madd52_lo(zero(), a[0][i], a[0][i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::madd52_hi(zero(), a[0][i], a[0][i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) low[K + i] = Lanes::madd52_lo(zero(), a[1][i], twice[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[K + i] = Lanes::madd52_hi(zero(), a[1][i], twice[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) low[i] = Lanes::madd52_lo(low[i], t[i], a[1][i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::madd52_hi(high[i], t[i], a[1][i]);
    store_reduced(a, low, high, c);
  }

 private:
  static NTTF_KERNEL V zero() { return Lanes::broadcast(0); }
  /// v in [0, 4q) -> [-j q, (2 - j) q), j = start.
  template <int K>
  static NTTF_KERNEL void reduce(V (&v)[K], V start, const Constants& c) {
    V e[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) e[i] = Lanes::madd52_hi(start, v[i], c.inverse);
    NTTF_UNROLL for (int i = 0; i < K; ++i) v[i] = Lanes::madd52_lo(v[i], e[i], c.minus_q);
  }
  template <int K>
  static NTTF_KERNEL void reduce(V (&v)[K], const Constants& c) {
    reduce(v, zero(), c);
    Butterfly::promise(v, c.q, 0, 2);
  }
  /// z y with the sign of the lanes: in [0, 2q].
  template <int K>
  static NTTF_KERNEL void table_products(V (&t)[K], const V (&y)[K], const Twiddle (&z)[K],
                                         const Constants& c) {
    V e[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) e[i] = Lanes::madd52_hi(zero(), y[i], z[i].quotient);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::madd52_lo(zero(), y[i], z[i].value);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::madd52_lo(t[i], e[i], c.minus_q);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::madd52_lo(c.offset, t[i], c.sign);
  }
  /// (low + 2^52 high) / 2^52 modulo q.
  template <int K>
  static NTTF_KERNEL void store_reduced(V (&a)[2][K], V (&low)[2 * K], V (&high)[2 * K], const Constants& c) {
    V m[2 * K];
    NTTF_UNROLL for (int i = 0; i < 2 * K; ++i) m[i] = Lanes::madd52_lo(zero(), low[i], c.minus_inverse_of_q);
    NTTF_UNROLL for (int i = 0; i < 2 * K; ++i) low[i] = Lanes::madd52_lo(low[i], m[i], c.q);
    NTTF_UNROLL for (int i = 0; i < 2 * K; ++i) high[i] = Lanes::madd52_hi(high[i], m[i], c.q);
    NTTF_UNROLL for (int i = 0; i < 2 * K; ++i) low[i] = Lanes::template shift_right<52>(low[i]);
    NTTF_UNROLL for (int i = 0; i < 2 * K; ++i) high[i] = Lanes::add(high[i], low[i]);
    reduce(high, c.role, c);
    NTTF_UNROLL for (int i = 0; i < 2 * K; ++i) a[i / K][i % K] = high[i];
  }
};

}  // namespace nttforge
