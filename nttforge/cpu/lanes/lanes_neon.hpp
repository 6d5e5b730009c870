// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

#include "nttforge/base/macros.hpp"

// Include only from *_neon.cpp. lanes_scalar.hpp explains the members. A register has 128 bits;
// lanes_pair.hpp makes lanes of two registers, for loops that want more words at once.

namespace nttforge::cpu {

/// Two 64-bit words.
struct LanesNeon {
  using Word = std::uint64_t;
  using Vec = uint64x2_t;
  static constexpr std::size_t kWidth = 2;

  static NTTF_INLINE Vec load(const Word* p) { return vld1q_u64(p); }
  static NTTF_INLINE void store(Word* p, Vec v) { vst1q_u64(p, v); }
  static NTTF_INLINE Vec load_part(const Word* p, std::size_t count) {
    if (count >= kWidth) return load(p);
    return count == 0 ? broadcast(0) : vld1q_lane_u64(p, broadcast(0), 0);
  }
  static NTTF_INLINE void store_part(Word* p, Vec v, std::size_t count) {
    if (count != 0) vst1q_lane_u64(p, v, 0);
    if (count >= kWidth) vst1q_lane_u64(p + 1, v, 1);
  }
  static NTTF_INLINE Vec broadcast(Word v) { return vdupq_n_u64(v); }
  static NTTF_INLINE Vec add(Vec a, Vec b) { return vaddq_u64(a, b); }
  static NTTF_INLINE Vec sub(Vec a, Vec b) { return vsubq_u64(a, b); }
  static NTTF_INLINE Vec bit_and(Vec a, Vec b) { return vandq_u64(a, b); }
  static NTTF_INLINE Vec bit_xor(Vec a, Vec b) { return veorq_u64(a, b); }
  static NTTF_INLINE Vec decrement_if_greater(Vec acc, Vec a, Vec b) { return add(acc, above_mask(a, b)); }
  static NTTF_INLINE Vec above_mask(Vec a, Vec b) { return vcgtq_u64(a, b); }
  static NTTF_INLINE bool any_greater(Vec a, Vec b) {
    return vmaxvq_u32(vreinterpretq_u32_u64(above_mask(a, b))) != 0;
  }
  static NTTF_INLINE Vec shift_left_by(Vec a, Vec counts) {
    return vshlq_u64(a, vreinterpretq_s64_u64(counts));
  }
  static NTTF_INLINE Vec shift_right_by(Vec a, Vec counts) {
    return vshlq_u64(a, vnegq_s64(vreinterpretq_s64_u64(counts)));  // by a negative count, to the right
  }
  template <unsigned kCount>
  static NTTF_INLINE Vec shift_left(Vec a) {
    return vshlq_n_u64(a, kCount);
  }
  template <unsigned kCount>
  static NTTF_INLINE Vec shift_right(Vec a) {
    return vshrq_n_u64(a, kCount);
  }

  /// Product of the lower 32 bits of each word, 64 bits wide.
  static NTTF_INLINE Vec mul_32(Vec a, Vec b) { return vmull_u32(vmovn_u64(a), vmovn_u64(b)); }
  // NEON multiplies no 64-bit words. One by one they take one instruction for each half of a product, and
  // four that move them; from halves in vectors it would be twice as many (docs/decisions/neon.md).
  static NTTF_INLINE Vec mul_lo(Vec a, Vec b) {
    return words(vgetq_lane_u64(a, 0) * vgetq_lane_u64(b, 0), vgetq_lane_u64(a, 1) * vgetq_lane_u64(b, 1));
  }
  static NTTF_INLINE Vec mul_hi(Vec a, Vec b) {
    return words(upper(vgetq_lane_u64(a, 0), vgetq_lane_u64(b, 0)),
                 upper(vgetq_lane_u64(a, 1), vgetq_lane_u64(b, 1)));
  }
  static NTTF_INLINE Vec mul_hi_lower(Vec a, Vec b) { return mul_hi(a, b); }

