// SPDX-License-Identifier: Apache-2.0
#pragma once

// Products of polynomials of D = 2^kLog coefficients modulo X^D - z, which stand for the last kLog forward
// stages of both factors, the product of their values and the first kLog inverse stages, in a polynomial
// product: D sums of D products, added up before they are reduced, and D - 1 products with the table entry z.
// The factor D of the inverse stages left out, and 2^kBits of a Montgomery reduction, are in the last inverse
// pass' twiddles. Pairs (D = 2) are pair_products.hpp's. docs/bounds/pair_products.md.

#include <cstdint>
#include <type_traits>

#include "nttforge/ntt/kernels/products/block_sums.hpp"
#include "nttforge/ntt/kernels/products/pair_products.hpp"
#include "nttforge/ntt/kernels/sixteen/sparse_butterflies.hpp"

namespace nttforge {

/// The product of blocks that suits a butterfly's values; pairs or none by default.
template <class Butterfly>
struct BlockProduct : PairProduct<Butterfly> {
  static constexpr unsigned kLog = 1;
};

/// One lane, blocks in memory. Sums are those of block_sums.hpp; where two kinds are given, the first serves
/// q < 2^Sums::kLimitBits.
template <class Butterfly, unsigned log, class Sums, class WideSums = Sums>
struct WordBlockProduct {
  static constexpr bool kExists = true;
  static constexpr unsigned kLog = log;
  static constexpr unsigned kBits = Sums::kBits;
  static constexpr int kSize = 1 << kLog;
  using Product = typename Butterfly::Product;
  using V = typename Product::V;
  using Twiddle = typename Product::Twiddle;
  using Constants = typename Product::Constants;

  /// body(sums for q).
  template <class Body>
  static NTTF_INLINE void with_sums(std::uint64_t q, const Body& body) {
    if constexpr (std::is_same_v<Sums, WideSums>) {
      body(Sums(q));
    } else if (q >> Sums::kLimitBits == 0) {
      body(Sums(q));
    } else {
      body(WideSums(q));
    }
  }

  /// r = a b / 2^kBits modulo X^D - z, or X^D + z if minus; r may be a. From values as forward leaves them
  /// before its last kLog stages to values as inverse takes them after its first kLog.
  template <bool minus, class AnySums>
  static NTTF_KERNEL void multiply(V* r, const V* a, const V* b, const Twiddle& z, const Constants& c,
                                   const AnySums& sums) {
    V left[kSize], wrapped[kSize], right[kSize];
    NTTF_UNROLL for (int i = 0; i < kSize; ++i) left[i] = sums.left(a[i]);
    NTTF_UNROLL for (int i = 0; i < kSize; ++i) right[i] = sums.right(b[i]);
    NTTF_UNROLL for (int i = 1; i < kSize; ++i) {
      const V y[1] = {a[i]};
      const Twiddle w[1] = {z};
      V t[1];
      Product::multiply(t, y, w, c);
      wrapped[i] = minus ? sums.negated(t[0]) : t[0];
    }
    NTTF_UNROLL for (int k = 0; k < kSize; ++k) {
      typename AnySums::Sum sum{};
      NTTF_UNROLL for (int i = 0; i < kSize; ++i) {
        if (i <= k) {
          AnySums::add(sum, left[i], right[k - i]);
        } else {
          AnySums::add(sum, wrapped[i], right[k + kSize - i]);
        }
      }
      r[k] = sums.reduced(sum);
    }
  }
};

/// Signs of K vectors of blocks: those modulo X^4 + z are of odd number, or the odd lanes of a single vector
/// (transposed lanes) ...
struct OddBlockSigns {
  /// m - t there, t elsewhere.
  template <class Lanes, int K, class V>
  static NTTF_KERNEL V reflected(V t, V m, int i) {
    if constexpr (K == 1) {
      return Lanes::reflect_odd(t, m);
    } else {
      return i % 2 != 0 ? Lanes::sub(m, t) : t;
    }
  }
};
/// ... or the odd quarters of the lanes (exchanged lanes, stage_codelets.hpp).
struct OddQuarterSigns {
  template <class Lanes, int, class V>
  static NTTF_KERNEL V reflected(V t, V m, int) {
    return Lanes::reflect_odd_quarters(t, m);
  }
};

/// Vectors: lane by lane, four coefficients in as many vectors. Sums are those of block_sums.hpp.
template <class Butterfly, class Sums, class Signs = OddBlockSigns>
struct VectorBlockProduct {
  static constexpr bool kExists = true;
  static constexpr unsigned kLog = 2;
  static constexpr unsigned kBits = Sums::kBits;
  using Product = typename Butterfly::Product;
  using Lanes = typename Butterfly::Lanes;
  using V = typename Product::V;
  using Twiddle = typename Product::Twiddle;
  using Factor = typename Sums::Factor;
  struct Constants {
    typename Product::Constants product;
    typename Sums::Constants sums;
  };
  static NTTF_KERNEL Constants constants(typename Product::Word q) {
    return {Product::constants(q), Sums::constants(q)};
  }

