// SPDX-License-Identifier: Apache-2.0
#pragma once

// Products of linear polynomials modulo X^2 - z, which stand for the last forward stage of both factors, the
// product of their values and the first inverse stage, in a polynomial product: (a0 + a1 X)(b0 + b1 X) = (a0
// b0 + z a1 b1) + (a0 b1 + a1 b0) X. Four products and one with a table entry instead of two and three, no
// reductions to words, and with 52-bit multiply-adds one reduction for two products. The factor 2 of the
// inverse stage left out, and 2^kBits of a Montgomery reduction, are in the last inverse pass' twiddles.
// Integers otherwise: block_products.hpp. docs/bounds/pair_products.md.

#include <array>
#include <cstdint>

#include "nttforge/base/macros.hpp"
#include "nttforge/ntt/kernels/products/products.hpp"
#include "nttforge/ntt/kernels/sixteen/sparse_fp64.hpp"

namespace nttforge {

/// Which pair product suits a butterfly's values; none by default. What it offers, K products at once, number
/// i modulo X^2 - z[i], or X^2 + z[i] where Signs says so; from values as forward leaves them before its last
/// stage to values as inverse's second stage takes them:
///   multiply   a = a b / 2^kBits
///   square     a = a a / 2^kBits
template <class Butterfly>
struct PairProduct {
  static constexpr bool kExists = false;
  static constexpr unsigned kBits = 0;
};

/// Signs: the products modulo X^2 + z are those of odd number (transposed lanes) ...
struct AlternateSigns {
  /// a - b there, a + b elsewhere.
  template <class Base, class V>
  static NTTF_KERNEL V sum(V a, V b, int i) {
    return i % 2 != 0 ? Base::real_sub(a, b) : Base::real_add(a, b);
  }
};
/// ... or those in the upper half of the lanes (exchanged lanes, lane_exchange.hpp).
struct UpperLaneSigns {
  template <class Base, class V>
  static NTTF_KERNEL V sum(V a, V b, int) {
    const auto signs = Base::load(kSignOfUpper<Base>.data());
    return Base::real_add(a, Base::bits_to_real(Base::bit_xor(Base::real_to_bits(b), signs)));
  }

 private:
  template <class Base>
  alignas(64) static constexpr auto kSignOfUpper = [] {
    std::array<std::uint64_t, Base::kWidth> signs{};
    for (std::size_t i = Base::kWidth / 2; i < Base::kWidth; ++i) signs[i] = std::uint64_t{1} << 63;
    return signs;
  }();
};

/// Doubles: |a|, |b| <= 8q, or if small 2.25q, -> |c| <= q/2 and a rounding error more.
template <class LanesType, class Signs, bool small = false>
struct RealPairProduct {
  static constexpr bool kExists = true;
  static constexpr bool kSmallFactors = small;
  static constexpr unsigned kBits = 0;
  using Product = Fp64Product<LanesType>;
  using Base = LanesType;
  using Word = typename Product::Word;
  using V = typename Product::V;
  using Twiddle = typename Product::Twiddle;
  using Constants = typename Product::Constants;
  static NTTF_KERNEL Constants constants(Word q) { return Product::constants(q); }

  template <int K, class AnyTwiddle>
  static NTTF_KERNEL void multiply(V (&a)[2][K], const V (&b)[2][K], const AnyTwiddle (&z)[K],
                                   const Constants& c) {
    V y[2 * K], t[K], left[4 * K], right[4 * K], r[4 * K], sum[2 * K];
    NTTF_UNROLL for (int i = 0; i < 2 * K; ++i) y[i] = b[i / K][i % K];
    if constexpr (!small) Product::centre(y, c);
    Product::multiply(t, a[1], z, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) {
      left[i] = left[2 * K + i] = a[0][i];
      left[K + i] = t[i];
      left[3 * K + i] = a[1][i];
      right[i] = right[3 * K + i] = y[i];
      right[K + i] = right[2 * K + i] = y[K + i];
    }
    Product::multiply_values(r, left, right, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) {
      sum[i] = Signs::template sum<Base>(r[i], r[K + i], i);
      sum[K + i] = Base::real_add(r[2 * K + i], r[3 * K + i]);
    }
    store_centred(a, sum, c);
  }

  /// Multiplies with three products.
  template <int K, class AnyTwiddle>
  static NTTF_KERNEL void square(V (&a)[2][K], const AnyTwiddle (&z)[K], const Constants& c) {
    V y[2 * K], t[K], left[3 * K], right[3 * K], r[3 * K], sum[2 * K];
    NTTF_UNROLL for (int i = 0; i < 2 * K; ++i) y[i] = a[i / K][i % K];
    if constexpr (!small) Product::centre(y, c);
    Product::multiply(t, a[1], z, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) {
      left[i] = left[2 * K + i] = a[0][i];
      left[K + i] = t[i];
      right[i] = y[i];
      right[K + i] = right[2 * K + i] = y[K + i];
    }
    Product::multiply_values(r, left, right, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) {
      sum[i] = Signs::template sum<Base>(r[i], r[K + i], i);
      sum[K + i] = Base::real_add(r[2 * K + i], r[2 * K + i]);
    }
    store_centred(a, sum, c);
  }

 private:
  template <int K>
  static NTTF_KERNEL void store_centred(V (&a)[2][K], V (&sum)[2 * K], const Constants& c) {
    Product::centre(sum, c);
    NTTF_UNROLL for (int i = 0; i < 2 * K; ++i) a[i / K][i % K] = sum[i];
  }
};

template <class Lanes, Rounding rounding>
struct PairProduct<SparseFp64<Lanes, rounding>>
    : RealPairProduct<Lanes, AlternateSigns, rounding == Rounding::instruction> {};
template <class Lanes>
struct PairProduct<Fp64Butterfly<Lanes>> : RealPairProduct<Lanes, UpperLaneSigns> {};

}  // namespace nttforge
