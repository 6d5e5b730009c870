// SPDX-License-Identifier: Apache-2.0
#pragma once

// Products of polynomials of four coefficients (block_products.hpp) by 52-bit multiply-adds, for 60- to
// 62-bit primes. docs/bounds/pair_products.md.

#include <cstdint>

#include "nttforge/ntt/kernels/products/block_products.hpp"

namespace nttforge {

/// Any 64-bit words, q < 2^62; four products whose sum is below q 2^104 -> [0, 2q), over 2^104. Multiply-adds
/// read the lower 52 bits of a word, so the word is its own lower digit; the upper one has 12 bits. Two steps
/// of Montgomery's reduction by 2^52.
template <class LanesType>
struct MultiplyAddSums {
  using Lanes = LanesType;
  using V = typename Lanes::Vec;
  static constexpr unsigned kBits = 104;
  struct Constants {
    V q, q_high, minus_inverse, zero;
  };
  struct Factor {
    V low, high;
  };
  static NTTF_KERNEL Constants constants(std::uint64_t q) {
    return {Lanes::broadcast(q), Lanes::broadcast(q >> 52), Lanes::broadcast(0 - inverse_of_odd(q)),
            Lanes::broadcast(0)};
  }
  static NTTF_KERNEL Factor wrapped(V v, const Constants&) { return {v, upper(v)}; }
  static NTTF_KERNEL Factor left(V v, const Constants& k) { return wrapped(v, k); }
  static NTTF_KERNEL Factor right(V v, const Constants& k) { return wrapped(v, k); }

  static NTTF_KERNEL V reduced(const Factor (&a)[4], const Factor (&b)[4], const Constants& k) {
    V low = k.zero, middle = k.zero, other = k.zero, high = k.zero;  // two middles: shorter chains
    NTTF_UNROLL for (int i = 0; i < 4; ++i) low = Lanes::madd52_lo(low, a[i].low, b[i].low);
    const V m = Lanes::madd52_lo(k.zero, low, k.minus_inverse);
    NTTF_UNROLL for (int i = 0; i < 4; ++i) {
      middle = Lanes::madd52_hi(middle, a[i].low, b[i].low);
      other = Lanes::madd52_lo(other, a[i].low, b[i].high);
      middle = Lanes::madd52_lo(middle, a[i].high, b[i].low);
      high = Lanes::madd52_hi(high, a[i].low, b[i].high);
      high = Lanes::madd52_hi(high, a[i].high, b[i].low);
      high = Lanes::madd52_lo(high, a[i].high, b[i].high);
    }
    low = Lanes::madd52_lo(low, m, k.q);
    middle = Lanes::madd52_hi(middle, m, k.q);
    other = Lanes::madd52_lo(other, m, k.q_high);
    high = Lanes::madd52_hi(high, m, k.q_high);
    middle = Lanes::add(Lanes::add(middle, other), upper(low));
    const V n = Lanes::madd52_lo(k.zero, middle, k.minus_inverse);
    middle = Lanes::madd52_lo(middle, n, k.q);
    high = Lanes::madd52_hi(high, n, k.q);
    high = Lanes::madd52_lo(high, n, k.q_high);
    const V highest = Lanes::madd52_hi(k.zero, n, k.q_high);
    return Lanes::add(Lanes::add(high, upper(middle)), Lanes::template shift_left<52>(highest));
  }

 private:
  static NTTF_KERNEL V upper(V v) { return Lanes::template shift_right<52>(v); }
};

/// LazyButterfly over ShoupProduct, for lanes with the 52-bit multiply-add.
template <class Lanes>
struct IfmaLazyButterfly : LazyButterfly<ShoupProduct<Lanes>> {};

template <class Butterfly>
using MultiplyAddBlockProduct =
    VectorBlockProduct<Butterfly, MultiplyAddSums<typename Butterfly::Lanes>, OddQuarterSigns>;

template <class Lanes>
struct BlockProduct<RoomyButterfly<IfmaShoupProduct<Lanes>>>
    : MultiplyAddBlockProduct<RoomyButterfly<IfmaShoupProduct<Lanes>>> {};
template <class Lanes>
struct BlockProduct<LazyButterfly<IfmaShoupProduct<Lanes>>>
    : MultiplyAddBlockProduct<LazyButterfly<IfmaShoupProduct<Lanes>>> {};
template <class Lanes>
struct BlockProduct<IfmaLazyButterfly<Lanes>> : MultiplyAddBlockProduct<IfmaLazyButterfly<Lanes>> {};

}  // namespace nttforge
