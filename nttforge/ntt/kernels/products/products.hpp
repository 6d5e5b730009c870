// SPDX-License-Identifier: Apache-2.0
#pragma once

// Products y w mod q with a table entry w, over any lane type. A product states the bound it leaves: results
// lie in [0, kBound q), and by entry(w, q) the words of w that its table holds. K independent products
// advance together, one operation at a time: compilers keep that order, and K independent chains hide the
// latency of the multiplier.

#include <cstdint>
#include <type_traits>

#include "nttforge/arith/odd_inverse.hpp"
#include "nttforge/base/macros.hpp"
#include "nttforge/ntt/twiddles/twiddle_entry.hpp"

// Kernels are inlined and unrolled whole. Not so under sanitizers and on emulated lanes (NTTF_SMALL_KERNELS),
// where that would take compilers minutes. Their lane types have internal linkage, so no weak symbol comes of
// it.
#if defined(NTTF_SMALL_KERNELS) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NTTF_KERNEL inline
#define NTTF_UNROLL
#else
#define NTTF_KERNEL NTTF_INLINE
#define NTTF_UNROLL _Pragma("GCC unroll 32")
#endif

namespace nttforge {

/// Shoup's precomputed quotient [Har14], any word y; words of 64 or 32 bits (docs/bounds/butterfly64.md,
/// butterfly32.md).
template <class LanesType>
struct ShoupProduct {
  using Lanes = LanesType;
  using Word = typename Lanes::Word;
  using V = typename Lanes::Vec;
  static constexpr unsigned kBound = 2;
  /// Lanes whose high product takes words at even and at odd places apart, the latter's factors at even
  /// places.
  static constexpr bool kApart = requires(V v) { Lanes::mul_hi(v, v, v); };
  struct WholeTwiddle {
    V value, quotient;
  };
  struct ApartTwiddle {
    V value, quotient, odd_quotients;
  };
  using Twiddle = std::conditional_t<kApart, ApartTwiddle, WholeTwiddle>;
  struct Constants {
    V q, q2, bound;
  };
  static NTTF_KERNEL Constants constants(Word q) {
    const V q2 = Lanes::broadcast(static_cast<Word>(2 * q));
    return {Lanes::broadcast(q), q2, q2};
  }
  static TwiddleEntry entry(std::uint64_t w, std::uint64_t q) { return shoup_entry(w, q, 8 * sizeof(Word)); }
  /// The twiddle of an entry that serves all lanes.
  static NTTF_KERNEL Twiddle twiddle(V value, V quotient) {
    if constexpr (kApart) {
      return {value, quotient, quotient};
    } else {
      return {value, quotient};
    }
  }
  /// next: the quotients moved down by one lane.
  static NTTF_KERNEL Twiddle twiddle(V value, V quotient, V next)
    requires(kApart)
  {
    return {value, quotient, next};
  }