  /// Per word: x where the sign bit of `sign` is set, else y.
  static NTTF_INLINE Vec select_by_sign(Vec sign, Vec x, Vec y) { return vbslq_u64(negative(sign), x, y); }
  static NTTF_INLINE Vec reduce_once(Vec x, Vec m) { return sub(x, bit_and(m, vcgeq_u64(x, m))); }
  static NTTF_INLINE Vec reduce_once_small(Vec x, Vec m) { return reduce_once(x, m); }
  static NTTF_INLINE Vec add_if_negative(Vec t, Vec m) { return add(t, bit_and(m, negative(t))); }

  // Doubles, for moduli below 2^50.
  using Real = float64x2_t;
  static NTTF_INLINE Real real_broadcast(double v) { return vdupq_n_f64(v); }
  /// Exact for words below 2^53.
  static NTTF_INLINE Real to_real(Vec a) { return vcvtq_f64_u64(a); }
  /// Exact for integers in [-2^63, 2^63), as two's complement.
  static NTTF_INLINE Vec from_real(Real a) { return vreinterpretq_u64_s64(vcvtq_s64_f64(a)); }
  static NTTF_INLINE Real real_add(Real a, Real b) { return vaddq_f64(a, b); }
  static NTTF_INLINE Real real_sub(Real a, Real b) { return vsubq_f64(a, b); }
  static NTTF_INLINE Real real_mul(Real a, Real b) { return vmulq_f64(a, b); }
  static NTTF_INLINE Real real_fma(Real a, Real b, Real c) { return vfmaq_f64(c, a, b); }  ///< a b + c
  /// a b - c. Compilers leave out the negation where the result is added to something.
  static NTTF_INLINE Real real_fms(Real a, Real b, Real c) { return vnegq_f64(vfmsq_f64(c, a, b)); }
  static NTTF_INLINE Real real_fnma(Real a, Real b, Real c) { return vfmsq_f64(c, a, b); }  ///< c - a b
  static NTTF_INLINE Real real_floor(Real a) { return vrndmq_f64(a); }
  static NTTF_INLINE Real real_round(Real a) { return vrndnq_f64(a); }
  static NTTF_INLINE Real bits_to_real(Vec a) { return vreinterpretq_f64_u64(a); }
  static NTTF_INLINE Vec real_to_bits(Real a) { return vreinterpretq_u64_f64(a); }

 private:
  static NTTF_INLINE Vec words(Word low, Word high) { return vsetq_lane_u64(high, vdupq_n_u64(low), 1); }
  static NTTF_INLINE Word upper(Word a, Word b) {
    return static_cast<Word>((static_cast<u128>(a) * b) >> 64);
  }
  static NTTF_INLINE Vec negative(Vec a) { return vcltzq_s64(vreinterpretq_s64_u64(a)); }
};

/// Four 32-bit words, in the vectors of LanesNeon: kernels use one register as words of either length.
struct Lanes32Neon {
  using Word = std::uint32_t;
  using Vec = uint64x2_t;
  using Wide = LanesNeon;
  static constexpr std::size_t kWidth = 4;