  /// a = a b / 2^kBits: block i modulo X^4 - z[i], or X^4 + z[i] where Signs says so.
  template <int K>
  static NTTF_KERNEL void multiply(V (&a)[4][K], const V (&b)[4][K], const Twiddle (&z)[K],
                                   const Constants& c) {
    NTTF_UNROLL for (int i = 0; i < K; ++i) {
      const V y[3] = {a[1][i], a[2][i], a[3][i]};
      const Twiddle w[3] = {z[i], z[i], z[i]};
      V t[3];
      Product::multiply(t, y, w, c.product);
      Factor left[4], right[4], wrapped[4];
      NTTF_UNROLL for (int j = 0; j < 3; ++j) {
        t[j] = Signs::template reflected<Lanes, K>(t[j], c.product.bound, i);
        wrapped[j + 1] = Sums::wrapped(t[j], c.sums);
      }
      NTTF_UNROLL for (int j = 0; j < 4; ++j) left[j] = Sums::left(a[j][i], c.sums);
      NTTF_UNROLL for (int j = 0; j < 4; ++j) right[j] = Sums::right(b[j][i], c.sums);
      NTTF_UNROLL for (int k = 0; k < 4; ++k) {
        Factor x[4];
        NTTF_UNROLL for (int j = 0; j < 4; ++j) x[j] = j <= k ? left[j] : wrapped[j];
        const Factor v[4] = {right[k], right[(k + 3) % 4], right[(k + 2) % 4], right[(k + 1) % 4]};
        a[k][i] = Sums::reduced(x, v, c.sums);
      }
    }
  }
  template <int K>
  static NTTF_KERNEL void square(V (&a)[4][K], const Twiddle (&z)[K], const Constants& c) {
    V b[4][K];
    NTTF_UNROLL for (int i = 0; i < 4 * K; ++i) b[i / K][i % K] = a[i / K][i % K];
    multiply(a, b, z, c);
  }
};

template <class Lanes>
  requires(Lanes::kWidth > 1 && std::is_same_v<typename Lanes::Word, std::uint32_t>)
struct BlockProduct<SparseLazy<ShoupProduct<Lanes>>>
    : VectorBlockProduct<SparseLazy<ShoupProduct<Lanes>>, VectorSums32<Lanes>> {};

template <class Lanes>
  requires(std::is_same_v<typename Lanes::Word, std::uint32_t>)
struct BlockProduct<LazyButterfly<ShoupProduct<Lanes>>>
    : VectorBlockProduct<LazyButterfly<ShoupProduct<Lanes>>, VectorSums32<Lanes>, OddQuarterSigns> {};

template <class Lanes>
struct BlockProduct<HalvesButterfly<Lanes>>
    : VectorBlockProduct<HalvesButterfly<Lanes>, VectorSums60<Lanes>> {};

template <class Lanes>
  requires(Lanes::kWidth > 1 && std::is_same_v<typename Lanes::Word, std::uint64_t>)
struct BlockProduct<SparseLazy<ShoupProduct<Lanes>>>
    : VectorBlockProduct<SparseLazy<ShoupProduct<Lanes>>, VectorSums62<SparseLazy<ShoupProduct<Lanes>>>> {};

template <class Lanes>
struct BlockProduct<SparseLazy<SwappedShoupProduct<Lanes>>>
    : VectorBlockProduct<SparseLazy<SwappedShoupProduct<Lanes>>,
                         VectorSums62<SparseLazy<SwappedShoupProduct<Lanes>>>> {};

template <class Lanes>
  requires(Lanes::kWidth > 1 && std::is_same_v<typename Lanes::Word, std::uint64_t>)
struct BlockProduct<LazyButterfly<ShoupProduct<Lanes>>>
    : VectorBlockProduct<LazyButterfly<ShoupProduct<Lanes>>, VectorSums62<LazyButterfly<ShoupProduct<Lanes>>>,
                         OddQuarterSigns> {};

template <class Lanes>
struct BlockProduct<LazyButterfly<RoughShoupProduct<Lanes>>>
    : VectorBlockProduct<LazyButterfly<RoughShoupProduct<Lanes>>,
                         VectorSums62<LazyButterfly<RoughShoupProduct<Lanes>>>, OddQuarterSigns> {};

template <class Lanes>
  requires(Lanes::kWidth == 1 && std::is_same_v<typename Lanes::Word, std::uint64_t>)
struct BlockProduct<SparseLazy<ShoupProduct<Lanes>>>
    : WordBlockProduct<SparseLazy<ShoupProduct<Lanes>>, 3, SumsOfWords<false>, SumsOfWords<true>> {};

template <class Lanes>
struct BlockProduct<SparseStrict<FractionProduct<Lanes>>>
    : WordBlockProduct<SparseStrict<FractionProduct<Lanes>>, 3, SumsOfHalfWords<std::uint64_t>,
                       SumsOfHalfWords<u128>> {};

template <class Lanes>
struct BlockProduct<SparseStrict<GoldilocksProduct<Lanes>>>
    : WordBlockProduct<SparseStrict<GoldilocksProduct<Lanes>>, 3, SumsOfGoldilocks> {};

}  // namespace nttforge
