// SPDX-License-Identifier: Apache-2.0
#pragma once

// Products y w mod q for 64-bit lanes whose longest multiplication is short, or whose modulus is; the others
// are in products.hpp.

#include <cstdint>

#include "nttforge/base/macros.hpp"
#include "nttforge/ntt/kernels/products/products.hpp"

namespace nttforge {

/// Shoup's product for lanes whose longest multiplications are 32 x 32 -> 64 bits and 32-bit low products: as
/// RoughShoupProduct, and all four cross products of y w - e q modulo 2^64 come from two multiplications of
/// 32-bit words by words with swapped halves (docs/bounds/butterfly64.md).
template <class LanesType>
struct SwappedShoupProduct {
  using Lanes = LanesType;
  using Word = typename Lanes::Word;
  using V = typename Lanes::Vec;
  static constexpr unsigned kBound = 4;
  struct Twiddle {
    V value, swapped, quotient, quotient_high;
  };
  struct Constants {
    V q, q2, bound, minus_q, minus_q_swapped;
  };
  static NTTF_KERNEL Constants constants(Word q) {
    const V minus_q = Lanes::broadcast(Word{0} - q);
    return {Lanes::broadcast(q), Lanes::broadcast(2 * q), Lanes::broadcast(4 * q), minus_q,
            Lanes::swap_halves(minus_q)};
  }
  static TwiddleEntry entry(std::uint64_t w, std::uint64_t q) { return shoup_entry(w, q, 64); }
  static NTTF_KERNEL Twiddle twiddle(V value, V quotient) {
    return {value, Lanes::swap_halves(value), quotient, Lanes::template shift_right<32>(quotient)};
  }

  template <int K>
  static NTTF_KERNEL void multiply(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    V high[K], cross[K], estimate[K];
    RoughShoupProduct<Lanes>::estimates(estimate, y, w);
    NTTF_UNROLL for (int i = 0; i < K; ++i) cross[i] = Lanes::mul_lo_32(y[i], w[i].swapped);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::mul_32(y[i], w[i].value);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::mul_lo_32(estimate[i], c.minus_q_swapped);
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Lanes::mul_32(estimate[i], c.minus_q);
    NTTF_UNROLL for (int i = 0; i < K; ++i) cross[i] = Lanes::add_32(cross[i], high[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::add(t[i], estimate[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::template shift_left<32>(cross[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) cross[i] = Lanes::upper_halves(cross[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::add(t[i], high[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::add(t[i], cross[i]);
  }
};

/// Products of halves, for lanes whose longest multiplication is 32 x 32 -> 64 bits, y < 2^62, q < 2^60. With
/// y = y1 2^31 + y0 and table entries u = 2^32 w and v = 2^63 w modulo q, y1 v + y0 u is 2^32 y w and below
/// 2^32 q, and one step of Montgomery's reduction by 2^32 ends in (-q, q). No carry is lost: y has halves of
/// 31 bits, and the lower halves of what is subtracted are equal (docs/bounds/butterfly64.md).
template <class LanesType>
struct HalvesProduct {
  using Lanes = LanesType;
  using Word = typename Lanes::Word;
  using V = typename Lanes::Vec;
  static constexpr unsigned kBound = 2;
  struct Twiddle {
    V low, low_high, high, high_high;  ///< u, its upper half, v, its upper half
  };
  struct Constants {
    V q, q2, bound, q_high, inverse, mask;
  };
  static NTTF_KERNEL Constants constants(Word q) {
    const V q2 = Lanes::broadcast(2 * q);
    return {
        Lanes::broadcast(q),          q2, q2, Lanes::broadcast(q >> 32), Lanes::broadcast(inverse_of_odd(q)),
        Lanes::broadcast(0x7FFFFFFFu)};
  }
  static TwiddleEntry entry(std::uint64_t w, std::uint64_t q) {
    const auto low = static_cast<std::uint64_t>((static_cast<u128>(w) << 32) % q);
    return {low, static_cast<std::uint64_t>((static_cast<u128>(low) << 31) % q)};
  }
  static NTTF_KERNEL Twiddle twiddle(V low, V high) {
    return {low, Lanes::template shift_right<32>(low), high, Lanes::template shift_right<32>(high)};
  }

  /// Modulo 2^64, in (-q, q).
  template <int K>
  static NTTF_KERNEL void multiply_centred(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K],
                                           const Constants& c) {
    V high[K], low[K], lower[K], factor[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::template shift_right<31>(y[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) low[i] = Lanes::bit_and(y[i], c.mask);
    NTTF_UNROLL for (int i = 0; i < K; ++i) lower[i] = Lanes::mul_32(high[i], w[i].high);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::mul_32(high[i], w[i].high_high);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::mul_32(low[i], w[i].low);
    NTTF_UNROLL for (int i = 0; i < K; ++i) low[i] = Lanes::mul_32(low[i], w[i].low_high);
    NTTF_UNROLL for (int i = 0; i < K; ++i) lower[i] = Lanes::add(lower[i], high[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) factor[i] = Lanes::mul_32(lower[i], c.inverse);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::add(t[i], low[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) lower[i] = Lanes::template shift_right<32>(lower[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::mul_32(factor[i], c.q);
    NTTF_UNROLL for (int i = 0; i < K; ++i) factor[i] = Lanes::mul_32(factor[i], c.q_high);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::add(t[i], lower[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Lanes::template shift_right<32>(high[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::sub(t[i], factor[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::sub(t[i], high[i]);
  }

  template <int K>
  static NTTF_KERNEL void multiply(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    multiply_centred(t, y, w, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::add(t[i], c.q);
  }
};

/// y w mod q for q < 2^32 on 64-bit words: with W = ceil(w 2^64 / q), the lower word of y W is the fractional
/// part of y w / q, and q times that, upper word, is the residue itself (docs/bounds/butterfly32.md). W comes
/// in halves.
template <class LanesType>
struct FractionProduct : StrictShoupProduct<LanesType> {
  using Lanes = LanesType;
  using Word = typename Lanes::Word;
  using V = typename Lanes::Vec;
  using typename StrictShoupProduct<LanesType>::Constants;
  struct Twiddle {
    V fraction;
  };
  static TwiddleEntry entry(std::uint64_t w, std::uint64_t q) {
    const std::uint64_t fraction = shoup_entry(w, q, 64).quotient + (w != 0 ? 1 : 0);
    return {fraction & 0xFFFFFFFFu, fraction >> 32};
  }
  static NTTF_KERNEL Twiddle twiddle(V lower, V upper) {
    return {Lanes::add(lower, Lanes::template shift_left<32>(upper))};
  }
  template <int K>
  static NTTF_KERNEL void multiply(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::mul_hi(Lanes::mul_lo(y[i], w[i].fraction), c.q);
  }
};

}  // namespace nttforge
