#pragma once

#include "nttforge/cpu/lanes_avx512.hpp"
#include "nttforge/ntt/products.hpp"

// Include only from transform_avx512.cpp and transform_avx512_ifma.cpp: what transforms need beyond
// lanes_avx512.hpp.

namespace nttforge::cpu {
namespace {

/// A matrix of 4 x 4 blocks of 128 bits, rows r[0], r[step], r[2 step], r[3 step], transposed.
template <int step, int rows>
NTTF_INLINE void transpose_quarters(__m512i (&r)[rows], int first) {
  const __m512i r0 = r[first], r1 = r[first + step], r2 = r[first + 2 * step], r3 = r[first + 3 * step];
  const __m512i a = _mm512_shuffle_i64x2(r0, r1, 0x44), b = _mm512_shuffle_i64x2(r0, r1, 0xEE);
  const __m512i c = _mm512_shuffle_i64x2(r2, r3, 0x44), d = _mm512_shuffle_i64x2(r2, r3, 0xEE);
  r[first] = _mm512_shuffle_i64x2(a, c, 0x88);
  r[first + step] = _mm512_shuffle_i64x2(a, c, 0xDD);
  r[first + 2 * step] = _mm512_shuffle_i64x2(b, d, 0x88);
  r[first + 3 * step] = _mm512_shuffle_i64x2(b, d, 0xDD);
}

/// 8 x 8 words of 64 bits: 2 x 2 words inside 128-bit blocks, then 4 x 4 blocks.
NTTF_INLINE void transpose_8x8(__m512i (&r)[8]) {
  NTTF_UNROLL for (int i = 0; i < 8; i += 2) {
    const __m512i low = _mm512_unpacklo_epi64(r[i], r[i + 1]), high = _mm512_unpackhi_epi64(r[i], r[i + 1]);
    r[i] = low;
    r[i + 1] = high;
  }
  transpose_quarters<2>(r, 0);
  transpose_quarters<2>(r, 1);
}

/// 16 x 16 words of 32 bits: 4 x 4 words inside 128-bit blocks, then 4 x 4 blocks.
NTTF_INLINE void transpose_16x16(__m512i (&r)[16]) {
  NTTF_UNROLL for (int i = 0; i < 16; i += 4) {
    const __m512i a = _mm512_unpacklo_epi32(r[i], r[i + 1]), b = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    const __m512i c = _mm512_unpacklo_epi32(r[i + 2], r[i + 3]),
                  d = _mm512_unpackhi_epi32(r[i + 2], r[i + 3]);
    r[i] = _mm512_unpacklo_epi64(a, c);
    r[i + 1] = _mm512_unpackhi_epi64(a, c);
    r[i + 2] = _mm512_unpacklo_epi64(b, d);
    r[i + 3] = _mm512_unpackhi_epi64(b, d);
  }
  NTTF_UNROLL for (int i = 0; i < 4; ++i) transpose_quarters<4>(r, i);
}

struct TransformLanesAvx512 : LanesAvx512 {
  static NTTF_INLINE void transpose(Vec (&r)[8]) { transpose_8x8(r); }
};

struct TransformLanes32Avx512 : Lanes32Avx512 {
  static NTTF_INLINE Vec mul_hi(Vec a, Vec b) {
    return merge_upper(_mm512_mul_epu32(a, b), _mm512_mul_epu32(odds(a), odds(b)));
  }
  /// The upper halves of 64-bit words, as words at even and at odd positions.
  static NTTF_INLINE Vec merge_upper(Vec even, Vec odd) {
    return _mm512_mask_blend_epi32(0xAAAA, odds(even), odd);
  }
  static NTTF_INLINE void transpose(Vec (&r)[16]) { transpose_16x16(r); }
};

}  // namespace
}  // namespace nttforge::cpu