  template <int K>
  static NTTF_KERNEL void multiply(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    V estimate[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = high(y[i], w[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::mul_lo(y[i], w[i].value);
    if constexpr (requires { Lanes::sub_mul(t[0], estimate[0], c.q); }) {
      NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::sub_mul(t[i], estimate[i], c.q);
    } else {
      NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Lanes::mul_lo(estimate[i], c.q);
      NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::sub(t[i], estimate[i]);
    }
  }

 private:
  static NTTF_KERNEL V high(V y, const Twiddle& w) {
    if constexpr (kApart) {
      return Lanes::mul_hi(y, w.quotient, w.odd_quotients);
    } else {
      return Lanes::mul_hi(y, w.quotient);
    }
  }
};

/// A product's results, [0, B q) with B = Product::kBound -> [0, q).
template <class Product>
NTTF_KERNEL typename Product::V reduce_product(typename Product::V v, const typename Product::Constants& c) {
  static_assert(Product::kBound == 2 || Product::kBound == 4);
  if constexpr (Product::kBound == 4) v = Product::Lanes::reduce_once(v, c.q2);
  return Product::Lanes::reduce_once(v, c.q);
}

/// Shoup's product for lanes without a 64-bit high product: of the four 32-bit partial products of y w' the
/// lowest is left out and no carries are added, so that the estimate is low by at most 2 and results lie in
/// [0, 4q) (docs/bounds/butterfly64.md).
template <class LanesType>
struct RoughShoupProduct : ShoupProduct<LanesType> {
  using Base = ShoupProduct<LanesType>;
  using Lanes = LanesType;
  using Word = typename Lanes::Word;
  using V = typename Lanes::Vec;
  using typename Base::Constants;
  static constexpr unsigned kBound = 4;
  struct Twiddle {
    V value, quotient, quotient_high;
  };
  static NTTF_KERNEL Constants constants(Word q) {
    return {Lanes::broadcast(q), Lanes::broadcast(2 * q), Lanes::broadcast(4 * q)};
  }
  static NTTF_KERNEL Twiddle twiddle(V value, V quotient) {
    return {value, quotient, Lanes::template shift_right<32>(quotient)};
  }

  /// y w' / 2^64, low by at most 2. Twiddles of any type with quotient and quotient_high.
  template <int K, class Quotients>
  static NTTF_KERNEL void estimates(V (&estimate)[K], const V (&y)[K], const Quotients (&w)[K]) {
    V high[K], cross[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::template shift_right<32>(y[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) cross[i] = Lanes::mul_32(y[i], w[i].quotient_high);
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Lanes::mul_32(high[i], w[i].quotient_high);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::mul_32(high[i], w[i].quotient);
    NTTF_UNROLL for (int i = 0; i < K; ++i) cross[i] = Lanes::template shift_right<32>(cross[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::template shift_right<32>(high[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Lanes::add(estimate[i], cross[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Lanes::add(estimate[i], high[i]);
  }

  template <int K>
  static NTTF_KERNEL void multiply(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    V estimate[K];
    estimates(estimate, y, w);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::mul_lo(y[i], w[i].value);
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Lanes::mul_lo(estimate[i], c.q);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::sub(t[i], estimate[i]);
  }
};

/// Shoup's product of 64-bit words with the 52-bit multiply-add, which adds up the partial products of the
/// estimate as it makes them. The table holds the quotient, less one if need be, with its halves
/// exchanged. Results in [0, 4q) (docs/bounds/butterfly64.md).
template <class LanesType>
struct IfmaShoupProduct : ShoupProduct<LanesType> {
  using Base = ShoupProduct<LanesType>;
  using Lanes = LanesType;
  using Word = typename Lanes::Word;
  using V = typename Lanes::Vec;
  static constexpr unsigned kBound = 4;
  struct Twiddle {
    V value, exchanged;  ///< v1 + 2^32 v0 of v = v0 + 2^32 v1
    V lower, upper;      ///< modulo 2^52: 2^20 v0 and below 2^20 more, and floor(v / 2^12)
  };
  struct Constants : Base::Constants {
    V twice_bound, low_half;
  };
  static NTTF_KERNEL Constants constants(Word q) {
    return {{Lanes::broadcast(q), Lanes::broadcast(2 * q), Lanes::broadcast(4 * q)},
            Lanes::broadcast(8 * q),
            Lanes::broadcast(0xFFFFFFFFu)};
  }
  /// What multiply adds to the quotient must fit into the fraction that rounding down lost.
  static TwiddleEntry entry(std::uint64_t w, std::uint64_t q) {
    const std::uint64_t whole = shoup_entry(w, q, 64).quotient;
    const bool fits = ((static_cast<u128>(w) << 64) % q) << 20 >= static_cast<u128>(whole >> 44) * q;
    const std::uint64_t quotient = whole - (fits ? 0 : 1);
    return {w, quotient << 32 | quotient >> 32};
  }
  static NTTF_KERNEL Twiddle twiddle(V value, V exchanged) {
    return {value, exchanged, Lanes::template shift_right<12>(exchanged),
            Lanes::template rotate_left<20>(exchanged)};
  }

  template <int K>
  static NTTF_KERNEL void multiply(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    V high[K], low[K], estimate[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::template shift_right<32>(y[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) low[i] = Lanes::bit_and(y[i], c.low_half);
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Lanes::mul_32(high[i], w[i].exchanged);
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Lanes::madd52_hi(estimate[i], high[i], w[i].lower);
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Lanes::madd52_hi(estimate[i], low[i], w[i].upper);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::mul_lo(y[i], w[i].value);
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Lanes::mul_lo(estimate[i], c.q);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::sub(t[i], estimate[i]);
  }
};

/// Shoup's product with 52-bit multiply-add: y < 2^52, q < 2^50, quotient floor(w 2^52 / q)
/// (docs/bounds/ifma52.md).
template <class LanesType>
struct IfmaProduct : ShoupProduct<LanesType> {
  using Base = ShoupProduct<LanesType>;
  using Lanes = LanesType;
  using Word = typename Lanes::Word;
  using V = typename Lanes::Vec;
  using typename Base::Twiddle;
  struct Constants : Base::Constants {
    V minus_q, mask, zero;
  };
  static TwiddleEntry entry(std::uint64_t w, std::uint64_t q) { return shoup_entry(w, q, 52); }
  static NTTF_KERNEL Constants constants(Word q) {
    constexpr Word kTwo52 = Word{1} << 52;
    return {Base::constants(q), Lanes::broadcast(kTwo52 - q), Lanes::broadcast(kTwo52 - 1),
            Lanes::broadcast(0)};
  }

  template <int K>
  static NTTF_KERNEL void multiply(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    V estimate[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Lanes::madd52_hi(c.zero, y[i], w[i].quotient);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::madd52_lo(c.zero, y[i], w[i].value);
    // Adding the product with 2^52 - q is subtracting the one with q, modulo 2^52.
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::madd52_lo(t[i], estimate[i], c.minus_q);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::bit_and(t[i], c.mask);
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

  static NTTF_KERNEL Constants constants(Word q) {
    const V v = Lanes::broadcast(q);
    return {v, v, v};
  }

  template <int K>
  static NTTF_KERNEL void multiply(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    Base::multiply(t, y, w, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::reduce_once(t[i], c.q);
  }
  static NTTF_KERNEL V add(V a, V b, const Constants& c) { return Lanes::reduce_once(Lanes::add(a, b), c.q); }
  static NTTF_KERNEL V sub(V a, V b, const Constants& c) {
    return Lanes::add_if_negative(Lanes::sub(a, b), c.q);
  }
};

}  // namespace nttforge
