// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "nttforge/base/macros.hpp"

// Include only from *_avx2.cpp. lanes_scalar.hpp explains the members.

namespace nttforge::cpu {

/// Four 64-bit words.
struct LanesAvx2 {
  using Word = std::uint64_t;
  using Vec = __m256i;
  static constexpr std::size_t kWidth = 4;

  static NTTF_INLINE Vec load(const Word* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static NTTF_INLINE void store(Word* p, Vec v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
  static NTTF_INLINE Vec part_mask(std::size_t count) {
    return _mm256_cmpgt_epi64(broadcast(count), _mm256_setr_epi64x(0, 1, 2, 3));
  }
  static NTTF_INLINE Vec load_part(const Word* p, std::size_t count) {
    return _mm256_maskload_epi64(reinterpret_cast<const long long*>(p), part_mask(count));
  }
  static NTTF_INLINE void store_part(Word* p, Vec v, std::size_t count) {
    _mm256_maskstore_epi64(reinterpret_cast<long long*>(p), part_mask(count), v);
  }
  static NTTF_INLINE Vec broadcast(Word v) { return _mm256_set1_epi64x(static_cast<long long>(v)); }
  static NTTF_INLINE Vec add(Vec a, Vec b) { return _mm256_add_epi64(a, b); }
  static NTTF_INLINE Vec sub(Vec a, Vec b) { return _mm256_sub_epi64(a, b); }
  static NTTF_INLINE Vec bit_and(Vec a, Vec b) { return _mm256_and_si256(a, b); }
  static NTTF_INLINE Vec bit_xor(Vec a, Vec b) { return _mm256_xor_si256(a, b); }
  static NTTF_INLINE Vec decrement_if_greater(Vec acc, Vec a, Vec b) {
    return add(acc, _mm256_cmpgt_epi64(a, b));
  }
  static NTTF_INLINE Vec above_mask(Vec a, Vec b) {
    const Vec sign = broadcast(std::uint64_t{1} << 63);  // the comparison is signed
    return _mm256_cmpgt_epi64(bit_xor(a, sign), bit_xor(b, sign));
  }
  static NTTF_INLINE bool any_greater(Vec a, Vec b) { return _mm256_movemask_epi8(above_mask(a, b)) != 0; }
  static NTTF_INLINE Vec shift_left_by(Vec a, Vec counts) { return _mm256_sllv_epi64(a, counts); }
  static NTTF_INLINE Vec shift_right_by(Vec a, Vec counts) { return _mm256_srlv_epi64(a, counts); }
  template <unsigned kCount>
  static NTTF_INLINE Vec shift_left(Vec a) {
    return _mm256_slli_epi64(a, kCount);
  }
  template <unsigned kCount>
  static NTTF_INLINE Vec shift_right(Vec a) {
    return _mm256_srli_epi64(a, kCount);
  }

  /// Product of the lower 32 bits of each word, 64 bits wide. Clang must not see how the result is used: it
  /// would write multiplications of whole words, several instructions or even scalar ones, in place of this
  /// one.
  static NTTF_INLINE Vec mul_32(Vec a, Vec b) {
    Vec product = _mm256_mul_epu32(a, b);
    NTTF_HIDE_FROM_CLANG("x", product);
    return product;
  }
  /// Halves of words as words: lower halves of products, sums, exchanged, the upper ones alone.
  static NTTF_INLINE Vec mul_lo_32(Vec a, Vec b) { return _mm256_mullo_epi32(a, b); }
  static NTTF_INLINE Vec add_32(Vec a, Vec b) { return _mm256_add_epi32(a, b); }
  static NTTF_INLINE Vec swap_halves(Vec a) { return _mm256_shuffle_epi32(a, 0xB1); }
  static NTTF_INLINE Vec upper_halves(Vec a) { return _mm256_blend_epi32(a, _mm256_setzero_si256(), 0x55); }
  static NTTF_INLINE Vec mul_lo(Vec a, Vec b) {
    const Vec cross = add(mul_32(shift_right<32>(a), b), mul_32(a, shift_right<32>(b)));
    return add(mul_32(a, b), shift_left<32>(cross));
  }
  static NTTF_INLINE Vec mul_hi(Vec a, Vec b) {
    const Vec a1 = shift_right<32>(a), b1 = shift_right<32>(b);
    const Vec cross_a = add(mul_32(a1, b), shift_right<32>(mul_32(a, b)));
    const Vec cross_b = add(mul_32(a, b1), bit_and(cross_a, broadcast(0xFFFFFFFFu)));
    return add(add(mul_32(a1, b1), shift_right<32>(cross_a)), shift_right<32>(cross_b));
  }
  /// Leaves out the product of the lower halves, and with it at most one carry.
  static NTTF_INLINE Vec mul_hi_lower(Vec a, Vec b) {
    const Vec a1 = shift_right<32>(a), b1 = shift_right<32>(b);
    const Vec cross_a = mul_32(a1, b);
    const Vec cross_b = add(mul_32(a, b1), bit_and(cross_a, broadcast(0xFFFFFFFFu)));
    return add(add(mul_32(a1, b1), shift_right<32>(cross_a)), shift_right<32>(cross_b));
  }

  /// Per word: x where the sign bit of `sign` is set, else y.
  static NTTF_INLINE Vec select_by_sign(Vec sign, Vec x, Vec y) {
    return _mm256_castpd_si256(
        _mm256_blendv_pd(_mm256_castsi256_pd(y), _mm256_castsi256_pd(x), _mm256_castsi256_pd(sign)));
  }
  static NTTF_INLINE Vec reduce_once(Vec x, Vec m) {
    const Vec t = sub(x, m);
    return select_by_sign(t, x, t);
  }
  /// reduce_once for m <= 2^62, without the selection, which is three operations on some cores.
  static NTTF_INLINE Vec reduce_once_small(Vec x, Vec m) {
    return sub(x, _mm256_andnot_si256(_mm256_cmpgt_epi64(m, x), m));
  }
  static NTTF_INLINE Vec add_if_negative(Vec t, Vec m) { return select_by_sign(t, add(t, m), t); }

  // Doubles, for moduli below 2^50.
  using Real = __m256d;
  static NTTF_INLINE Real real_broadcast(double v) { return _mm256_set1_pd(v); }
  /// Exact for words below 2^52: the word becomes the mantissa of 2^52 + word.
  static NTTF_INLINE Real to_real(Vec a) {
    const __m256d two52 = _mm256_set1_pd(0x1p52);
    return _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(a, _mm256_castpd_si256(two52))), two52);
  }
  /// Exact for integers in [-2^51, 2^51), as two's complement.
  static NTTF_INLINE Vec from_real(Real a) {
    const __m256d middle =
        _mm256_set1_pd(0x1.8p52);  // its lowest mantissa bit counts 1, and it is far from a power of two
    return sub(_mm256_castpd_si256(_mm256_add_pd(a, middle)), _mm256_castpd_si256(middle));
  }
  static NTTF_INLINE Real real_add(Real a, Real b) { return _mm256_add_pd(a, b); }
  static NTTF_INLINE Real real_sub(Real a, Real b) { return _mm256_sub_pd(a, b); }
  static NTTF_INLINE Real real_mul(Real a, Real b) { return _mm256_mul_pd(a, b); }
  static NTTF_INLINE Real real_fma(Real a, Real b, Real c) { return _mm256_fmadd_pd(a, b, c); }  ///< a b + c
  static NTTF_INLINE Real real_fms(Real a, Real b, Real c) { return _mm256_fmsub_pd(a, b, c); }  ///< a b - c
  static NTTF_INLINE Real real_fnma(Real a, Real b, Real c) {
    return _mm256_fnmadd_pd(a, b, c);
  }  ///< c - a b
  static NTTF_INLINE Real real_floor(Real a) { return _mm256_floor_pd(a); }
  static NTTF_INLINE Real real_round(Real a) {
    return _mm256_round_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  static NTTF_INLINE Real bits_to_real(Vec a) { return _mm256_castsi256_pd(a); }
  static NTTF_INLINE Vec real_to_bits(Real a) { return _mm256_castpd_si256(a); }
};

/// Eight 32-bit words.
struct Lanes32Avx2 {
  using Word = std::uint32_t;
  using Vec = __m256i;
  using Wide = LanesAvx2;
  static constexpr std::size_t kWidth = 8;

