#pragma once

// Products of linear polynomials modulo X^2 - z, which stand for the last forward stage of both factors, the
// product of their values and the first inverse stage, in a polynomial product: (a0 + a1 X)(b0 + b1 X) = (a0
// b0 + z a1 b1) + (a0 b1 + a1 b0) X. Four products and one with a table entry instead of two and three, no
// reductions to words, and, where the arithmetic allows, one reduction for two products. The factor 2 of the
// inverse stage left out, and 2^kBits of a Montgomery reduction, are in the last inverse pass' twiddles.
// docs/bounds/pair_products.md.

#include <type_traits>

#include "nttforge/base/macros.hpp"
#include "nttforge/ntt/narrow_butterflies.hpp"

namespace nttforge {

/// Which pair product suits a butterfly's values; none by default. What it offers, K products at once, number
/// i modulo X^2 - z[i], or X^2 + z[i] for odd i; from values as forward leaves them before its last stage to
/// values as inverse's second stage takes them:
///   multiply   a = a b / 2^kBits
///   square     a = a a / 2^kBits
template <class Butterfly>
struct PairProduct {
  static constexpr bool kExists = false;
  static constexpr unsigned kBits = 0;
};

/// Doubles: |a|, |b| <= 8q -> |c| <= q/2 and a rounding error more.
template <class LanesType, bool added>
struct PairProduct<NarrowFp64<LanesType, added>> {
  static constexpr bool kExists = true;
  static constexpr unsigned kBits = 0;
  using Product = Fp64Product<LanesType>;
  using Base = LanesType;
  using Word = typename Product::Word;
  using V = typename Product::V;
  using Twiddle = typename Product::Twiddle;
  using Constants = typename Product::Constants;
  static NTTF_KERNEL Constants constants(Word q) { return Product::constants(q); }

  template <int K>
  static NTTF_KERNEL void multiply(V (&a)[2][K], const V (&b)[2][K], const Twiddle (&z)[K],
                                   const Constants& c) {
    V y[2 * K], t[K], left[4 * K], right[4 * K], r[4 * K], sum[2 * K];
    NTTF_UNROLL for (int i = 0; i < 2 * K; ++i) y[i] = b[i / K][i % K];
    Product::centre(y, c);
    Product::multiply(t, a[1], z, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) {
      left[i] = left[2 * K + i] = a[0][i];
      left[K + i] = t[i];
      left[3 * K + i] = a[1][i];
      right[i] = right[3 * K + i] = y[i];
      right[K + i] = right[2 * K + i] = y[K + i];
    }
    reduced_products(r, left, right, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) {
      sum[i] = i % 2 != 0 ? Base::real_sub(r[i], r[K + i]) : Base::real_add(r[i], r[K + i]);
      sum[K + i] = Base::real_add(r[2 * K + i], r[3 * K + i]);
    }
    store_centred(a, sum, c);
  }

