// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wasm_simd128.h>

#include <cstddef>
#include <cstdint>

#include "nttforge/base/macros.hpp"

// Include only from *_wasm.cpp. lanes_scalar.hpp explains the members. A register of SIMD128 has 128 bits,
// and no operation multiplies doubles and adds with one rounding: there are lanes of integers alone.

namespace nttforge::cpu {

/// Two 64-bit words.
struct LanesWasm {
  using Word = std::uint64_t;
  using Vec = v128_t;
  static constexpr std::size_t kWidth = 2;

  static NTTF_INLINE Vec load(const Word* p) { return wasm_v128_load(p); }
  static NTTF_INLINE void store(Word* p, Vec v) { wasm_v128_store(p, v); }
  static NTTF_INLINE Vec load_part(const Word* p, std::size_t count) {
    if (count >= kWidth) return load(p);
    return count == 0 ? broadcast(0) : wasm_v128_load64_zero(p);
  }
  static NTTF_INLINE void store_part(Word* p, Vec v, std::size_t count) {
    if (count != 0) wasm_v128_store64_lane(p, v, 0);
    if (count >= kWidth) wasm_v128_store64_lane(p + 1, v, 1);
  }
  static NTTF_INLINE Vec broadcast(Word v) { return wasm_u64x2_splat(v); }
  static NTTF_INLINE Vec add(Vec a, Vec b) { return wasm_i64x2_add(a, b); }
  static NTTF_INLINE Vec sub(Vec a, Vec b) { return wasm_i64x2_sub(a, b); }
  static NTTF_INLINE Vec bit_and(Vec a, Vec b) { return wasm_v128_and(a, b); }
  static NTTF_INLINE Vec bit_xor(Vec a, Vec b) { return wasm_v128_xor(a, b); }
  static NTTF_INLINE Vec decrement_if_greater(Vec acc, Vec a, Vec b) { return add(acc, wasm_i64x2_gt(a, b)); }
  static NTTF_INLINE Vec above_mask(Vec a, Vec b) {
    const Vec sign = broadcast(std::uint64_t{1} << 63);
    return wasm_i64x2_gt(bit_xor(a, sign), bit_xor(b, sign));
  }
  static NTTF_INLINE bool any_greater(Vec a, Vec b) { return wasm_v128_any_true(above_mask(a, b)); }
  static NTTF_INLINE Vec shift_left_by(Vec a, Vec counts) {
    return wasm_u64x2_make(word<0>(a) << word<0>(counts), word<1>(a) << word<1>(counts));
  }
  static NTTF_INLINE Vec shift_right_by(Vec a, Vec counts) {
    return wasm_u64x2_make(word<0>(a) >> word<0>(counts), word<1>(a) >> word<1>(counts));
  }
  template <unsigned kCount>
  static NTTF_INLINE Vec shift_left(Vec a) {
    return wasm_i64x2_shl(a, kCount);
  }
  template <unsigned kCount>
  static NTTF_INLINE Vec shift_right(Vec a) {
    return wasm_u64x2_shr(a, kCount);
  }

  /// Product of the lower 32 bits of each word, 64 bits wide.
  static NTTF_INLINE Vec mul_32(Vec a, Vec b) {
    return wasm_u64x2_extmul_low_u32x4(wasm_i32x4_shuffle(a, a, 0, 2, 0, 2),
                                       wasm_i32x4_shuffle(b, b, 0, 2, 0, 2));
  }
  static NTTF_INLINE Vec mul_lo(Vec a, Vec b) { return wasm_i64x2_mul(a, b); }
  static NTTF_INLINE Vec mul_hi(Vec a, Vec b) {
    const Vec mask = broadcast(0xFFFFFFFFu), ah = shift_right<32>(a), bh = shift_right<32>(b);
    const Vec cross = add(mul_32(ah, b), shift_right<32>(mul_32(a, b)));
    const Vec other = add(mul_32(a, bh), bit_and(cross, mask));
    return add(add(mul_32(ah, bh), shift_right<32>(cross)), shift_right<32>(other));
  }
  static NTTF_INLINE Vec mul_hi_lower(Vec a, Vec b) { return mul_hi(a, b); }