  static NTTF_INLINE Vec load(const Word* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static NTTF_INLINE void store(Word* p, Vec v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
  static NTTF_INLINE Vec part_mask(std::size_t count) {
    return _mm256_cmpgt_epi32(broadcast(static_cast<Word>(count)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static NTTF_INLINE Vec load_part(const Word* p, std::size_t count) {
    return _mm256_maskload_epi32(reinterpret_cast<const int*>(p), part_mask(count));
  }
  static NTTF_INLINE void store_part(Word* p, Vec v, std::size_t count) {
    _mm256_maskstore_epi32(reinterpret_cast<int*>(p), part_mask(count), v);
  }
  static NTTF_INLINE Vec broadcast(Word v) { return _mm256_set1_epi32(static_cast<int>(v)); }
  static NTTF_INLINE Vec add(Vec a, Vec b) { return _mm256_add_epi32(a, b); }
  static NTTF_INLINE Vec sub(Vec a, Vec b) { return _mm256_sub_epi32(a, b); }
  static NTTF_INLINE Vec min(Vec a, Vec b) { return _mm256_min_epu32(a, b); }
  static NTTF_INLINE Vec mul_lo(Vec a, Vec b) { return _mm256_mullo_epi32(a, b); }
  /// m <= 2^31.
  static NTTF_INLINE Vec reduce_once(Vec x, Vec m) { return min(x, sub(x, m)); }
  /// Per word: a >= b ? x : y, unsigned.
  static NTTF_INLINE Vec select_ge(Vec a, Vec b, Vec x, Vec y) {
    return _mm256_blendv_epi8(y, x, _mm256_cmpeq_epi32(_mm256_max_epu32(a, b), a));
  }
  /// Words 0, 2, 4, 6 and words 1, 3, 5, 7 as 64-bit words; the upper halves of `evens` are left as they are.
  static NTTF_INLINE Vec evens(Vec a) { return a; }
  static NTTF_INLINE Vec odds(Vec a) { return _mm256_srli_epi64(a, 32); }
  static NTTF_INLINE Vec iota() { return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7); }
  static NTTF_INLINE Vec bit_xor(Vec a, Vec b) { return _mm256_xor_si256(a, b); }
  template <unsigned kCount>
  static NTTF_INLINE Vec rotate_left(Vec a) {
    if constexpr (kCount == 16) {
      const Vec bytes = _mm256_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13,  //
                                         2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
      return _mm256_shuffle_epi8(a, bytes);
    } else if constexpr (kCount == 8) {
      const Vec bytes = _mm256_setr_epi8(3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14,  //
                                         3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14);
      return _mm256_shuffle_epi8(a, bytes);
    } else {
      return _mm256_or_si256(_mm256_slli_epi32(a, kCount), _mm256_srli_epi32(a, 32 - kCount));
    }
  }
  /// 2 x 2 blocks of words, then of pairs, then of quadruples change places.
  static NTTF_INLINE void transpose(Vec (&r)[8]) {
    Vec t[8];
    for (int i = 0; i < 8; i += 2) {
      t[i] = _mm256_unpacklo_epi32(r[i], r[i + 1]);
      t[i + 1] = _mm256_unpackhi_epi32(r[i], r[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
      r[i] = _mm256_unpacklo_epi64(t[i], t[i + 2]);
      r[i + 1] = _mm256_unpackhi_epi64(t[i], t[i + 2]);
      r[i + 2] = _mm256_unpacklo_epi64(t[i + 1], t[i + 3]);
      r[i + 3] = _mm256_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    for (int i = 0; i < 4; ++i) {
      t[i] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x20);
      t[i + 4] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x31);
    }
    for (int i = 0; i < 8; ++i) r[i] = t[i];
  }
  static NTTF_INLINE Vec interleave(Vec even, Vec odd) {
    return _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA);
  }
};

}  // namespace nttforge::cpu
