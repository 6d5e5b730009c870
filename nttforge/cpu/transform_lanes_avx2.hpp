#pragma once

#include "nttforge/cpu/lanes_avx2.hpp"
#include "nttforge/ntt/products.hpp"

// Include only from transform_avx2.cpp: what transforms need beyond lanes_avx2.hpp.

namespace nttforge::cpu {
namespace {

struct TransformLanesAvx2 : LanesAvx2 {
  static NTTF_INLINE void transpose(Vec (&r)[4]) {
    const Vec a = _mm256_unpacklo_epi64(r[0], r[1]), b = _mm256_unpackhi_epi64(r[0], r[1]);
    const Vec c = _mm256_unpacklo_epi64(r[2], r[3]), d = _mm256_unpackhi_epi64(r[2], r[3]);
    r[0] = _mm256_permute2x128_si256(a, c, 0x20);
    r[1] = _mm256_permute2x128_si256(b, d, 0x20);
    r[2] = _mm256_permute2x128_si256(a, c, 0x31);
    r[3] = _mm256_permute2x128_si256(b, d, 0x31);
  }
};

struct TransformLanes32Avx2 : Lanes32Avx2 {
  static NTTF_INLINE Vec mul_hi(Vec a, Vec b) {
    return merge_upper(_mm256_mul_epu32(a, b), _mm256_mul_epu32(odds(a), odds(b)));
  }
  /// The upper halves of 64-bit words, as words at even and at odd positions.
  static NTTF_INLINE Vec merge_upper(Vec even, Vec odd) { return _mm256_blend_epi32(odds(even), odd, 0xAA); }
  /// Transposes 2 x 2 blocks of 32-bit words in pairs of rows, then 4 x 4 matrices of 64-bit pairs in each
  /// half.
  static NTTF_INLINE void transpose(Vec (&r)[8]) {
    Vec t[8];
    NTTF_UNROLL for (int i = 0; i < 8; i += 2) {
      t[i] = _mm256_unpacklo_epi32(r[i], r[i + 1]);
      t[i + 1] = _mm256_unpackhi_epi32(r[i], r[i + 1]);
    }
    NTTF_UNROLL for (int i = 0; i < 8;
                     i += 4) {  // columns 0, 1, 2, 3 of rows i ... i + 3, in each 128-bit half
      r[i] = _mm256_unpacklo_epi64(t[i], t[i + 2]);
      r[i + 1] = _mm256_unpackhi_epi64(t[i], t[i + 2]);
      r[i + 2] = _mm256_unpacklo_epi64(t[i + 1], t[i + 3]);
      r[i + 3] = _mm256_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    NTTF_UNROLL for (int i = 0; i < 4; ++i) {
      t[i] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x20);
      t[i + 4] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x31);
    }
    NTTF_UNROLL for (int i = 0; i < 8; ++i) r[i] = t[i];
  }
};

}  // namespace
}  // namespace nttforge::cpu
