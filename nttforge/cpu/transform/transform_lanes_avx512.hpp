// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "nttforge/cpu/lanes/lanes_avx512.hpp"
#include "nttforge/ntt/kernels/products/products.hpp"
#include "nttforge/ntt/kernels/thirty_two/lane_exchange.hpp"

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

/// Indices of the two-vector permutations, [inverted][step].
template <class Index, std::size_t lanes, unsigned steps>
struct ExchangeTables {
  alignas(64) Index first[2][steps][lanes];
  alignas(64) Index second[2][steps][lanes];
};
template <class Index, std::size_t lanes, unsigned steps>
constexpr ExchangeTables<Index, lanes, steps> make_exchange_tables() {
  ExchangeTables<Index, lanes, steps> tables{};
  for (unsigned inverted = 0; inverted < 2; ++inverted) {
    for (unsigned step = 0; step < steps; ++step) {
      const auto map = exchange_map<lanes>(inverted != 0, step);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        tables.first[inverted][step][lane] = map.first[lane];
        tables.second[inverted][step][lane] = map.second[lane];
      }
    }
  }
  return tables;
}

/// Computes nothing, but hides v from the compiler. g++ 12 takes the brackets of t = p - e away, and then
/// writes x + t and x + m - t with one operation more than these three.
NTTF_INLINE __m512i opaque(__m512i v) {
  asm("" : "+v"(v));
  return v;
}

struct TransformLanesAvx512 : LanesAvx512 {
  static NTTF_INLINE Vec sub(Vec a, Vec b) { return opaque(LanesAvx512::sub(a, b)); }
  /// m - t in the upper half of the lanes, t in the lower.
  static NTTF_INLINE Vec reflect_upper(Vec t, Vec m) { return _mm512_mask_sub_epi64(t, 0xF0, m, t); }
  /// m - t in the second and fourth quarter of the lanes, t in the others.
  static NTTF_INLINE Vec reflect_odd_quarters(Vec t, Vec m) { return _mm512_mask_sub_epi64(t, 0xCC, m, t); }
  /// opaque: of this and the broadcast of a quarter g++ 12 at -O1 makes an insertion that it cannot print.
  static NTTF_INLINE Vec join_halves(Vec lower, Vec upper) {
    return _mm512_mask_blend_epi64(0xF0, opaque(lower), opaque(upper));
  }
  static NTTF_INLINE void transpose(Vec (&r)[8]) { transpose_8x8(r); }
  static constexpr auto kExchange = make_exchange_tables<std::uint64_t, 8, 4>();
  template <bool inverted>
  static NTTF_INLINE void exchange(Vec& a, Vec& b, unsigned step) {
    const Vec old = a;
    a = _mm512_permutex2var_epi64(old, load(kExchange.first[inverted][step]), b);
    b = _mm512_permutex2var_epi64(old, load(kExchange.second[inverted][step]), b);
  }
  template <unsigned kCount>
  static NTTF_INLINE Vec rotate_left(Vec a) {
    return _mm512_rol_epi64(a, kCount);
  }
  /// `count` words, again and again.
  template <std::size_t count>
  static NTTF_INLINE Vec load_repeated(const Word* p) {
    if constexpr (count == 2) {
      return _mm512_broadcast_i64x2(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    } else if constexpr (count == 4) {
      return _mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    } else {
      return load(p);
    }
  }
};

struct TransformLanes32Avx512 : Lanes32Avx512 {
  static NTTF_INLINE Vec sub(Vec a, Vec b) { return opaque(Lanes32Avx512::sub(a, b)); }
  static NTTF_INLINE Vec reflect_odd_quarters(Vec t, Vec m) { return _mm512_mask_sub_epi32(t, 0xF0F0, m, t); }
  static NTTF_INLINE Vec join_halves(Vec lower, Vec upper) {
    return _mm512_mask_blend_epi32(0xFF00, opaque(lower), opaque(upper));
  }
  static NTTF_INLINE Vec mul_hi(Vec a, Vec b) { return mul_hi(a, b, odds(b)); }
  /// b_odds: words 1, 3, ... of b at even places, whatever the others are.
  static NTTF_INLINE Vec mul_hi(Vec a, Vec b, Vec b_odds) {
    return merge_upper(_mm512_mul_epu32(a, b), _mm512_mul_epu32(odds(a), b_odds));
  }
  /// The upper halves of 64-bit words, as words at even and at odd positions: one shuffle under a mask.
  static NTTF_INLINE Vec merge_upper(Vec even, Vec odd) {
    const __m512 even_words = _mm512_castsi512_ps(even), odd_words = _mm512_castsi512_ps(odd);
    return _mm512_castps_si512(_mm512_mask_movehdup_ps(odd_words, 0x5555, even_words));
  }
  static NTTF_INLINE void transpose(Vec (&r)[16]) { transpose_16x16(r); }
  static constexpr auto kExchange = make_exchange_tables<std::uint32_t, 16, 5>();
  template <bool inverted>
  static NTTF_INLINE void exchange(Vec& a, Vec& b, unsigned step) {
    const Vec old = a;
    a = _mm512_permutex2var_epi32(old, load(kExchange.first[inverted][step]), b);
    b = _mm512_permutex2var_epi32(old, load(kExchange.second[inverted][step]), b);
  }
  template <std::size_t count>
  static NTTF_INLINE Vec load_repeated(const Word* p) {
    if constexpr (count == 2) {
      long long both;  // broadcast from memory, not from a register
      std::memcpy(&both, p, sizeof both);
      return _mm512_set1_epi64(both);
    } else if constexpr (count == 4) {
      return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    } else if constexpr (count == 8) {
      return _mm512_broadcast_i32x8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    } else {
      return load(p);
    }
  }
};

}  // namespace
}  // namespace nttforge::cpu
