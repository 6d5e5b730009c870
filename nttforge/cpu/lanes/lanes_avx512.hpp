// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // false alarms inside the header, GCC bug 105593
#include <immintrin.h>
#pragma GCC diagnostic pop
#else
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>

#include "nttforge/base/macros.hpp"

// Include only from *_avx512.cpp and *_avx512_ifma.cpp. lanes_scalar.hpp explains the members.

namespace nttforge::cpu {

/// Eight 64-bit words. Needs AVX-512 F, DQ.
struct LanesAvx512 {
  using Word = std::uint64_t;
  using Vec = __m512i;
  static constexpr std::size_t kWidth = 8;

  static NTTF_INLINE Vec load(const Word* p) { return _mm512_loadu_si512(p); }
  static NTTF_INLINE void store(Word* p, Vec v) { _mm512_storeu_si512(p, v); }
  static NTTF_INLINE __mmask8 part_mask(std::size_t count) {
    return static_cast<__mmask8>((1u << count) - 1u);
  }
  static NTTF_INLINE Vec load_part(const Word* p, std::size_t count) {
    return _mm512_maskz_loadu_epi64(part_mask(count), p);
  }
  static NTTF_INLINE void store_part(Word* p, Vec v, std::size_t count) {
    _mm512_mask_storeu_epi64(p, part_mask(count), v);
  }
  /// Word i is block[index[i] mod 8].
  static NTTF_INLINE Vec pick(const Word* block, const std::uint32_t* index) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index));
    return _mm512_permutexvar_epi64(_mm512_cvtepu32_epi64(low), load(block));
  }
  static NTTF_INLINE Vec broadcast(Word v) { return _mm512_set1_epi64(static_cast<long long>(v)); }
  static NTTF_INLINE Vec add(Vec a, Vec b) { return _mm512_add_epi64(a, b); }
  static NTTF_INLINE Vec sub(Vec a, Vec b) { return _mm512_sub_epi64(a, b); }
  static NTTF_INLINE Vec min(Vec a, Vec b) { return _mm512_min_epu64(a, b); }
  static NTTF_INLINE Vec bit_and(Vec a, Vec b) { return _mm512_and_si512(a, b); }
  static NTTF_INLINE Vec bit_xor(Vec a, Vec b) { return _mm512_xor_si512(a, b); }
  static NTTF_INLINE Vec decrement_if_greater(Vec acc, Vec a, Vec b) {
    return _mm512_mask_sub_epi64(acc, _mm512_cmpgt_epi64_mask(a, b), acc, broadcast(1));
  }
  static NTTF_INLINE Vec above_mask(Vec a, Vec b) { return _mm512_movm_epi64(_mm512_cmpgt_epu64_mask(a, b)); }
  static NTTF_INLINE bool any_greater(Vec a, Vec b) { return _mm512_cmpgt_epu64_mask(a, b) != 0; }
  static NTTF_INLINE Vec shift_left_by(Vec a, Vec counts) { return _mm512_sllv_epi64(a, counts); }
  static NTTF_INLINE Vec shift_right_by(Vec a, Vec counts) { return _mm512_srlv_epi64(a, counts); }
  template <unsigned kCount>
  static NTTF_INLINE Vec shift_left(Vec a) {
    return _mm512_slli_epi64(a, kCount);
  }
  template <unsigned kCount>
  static NTTF_INLINE Vec shift_right(Vec a) {
    return _mm512_srli_epi64(a, kCount);
  }

  /// Product of the lower 32 bits of each word, 64 bits wide. Clang must not see how the result is used: it
  /// would write multiplications of whole words, several instructions or even scalar ones, in place of this
  /// one.
  static NTTF_INLINE Vec mul_32(Vec a, Vec b) {
    Vec product = _mm512_mul_epu32(a, b);
    NTTF_HIDE_FROM_CLANG("v", product);
    return product;
  }
  static NTTF_INLINE Vec mul_lo(Vec a, Vec b) { return _mm512_mullo_epi64(a, b); }
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
  static NTTF_INLINE Vec reduce_once(Vec x, Vec m) { return min(x, sub(x, m)); }
  static NTTF_INLINE Vec add_if_negative(Vec t, Vec m) { return min(t, add(t, m)); }

  // Doubles, for moduli below 2^50.
  using Real = __m512d;
  static NTTF_INLINE Real real_broadcast(double v) { return _mm512_set1_pd(v); }
  static NTTF_INLINE Real to_real(Vec a) { return _mm512_cvtepu64_pd(a); }
  static NTTF_INLINE Vec from_real(Real a) { return _mm512_cvttpd_epi64(a); }
  static NTTF_INLINE Real real_add(Real a, Real b) { return _mm512_add_pd(a, b); }
  static NTTF_INLINE Real real_sub(Real a, Real b) { return _mm512_sub_pd(a, b); }
  static NTTF_INLINE Real real_mul(Real a, Real b) { return _mm512_mul_pd(a, b); }
  static NTTF_INLINE Real real_fma(Real a, Real b, Real c) { return _mm512_fmadd_pd(a, b, c); }  ///< a b + c
  static NTTF_INLINE Real real_fms(Real a, Real b, Real c) { return _mm512_fmsub_pd(a, b, c); }  ///< a b - c
  static NTTF_INLINE Real real_fnma(Real a, Real b, Real c) {
    return _mm512_fnmadd_pd(a, b, c);
  }  ///< c - a b
  static NTTF_INLINE Real real_floor(Real a) {
    return _mm512_roundscale_pd(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  }
  static NTTF_INLINE Real real_round(Real a) {
    return _mm512_roundscale_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  static NTTF_INLINE Real bits_to_real(Vec a) { return _mm512_castsi512_pd(a); }
  static NTTF_INLINE Vec real_to_bits(Real a) { return _mm512_castpd_si512(a); }
};

/// Sixteen 32-bit words.
struct Lanes32Avx512 {
  using Word = std::uint32_t;
  using Vec = __m512i;
  using Wide = LanesAvx512;
  static constexpr std::size_t kWidth = 16;

  static NTTF_INLINE Vec load(const Word* p) { return _mm512_loadu_si512(p); }
  static NTTF_INLINE void store(Word* p, Vec v) { _mm512_storeu_si512(p, v); }
  static NTTF_INLINE __mmask16 part_mask(std::size_t count) {
    return static_cast<__mmask16>((1u << count) - 1u);
  }
  static NTTF_INLINE Vec load_part(const Word* p, std::size_t count) {
    return _mm512_maskz_loadu_epi32(part_mask(count), p);
  }
  static NTTF_INLINE void store_part(Word* p, Vec v, std::size_t count) {
    _mm512_mask_storeu_epi32(p, part_mask(count), v);
  }
  static NTTF_INLINE Vec broadcast(Word v) { return _mm512_set1_epi32(static_cast<int>(v)); }
  static NTTF_INLINE Vec add(Vec a, Vec b) { return _mm512_add_epi32(a, b); }
  static NTTF_INLINE Vec sub(Vec a, Vec b) { return _mm512_sub_epi32(a, b); }
  static NTTF_INLINE Vec min(Vec a, Vec b) { return _mm512_min_epu32(a, b); }
  static NTTF_INLINE Vec mul_lo(Vec a, Vec b) { return _mm512_mullo_epi32(a, b); }
  /// m <= 2^31.
  static NTTF_INLINE Vec reduce_once(Vec x, Vec m) { return min(x, sub(x, m)); }
  static NTTF_INLINE Vec add_if_negative(Vec t, Vec m) { return min(t, add(t, m)); }
  /// Per word: a >= b ? x : y, unsigned.
  static NTTF_INLINE Vec select_ge(Vec a, Vec b, Vec x, Vec y) {
    return _mm512_mask_blend_epi32(_mm512_cmpge_epu32_mask(a, b), y, x);
  }
  /// Words 0, 2, ... and words 1, 3, ... as 64-bit words; the upper halves of `evens` are left as they are.
  static NTTF_INLINE Vec evens(Vec a) { return a; }
  static NTTF_INLINE Vec odds(Vec a) { return _mm512_srli_epi64(a, 32); }
  static NTTF_INLINE Vec iota() {
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  }
  static NTTF_INLINE Vec bit_xor(Vec a, Vec b) { return _mm512_xor_si512(a, b); }
  template <unsigned kCount>
  static NTTF_INLINE Vec rotate_left(Vec a) {
    return _mm512_rol_epi32(a, kCount);
  }
  /// 2 x 2 blocks of words, then of pairs, quadruples and octuples change places.
  static NTTF_INLINE void transpose(Vec (&r)[16]) {
    Vec t[16];
    for (int i = 0; i < 16; i += 2) {
      t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
      t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
      r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
      r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
      r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
      r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    for (int i = 0; i < 16; i += 8) {
      for (int j = i; j < i + 4; ++j) {
        t[j] = _mm512_shuffle_i32x4(r[j], r[j + 4], 0x88);      // quarters 0 and 2 of both
        t[j + 4] = _mm512_shuffle_i32x4(r[j], r[j + 4], 0xDD);  // quarters 1 and 3
      }
    }
    for (int j = 0; j < 8; ++j) {
      r[j] = _mm512_shuffle_i32x4(t[j], t[j + 8], 0x88);
      r[j + 8] = _mm512_shuffle_i32x4(t[j], t[j + 8], 0xDD);
    }
  }
  static NTTF_INLINE Vec interleave(Vec even, Vec odd) {
    return _mm512_mask_blend_epi32(0xAAAA, even, _mm512_slli_epi64(odd, 32));
  }
};

}  // namespace nttforge::cpu
