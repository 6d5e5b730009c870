// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cpu/lanes/lanes_neon.hpp"
#include "nttforge/cpu/lanes/lanes_pair.hpp"
#include "nttforge/cpu/lanes/lanes_scalar.hpp"
#include "nttforge/ntt/kernels/products/products.hpp"

// Include only from transform_neon.cpp and dgt_neon.cpp: what transforms need beyond lanes_neon.hpp.

namespace nttforge::cpu {
namespace {

/// Plain words, for 64-bit primes. A type of its own, so that its kernels stay in the files that name it.
struct TransformWordsNeon : LanesScalar {
  /// a - b c in one instruction, which compilers would take apart to add something to `a` first.
  static NTTF_INLINE Vec sub_mul(Vec a, Vec b, Vec c) {
    Vec r = a - b * c;
    __asm__("" : "+r"(r));
    return r;
  }
};

/// Four 64-bit words in two registers.
struct TransformLanesNeon : PairOf64<LanesNeon> {
  /// Both registers' lower halves of words go into one register each.
  static NTTF_INLINE Vec mul_32(const Vec& a, const Vec& b) {
    const uint32x4_t x = lower_halves(a), y = lower_halves(b);
    return {vmull_u32(vget_low_u32(x), vget_low_u32(y)), vmull_high_u32(x, y)};
  }
  static NTTF_INLINE void transpose(Vec (&r)[4]) {
    Vec t[4];
    NTTF_UNROLL for (int i = 0; i < 4; i += 2) {
      t[i] = {vtrn1q_u64(r[i].low, r[i + 1].low), vtrn1q_u64(r[i].high, r[i + 1].high)};
      t[i + 1] = {vtrn2q_u64(r[i].low, r[i + 1].low), vtrn2q_u64(r[i].high, r[i + 1].high)};
    }
    NTTF_UNROLL for (int i = 0; i < 2; ++i) {
      r[i] = {t[i].low, t[i + 2].low};
      r[i + 2] = {t[i].high, t[i + 2].high};
    }
  }
  /// Words 0, 0, 2, 2, and 1, 1, 3, 3.
  static NTTF_INLINE Vec doubled_evens(const Word* p) { return {vld1q_dup_u64(p), vld1q_dup_u64(p + 2)}; }
  static NTTF_INLINE Vec doubled_odds(const Word* p) { return {vld1q_dup_u64(p + 1), vld1q_dup_u64(p + 3)}; }
  /// m - t in odd lanes, t in even ones.
  static NTTF_INLINE Vec reflect_odd(const Vec& t, const Vec& m) {
    const Vec opposite = sub(m, t);
    return {vcopyq_laneq_u64(t.low, 1, opposite.low, 1), vcopyq_laneq_u64(t.high, 1, opposite.high, 1)};
  }

 private:
  static NTTF_INLINE uint32x4_t lower_halves(const Vec& a) {
    return vuzp1q_u32(vreinterpretq_u32_u64(a.low), vreinterpretq_u32_u64(a.high));
  }
};

/// Eight 32-bit words in two registers.
struct TransformLanes32Neon : PairOf32<Lanes32Neon, TransformLanesNeon> {
  /// The four 4 x 4 quarters.
  static NTTF_INLINE void transpose(Vec (&r)[8]) {
    Lanes32Neon::Vec quarters[4][4];
    NTTF_UNROLL for (int i = 0; i < 4; ++i) {
      quarters[0][i] = r[i].low;
      quarters[1][i] = r[i + 4].low;
      quarters[2][i] = r[i].high;
      quarters[3][i] = r[i + 4].high;
    }
    NTTF_UNROLL for (int i = 0; i < 4; ++i) Lanes32Neon::transpose(quarters[i]);
    NTTF_UNROLL for (int i = 0; i < 4; ++i) {
      r[i] = {quarters[0][i], quarters[1][i]};
      r[i + 4] = {quarters[2][i], quarters[3][i]};
    }
  }
};

}  // namespace
}  // namespace nttforge::cpu
