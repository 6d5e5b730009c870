// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "nttforge/base/macros.hpp"

// Lanes of two vectors: each operation is done to both, so that kernels with shapes for sixteen wide
// registers serve instruction sets that have thirty-two registers of half the width, and every operation has
// a second one beside it that does not wait for it. lanes_scalar.hpp explains the members.

namespace nttforge::cpu {
namespace {

template <class V>
struct PairOf {
  V low, high;
};

/// What words of any length share.
template <class L>
struct PairOfAny {
  using Word = typename L::Word;
  using Vec = PairOf<typename L::Vec>;
  static constexpr std::size_t kWidth = 2 * L::kWidth;

  static NTTF_INLINE Vec load(const Word* p) { return {L::load(p), L::load(p + L::kWidth)}; }
  static NTTF_INLINE void store(Word* p, const Vec& v) {
    L::store(p, v.low);
    L::store(p + L::kWidth, v.high);
  }
  static NTTF_INLINE Vec broadcast(Word v) { return {L::broadcast(v), L::broadcast(v)}; }
  static NTTF_INLINE Vec add(const Vec& a, const Vec& b) {
    return {L::add(a.low, b.low), L::add(a.high, b.high)};
  }
  static NTTF_INLINE Vec sub(const Vec& a, const Vec& b) {
    return {L::sub(a.low, b.low), L::sub(a.high, b.high)};
  }
  static NTTF_INLINE Vec mul_lo(const Vec& a, const Vec& b) {
    return {L::mul_lo(a.low, b.low), L::mul_lo(a.high, b.high)};
  }
  static NTTF_INLINE Vec mul_hi(const Vec& a, const Vec& b) {
    return {L::mul_hi(a.low, b.low), L::mul_hi(a.high, b.high)};
  }
  static NTTF_INLINE Vec sub_mul(const Vec& a, const Vec& b, const Vec& c)
    requires requires(typename L::Vec v) { L::sub_mul(v, v, v); }
  {
    return {L::sub_mul(a.low, b.low, c.low), L::sub_mul(a.high, b.high, c.high)};
  }
  static NTTF_INLINE Vec bit_xor(const Vec& a, const Vec& b) {
    return {L::bit_xor(a.low, b.low), L::bit_xor(a.high, b.high)};
  }
  static NTTF_INLINE Vec reduce_once(const Vec& x, const Vec& m) {
    return {L::reduce_once(x.low, m.low), L::reduce_once(x.high, m.high)};
  }
};

/// 64-bit words.
template <class L>
struct PairOf64 : PairOfAny<L> {
  using typename PairOfAny<L>::Word;
  using typename PairOfAny<L>::Vec;

  static NTTF_INLINE Vec bit_and(const Vec& a, const Vec& b) {
    return {L::bit_and(a.low, b.low), L::bit_and(a.high, b.high)};
  }
  template <unsigned kCount>
  static NTTF_INLINE Vec shift_left(const Vec& a) {
    return {L::template shift_left<kCount>(a.low), L::template shift_left<kCount>(a.high)};
  }
  template <unsigned kCount>
  static NTTF_INLINE Vec shift_right(const Vec& a) {
    return {L::template shift_right<kCount>(a.low), L::template shift_right<kCount>(a.high)};
  }
  static NTTF_INLINE Vec mul_32(const Vec& a, const Vec& b) {
    return {L::mul_32(a.low, b.low), L::mul_32(a.high, b.high)};
  }
  static NTTF_INLINE Vec select_by_sign(const Vec& sign, const Vec& x, const Vec& y) {
    return {L::select_by_sign(sign.low, x.low, y.low), L::select_by_sign(sign.high, x.high, y.high)};
  }
  static NTTF_INLINE Vec add_if_negative(const Vec& t, const Vec& m) {
    return {L::add_if_negative(t.low, m.low), L::add_if_negative(t.high, m.high)};
  }

  using Real = PairOf<typename L::Real>;
  static NTTF_INLINE Real real_broadcast(double v) { return {L::real_broadcast(v), L::real_broadcast(v)}; }
  static NTTF_INLINE Real to_real(const Vec& a) { return {L::to_real(a.low), L::to_real(a.high)}; }
  static NTTF_INLINE Vec from_real(const Real& a) { return {L::from_real(a.low), L::from_real(a.high)}; }
  static NTTF_INLINE Real real_add(const Real& a, const Real& b) {
    return {L::real_add(a.low, b.low), L::real_add(a.high, b.high)};
  }
  static NTTF_INLINE Real real_sub(const Real& a, const Real& b) {
    return {L::real_sub(a.low, b.low), L::real_sub(a.high, b.high)};
  }
  static NTTF_INLINE Real real_mul(const Real& a, const Real& b) {
    return {L::real_mul(a.low, b.low), L::real_mul(a.high, b.high)};
  }
  static NTTF_INLINE Real real_fma(const Real& a, const Real& b, const Real& c) {
    return {L::real_fma(a.low, b.low, c.low), L::real_fma(a.high, b.high, c.high)};
  }
  static NTTF_INLINE Real real_fms(const Real& a, const Real& b, const Real& c) {
    return {L::real_fms(a.low, b.low, c.low), L::real_fms(a.high, b.high, c.high)};
  }
  static NTTF_INLINE Real real_fnma(const Real& a, const Real& b, const Real& c) {
    return {L::real_fnma(a.low, b.low, c.low), L::real_fnma(a.high, b.high, c.high)};
  }
  static NTTF_INLINE Real real_floor(const Real& a) { return {L::real_floor(a.low), L::real_floor(a.high)}; }
  static NTTF_INLINE Real real_round(const Real& a) { return {L::real_round(a.low), L::real_round(a.high)}; }
  static NTTF_INLINE Real bits_to_real(const Vec& a) {
    return {L::bits_to_real(a.low), L::bits_to_real(a.high)};
  }
  static NTTF_INLINE Vec real_to_bits(const Real& a) {
    return {L::real_to_bits(a.low), L::real_to_bits(a.high)};
  }
};

/// 32-bit words, and the lanes of 64-bit words in the same registers.
template <class L, class WidePair>
struct PairOf32 : PairOfAny<L> {
  using typename PairOfAny<L>::Word;
  using typename PairOfAny<L>::Vec;
  using Wide = WidePair;

  static NTTF_INLINE Vec evens(const Vec& a) { return {L::evens(a.low), L::evens(a.high)}; }
  static NTTF_INLINE Vec odds(const Vec& a) { return {L::odds(a.low), L::odds(a.high)}; }
  static NTTF_INLINE Vec interleave(const Vec& even, const Vec& odd) {
    return {L::interleave(even.low, odd.low), L::interleave(even.high, odd.high)};
  }
  static NTTF_INLINE Vec merge_upper(const Vec& even, const Vec& odd) {
    return {L::merge_upper(even.low, odd.low), L::merge_upper(even.high, odd.high)};
  }
};

}  // namespace
}  // namespace nttforge::cpu