  static NTTF_INLINE Vec load(const Word* p) { return vec(vld1q_u32(p)); }
  static NTTF_INLINE void store(Word* p, Vec v) { vst1q_u32(p, words(v)); }
  static NTTF_INLINE Vec load_part(const Word* p, std::size_t count) {
    Word part[kWidth] = {};
    for (std::size_t i = 0; i < kWidth && i < count; ++i) part[i] = p[i];
    return load(part);
  }
  static NTTF_INLINE void store_part(Word* p, Vec v, std::size_t count) {
    Word part[kWidth];
    store(part, v);
    for (std::size_t i = 0; i < kWidth && i < count; ++i) p[i] = part[i];
  }
  static NTTF_INLINE Vec broadcast(Word v) { return vec(vdupq_n_u32(v)); }
  static NTTF_INLINE Vec add(Vec a, Vec b) { return vec(vaddq_u32(words(a), words(b))); }
  static NTTF_INLINE Vec sub(Vec a, Vec b) { return vec(vsubq_u32(words(a), words(b))); }
  static NTTF_INLINE Vec min(Vec a, Vec b) { return vec(vminq_u32(words(a), words(b))); }
  static NTTF_INLINE Vec mul_lo(Vec a, Vec b) { return vec(vmulq_u32(words(a), words(b))); }
  /// m <= 2^31.
  static NTTF_INLINE Vec reduce_once(Vec x, Vec m) { return min(x, sub(x, m)); }
  /// Per word: a >= b ? x : y, unsigned.
  static NTTF_INLINE Vec select_ge(Vec a, Vec b, Vec x, Vec y) {
    return vec(vbslq_u32(vcgeq_u32(words(a), words(b)), words(x), words(y)));
  }
  /// Words 0, 2 and words 1, 3 as 64-bit words; the upper halves of `evens` are left as they are.
  static NTTF_INLINE Vec evens(Vec a) { return a; }
  static NTTF_INLINE Vec odds(Vec a) { return vshrq_n_u64(a, 32); }
  static NTTF_INLINE Vec iota() {
    constexpr Word kCounts[kWidth] = {0, 1, 2, 3};
    return load(kCounts);
  }
  static NTTF_INLINE Vec bit_xor(Vec a, Vec b) { return veorq_u64(a, b); }
  template <unsigned kCount>
  static NTTF_INLINE Vec rotate_left(Vec a) {
    if constexpr (kCount == 16) return vreinterpretq_u64_u16(vrev32q_u16(vreinterpretq_u16_u64(a)));
    return vec(vsriq_n_u32(vshlq_n_u32(words(a), kCount), words(a), 32 - kCount));
  }
  /// 2 x 2 blocks of words, then of pairs, change places.
  static NTTF_INLINE void transpose(Vec (&r)[4]) {
    const Vec a = trn1(r[0], r[1]), b = trn2(r[0], r[1]), c = trn1(r[2], r[3]), d = trn2(r[2], r[3]);
    r[0] = vtrn1q_u64(a, c);
    r[1] = vtrn1q_u64(b, d);
    r[2] = vtrn2q_u64(a, c);
    r[3] = vtrn2q_u64(b, d);
  }
  static NTTF_INLINE Vec interleave(Vec even, Vec odd) { return trn1(even, odd); }

  /// a - b c in one instruction, which compilers would take apart to add something to `a` first.
  static NTTF_INLINE Vec sub_mul(Vec a, Vec b, Vec c) {
    Vec r = vec(vmlsq_u32(words(a), words(b), words(c)));
    __asm__("" : "+w"(r));
    return r;
  }
  /// The upper halves of products.
  static NTTF_INLINE Vec mul_hi(Vec a, Vec b) {
    const uint64x2_t low = vmull_u32(vget_low_u32(words(a)), vget_low_u32(words(b)));
    return vec(vuzp2q_u32(words(low), words(vmull_high_u32(words(a), words(b)))));
  }
  /// The upper halves of 64-bit words, as words at even and at odd positions.
  static NTTF_INLINE Vec merge_upper(Vec even, Vec odd) { return trn2(even, odd); }

 private:
  static NTTF_INLINE uint32x4_t words(Vec a) { return vreinterpretq_u32_u64(a); }
  static NTTF_INLINE Vec vec(uint32x4_t a) { return vreinterpretq_u64_u32(a); }
  static NTTF_INLINE Vec trn1(Vec a, Vec b) { return vec(vtrn1q_u32(words(a), words(b))); }
  static NTTF_INLINE Vec trn2(Vec a, Vec b) { return vec(vtrn2q_u32(words(a), words(b))); }
};

}  // namespace nttforge::cpu
