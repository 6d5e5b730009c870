// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cpu/lanes/lanes_avx2.hpp"
#include "nttforge/ntt/kernels/products/products.hpp"

// Include only from transform_avx2.cpp and transform32_avx2.cpp: what transforms need beyond lanes_avx2.hpp.

namespace nttforge::cpu {
namespace {

// Squares of L x L words are transposed on their way from and to memory: halves of rows i and i + L/2 come
// together by loads of 128 bits, which need no port for shuffles, and only shuffles inside halves are left.

struct TransformLanesAvx2 : LanesAvx2 {
  static NTTF_INLINE void transpose(Vec (&r)[4]) {
    const Vec a = _mm256_unpacklo_epi64(r[0], r[1]), b = _mm256_unpackhi_epi64(r[0], r[1]);
    const Vec c = _mm256_unpacklo_epi64(r[2], r[3]), d = _mm256_unpackhi_epi64(r[2], r[3]);
    r[0] = _mm256_permute2x128_si256(a, c, 0x20);
    r[1] = _mm256_permute2x128_si256(b, d, 0x20);
    r[2] = _mm256_permute2x128_si256(a, c, 0x31);
    r[3] = _mm256_permute2x128_si256(b, d, 0x31);
  }
  /// Lane g of r[i] = word i of row g.
  static NTTF_INLINE void load_square(Vec (&r)[4], const Word* p) {
    const Vec a = halves(p, p + 8), b = halves(p + 4, p + 12);
    const Vec c = halves(p + 2, p + 10), d = halves(p + 6, p + 14);
    r[0] = _mm256_unpacklo_epi64(a, b);
    r[1] = _mm256_unpackhi_epi64(a, b);
    r[2] = _mm256_unpacklo_epi64(c, d);
    r[3] = _mm256_unpackhi_epi64(c, d);
  }
  static NTTF_INLINE void store_square(Word* p, const Vec (&columns)[4]) {
    Vec r[4];
    NTTF_UNROLL for (int i = 0; i < 4; ++i) r[i] = columns[i];
    transpose(r);
    NTTF_UNROLL for (int i = 0; i < 4; ++i) store(p + 4 * i, r[i]);
  }
  /// Words 0, 0, 2, 2, and 1, 1, 3, 3.
  static NTTF_INLINE Vec doubled_evens(const Word* p) { return _mm256_unpacklo_epi64(load(p), load(p)); }
  static NTTF_INLINE Vec doubled_odds(const Word* p) { return _mm256_unpackhi_epi64(load(p), load(p)); }
  /// m - t in odd lanes, t in even ones.
  static NTTF_INLINE Vec reflect_odd(Vec t, Vec m) { return _mm256_blend_epi32(t, sub(m, t), 0xCC); }

  template <class AnyWord>
  static NTTF_INLINE Vec halves(const AnyWord* lower, const AnyWord* upper) {
    const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lower));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(half),
                                   _mm_loadu_si128(reinterpret_cast<const __m128i*>(upper)), 1);
  }
  template <class AnyWord>
  static NTTF_INLINE void store_halves(AnyWord* lower, AnyWord* upper, Vec v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(lower), _mm256_castsi256_si128(v));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(upper), _mm256_extracti128_si256(v, 1));
  }
};

struct TransformLanes32Avx2 : Lanes32Avx2 {
  static NTTF_INLINE Vec mul_hi(Vec a, Vec b) {
    return merge_upper(_mm256_mul_epu32(a, b), _mm256_mul_epu32(odds(a), odds(b)));
  }
  /// The upper halves of 64-bit words, as words at even and at odd positions.
  static NTTF_INLINE Vec merge_upper(Vec even, Vec odd) { return _mm256_blend_epi32(odds(even), odd, 0xAA); }

  static NTTF_INLINE void load_square(Vec (&r)[8], const Word* p) {
    NTTF_UNROLL for (int i = 0; i < 4; ++i) {  // words 0 ... 3 and 4 ... 7 of rows i and i + 4
      r[i] = TransformLanesAvx2::halves(p + 8 * i, p + 8 * i + 32);
      r[i + 4] = TransformLanesAvx2::halves(p + 8 * i + 4, p + 8 * i + 36);
    }
    transpose_quarters(r);
  }
  static NTTF_INLINE void store_square(Word* p, const Vec (&columns)[8]) {
    Vec r[8];
    NTTF_UNROLL for (int i = 0; i < 8; ++i) r[i] = columns[i];
    transpose_quarters(r);
    NTTF_UNROLL for (int i = 0; i < 4; ++i) {
      TransformLanesAvx2::store_halves(p + 8 * i, p + 8 * i + 32, r[i]);
      TransformLanesAvx2::store_halves(p + 8 * i + 4, p + 8 * i + 36, r[i + 4]);
    }
  }

 private:
  /// The four 4 x 4 quarters: halves of r[0 ... 3], and of r[4 ... 7].
  static NTTF_INLINE void transpose_quarters(Vec (&r)[8]) {
    NTTF_UNROLL for (int i = 0; i < 8; i += 4) {
      const Vec a = _mm256_unpacklo_epi32(r[i], r[i + 1]), b = _mm256_unpackhi_epi32(r[i], r[i + 1]);
      const Vec c = _mm256_unpacklo_epi32(r[i + 2], r[i + 3]), d = _mm256_unpackhi_epi32(r[i + 2], r[i + 3]);
      r[i] = _mm256_unpacklo_epi64(a, c);
      r[i + 1] = _mm256_unpackhi_epi64(a, c);
      r[i + 2] = _mm256_unpacklo_epi64(b, d);
      r[i + 3] = _mm256_unpackhi_epi64(b, d);
    }
  }
};

}  // namespace
}  // namespace nttforge::cpu