  /// Three products.
  template <int K>
  static NTTF_KERNEL void square(V (&a)[2][K], const Twiddle (&z)[K], const Constants& c) {
    V y[2 * K], t[K], left[3 * K], right[3 * K], r[3 * K], sum[2 * K];
    NTTF_UNROLL for (int i = 0; i < 2 * K; ++i) y[i] = a[i / K][i % K];
    Product::centre(y, c);
    Product::multiply(t, a[1], z, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) {
      left[i] = left[2 * K + i] = a[0][i];
      left[K + i] = t[i];
      right[i] = y[i];
      right[K + i] = right[2 * K + i] = y[K + i];
    }
    reduced_products(r, left, right, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) {
      sum[i] = i % 2 != 0 ? Base::real_sub(r[i], r[K + i]) : Base::real_add(r[i], r[K + i]);
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
  /// As Fp64Product::multiply, the quotient from the product.
  template <int K>
  static NTTF_KERNEL void reduced_products(V (&r)[K], const V (&a)[K], const V (&b)[K], const Constants& c) {
    V high[K], low[K], estimate[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Base::real_mul(a[i], b[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) low[i] = Base::real_fms(a[i], b[i], high[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] =
        Base::real_round(Base::real_mul(high[i], c.inverse));
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Base::real_fnma(estimate[i], c.q, high[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) r[i] = Base::real_add(high[i], low[i]);
  }
};

/// q^-1 modulo the word, q odd: each step doubles the bits that are right, from 3 on.
template <class Word>
NTTF_INLINE Word inverse_of_odd(Word q) {
  Word x = q;
  for (int i = 0; i < 5; ++i) x *= 2 - q * x;
  return x;
}

/// Sums of two products of words, reduced together by Montgomery's method. Reduction is a ReducedSum below.
template <class Butterfly, class Reduction>
struct MontgomeryPairProduct {
  static constexpr bool kExists = true;
  static constexpr unsigned kBits = 8 * sizeof(typename Butterfly::Word);
  using Product = typename Butterfly::Product;
  using Lanes = typename Butterfly::Lanes;
  using Word = typename Product::Word;
  using V = typename Product::V;
  using Twiddle = typename Product::Twiddle;
  struct Constants {
    typename Product::Constants product;
    typename Reduction::Constants reduction;
  };
  static NTTF_KERNEL Constants constants(Word q) { return {Product::constants(q), Reduction::constants(q)}; }

  template <int K>
  static NTTF_KERNEL void multiply(V (&a)[2][K], const V (&b)[2][K], const Twiddle (&z)[K],
                                   const Constants& c) {
    V t[K];
    Product::multiply(t, a[1], z, c.product);
    NTTF_UNROLL for (int i = 0; i < K; ++i) {
      const V a0 = Reduction::left(a[0][i], c.product), a1 = Reduction::left(a[1][i], c.product);
      const V b0 = Reduction::right(b[0][i], c.product), b1 = Reduction::right(b[1][i], c.product);
      const V za1 = i % 2 != 0 ? Lanes::sub(c.product.bound, t[i]) : t[i];
      a[0][i] = Reduction::reduced(a0, b0, za1, b1, c.reduction);
      a[1][i] = Reduction::reduced(a0, b1, a1, b0, c.reduction);
    }
  }
  template <int K>
  static NTTF_KERNEL void square(V (&a)[2][K], const Twiddle (&z)[K], const Constants& c) {
    V b[2][K];
    NTTF_UNROLL for (int i = 0; i < 2 * K; ++i) b[i / K][i % K] = a[i / K][i % K];
    multiply(a, b, z, c);
  }
};

/// 32-bit words in vectors, q < 2^30: left in [0, 2q), right in [0, q) -> a b + c d over 2^32 in (0, 2q).
template <class Lanes>
struct ReducedSum32 {
  using Wide = typename Lanes::Wide;
  using V = typename Lanes::Vec;
  using Products = typename ShoupProduct<Lanes>::Constants;
  struct Constants {
    V q, wide_q, inverse;
  };
  static NTTF_KERNEL Constants constants(std::uint32_t q) {
    return {Lanes::broadcast(q), Wide::broadcast(q), Wide::broadcast(inverse_of_odd(q))};
  }
  static NTTF_KERNEL V left(V v, const Products& c) { return Lanes::reduce_once(v, c.q2); }
  static NTTF_KERNEL V right(V v, const Products& c) {
    return Lanes::reduce_once(Lanes::reduce_once(v, c.q2), c.q);
  }
  static NTTF_KERNEL V reduced(V a, V b, V c, V d, const Constants& k) {
    const V even = sum(a, b, c, d, k);
    const V odd = sum(Lanes::odds(a), Lanes::odds(b), Lanes::odds(c), Lanes::odds(d), k);
    return Lanes::add(Lanes::merge_upper(even, odd), k.q);
  }

 private:
  /// 2^32 times the reduced sum, in (-q, q).
  static NTTF_KERNEL V sum(V a, V b, V c, V d, const Constants& k) {
    const V x = Wide::add(Wide::mul_32(a, b), Wide::mul_32(c, d));
    return Wide::sub(x, Wide::mul_32(Wide::mul_32(x, k.inverse), k.wide_q));
  }
};

/// 64-bit words in vectors, q < 2^60, products in [0, 4q): left in [0, 4q), right in [0, 2q) -> [0, 2q). Two
/// steps of 32 bits.
template <class Lanes>
struct ReducedSum60 {
  using V = typename Lanes::Vec;
  struct Constants {
    V q, q_high, minus_inverse, mask;
  };
  static NTTF_KERNEL Constants constants(std::uint64_t q) {
    return {Lanes::broadcast(q), Lanes::broadcast(q >> 32), Lanes::broadcast(0 - inverse_of_odd(q)),
            Lanes::broadcast(0xFFFFFFFFu)};
  }
  template <class Products>
  static NTTF_KERNEL V left(V v, const Products& c) {
    return Lanes::reduce_once(Lanes::reduce_once(v, c.twice_bound), c.bound);
  }
  template <class Products>
  static NTTF_KERNEL V right(V v, const Products& c) {
    return Lanes::reduce_once(left(v, c), c.q2);
  }
  static NTTF_KERNEL V reduced(V a, V b, V c, V d, const Constants& k) {
    const V a1 = upper(a), b1 = upper(b), c1 = upper(c), d1 = upper(d);
    const V low_ab = Lanes::mul_32(a, b), low_cd = Lanes::mul_32(c, d);
    const V cross = Lanes::add(Lanes::add(Lanes::mul_32(a1, b), Lanes::mul_32(a, b1)),
                               Lanes::add(Lanes::mul_32(c1, d), Lanes::mul_32(c, d1)));
    const V low = Lanes::add(Lanes::bit_and(low_ab, k.mask), Lanes::bit_and(low_cd, k.mask));
    const V m = Lanes::mul_32(low, k.minus_inverse);
    V middle =
        Lanes::add(Lanes::add(cross, Lanes::mul_32(m, k.q_high)), Lanes::add(upper(low_ab), upper(low_cd)));
    middle = Lanes::add(middle, upper(Lanes::add(low, Lanes::mul_32(m, k.q))));
    const V m1 = Lanes::mul_32(middle, k.minus_inverse);
    const V carry = upper(Lanes::add(Lanes::bit_and(middle, k.mask), Lanes::mul_32(m1, k.q)));
    const V high = Lanes::add(Lanes::mul_32(a1, b1), Lanes::mul_32(c1, d1));
    return Lanes::add(Lanes::add(high, Lanes::mul_32(m1, k.q_high)), Lanes::add(upper(middle), carry));
  }

 private:
  static NTTF_KERNEL V upper(V v) { return Lanes::template shift_right<32>(v); }
};

/// One 64-bit word, q < 2^62: left in [0, 2q), right in [0, q) -> (0, 2q).
struct ReducedSumOfOne {
  using V = std::uint64_t;
  struct Constants {
    V q, inverse;
  };
  static NTTF_KERNEL Constants constants(std::uint64_t q) { return {q, inverse_of_odd(q)}; }
  template <class Products>
  static NTTF_KERNEL V left(V v, const Products& c) {
    return once(v, c.q2);
  }
  template <class Products>
  static NTTF_KERNEL V right(V v, const Products& c) {
    return once(once(v, c.q2), c.q);
  }
  static NTTF_KERNEL V reduced(V a, V b, V c, V d, const Constants& k) {
    const u128 x = static_cast<u128>(a) * b + static_cast<u128>(c) * d;
    const V m = static_cast<V>(x) * k.inverse;
    return static_cast<V>(x >> 64) - static_cast<V>((static_cast<u128>(m) * k.q) >> 64) + k.q;
  }

 private:
  static NTTF_KERNEL V once(V v, V m) { return v - (m & (V{0} - static_cast<V>(v >= m))); }
};

template <class Lanes>
  requires(Lanes::kWidth > 1 && std::is_same_v<typename Lanes::Word, std::uint32_t>)
struct PairProduct<NarrowLazy<ShoupProduct<Lanes>, 1>>
    : MontgomeryPairProduct<NarrowLazy<ShoupProduct<Lanes>, 1>, ReducedSum32<Lanes>> {};

template <class Lanes>
struct PairProduct<NarrowLazy<SwappedShoupProduct<Lanes>, 2>>
    : MontgomeryPairProduct<NarrowLazy<SwappedShoupProduct<Lanes>, 2>, ReducedSum60<Lanes>> {};

template <class Lanes>
  requires(Lanes::kWidth == 1 && std::is_same_v<typename Lanes::Word, std::uint64_t>)
struct PairProduct<NarrowLazy<ShoupProduct<Lanes>, 1>>
    : MontgomeryPairProduct<NarrowLazy<ShoupProduct<Lanes>, 1>, ReducedSumOfOne> {};

}  // namespace nttforge