  static NTTF_INLINE Vec reduce_once(Vec x, Vec m) { return add_if_negative(sub(x, m), m); }
  static NTTF_INLINE Vec add_if_negative(Vec t, Vec m) { return add(t, bit_and(m, wasm_i64x2_shr(t, 63))); }

 private:
  template <int kLane>
  static NTTF_INLINE Word word(Vec a) {
    return static_cast<Word>(wasm_i64x2_extract_lane(a, kLane));
  }
};

/// Four 32-bit words.
struct Lanes32Wasm {
  using Word = std::uint32_t;
  using Vec = v128_t;
  using Wide = LanesWasm;
  static constexpr std::size_t kWidth = 4;

  static NTTF_INLINE Vec load(const Word* p) { return wasm_v128_load(p); }
  static NTTF_INLINE void store(Word* p, Vec v) { wasm_v128_store(p, v); }
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
  static NTTF_INLINE Vec broadcast(Word v) { return wasm_u32x4_splat(v); }
  static NTTF_INLINE Vec add(Vec a, Vec b) { return wasm_i32x4_add(a, b); }
  static NTTF_INLINE Vec sub(Vec a, Vec b) { return wasm_i32x4_sub(a, b); }
  static NTTF_INLINE Vec min(Vec a, Vec b) { return wasm_u32x4_min(a, b); }
  static NTTF_INLINE Vec mul_lo(Vec a, Vec b) { return wasm_i32x4_mul(a, b); }
  /// The upper halves of products.
  static NTTF_INLINE Vec mul_hi(Vec a, Vec b) {
    return wasm_i32x4_shuffle(wasm_u64x2_extmul_low_u32x4(a, b), wasm_u64x2_extmul_high_u32x4(a, b), 1, 3, 5,
                              7);
  }
  /// m <= 2^31.
  static NTTF_INLINE Vec reduce_once(Vec x, Vec m) { return min(x, sub(x, m)); }
  /// Per word: a >= b ? x : y, unsigned.
  static NTTF_INLINE Vec select_ge(Vec a, Vec b, Vec x, Vec y) {
    return wasm_v128_bitselect(x, y, wasm_u32x4_ge(a, b));
  }
  /// Words 0, 2 and words 1, 3 as 64-bit words; the upper halves of `evens` are left as they are.
  static NTTF_INLINE Vec evens(Vec a) { return a; }
  static NTTF_INLINE Vec odds(Vec a) { return wasm_u64x2_shr(a, 32); }
  static NTTF_INLINE Vec interleave(Vec even, Vec odd) { return wasm_i32x4_shuffle(even, odd, 0, 4, 2, 6); }
  /// The upper halves of 64-bit words, as words at even and at odd positions.
  static NTTF_INLINE Vec merge_upper(Vec even, Vec odd) { return wasm_i32x4_shuffle(even, odd, 1, 5, 3, 7); }
  static NTTF_INLINE Vec iota() { return wasm_u32x4_const(0, 1, 2, 3); }
  static NTTF_INLINE Vec bit_xor(Vec a, Vec b) { return wasm_v128_xor(a, b); }
  template <unsigned kCount>
  static NTTF_INLINE Vec rotate_left(Vec a) {
    // A shuffle of halves would be two instructions, and one of bytes loads its constant every time.
    if constexpr (kCount == 16)
      return wasm_i8x16_swizzle(a, wasm_u8x16_const(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
    return wasm_v128_or(wasm_i32x4_shl(a, kCount), wasm_u32x4_shr(a, 32 - kCount));
  }
  /// 2 x 2 blocks of words, then of pairs, change places.
  static NTTF_INLINE void transpose(Vec (&r)[4]) {
    const Vec a = wasm_i32x4_shuffle(r[0], r[1], 0, 4, 1, 5), b = wasm_i32x4_shuffle(r[0], r[1], 2, 6, 3, 7);
    const Vec c = wasm_i32x4_shuffle(r[2], r[3], 0, 4, 1, 5), d = wasm_i32x4_shuffle(r[2], r[3], 2, 6, 3, 7);
    r[0] = wasm_i64x2_shuffle(a, c, 0, 2);
    r[1] = wasm_i64x2_shuffle(a, c, 1, 3);
    r[2] = wasm_i64x2_shuffle(b, d, 0, 2);
    r[3] = wasm_i64x2_shuffle(b, d, 1, 3);
  }
};

}  // namespace nttforge::cpu
