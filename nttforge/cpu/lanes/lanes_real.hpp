// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>

#include "nttforge/base/macros.hpp"

// Vectors of kWidth doubles in the compiler's own, which every instruction set of that width computes as its
// flags say. No operation is contracted.

namespace nttforge::cpu {
namespace {

// g++ wants the size of a vector to be no parameter.
template <std::size_t kWidth>
struct VectorsOf;
#define NTTF_VECTORS_OF(width)                                                                         \
  template <>                                                                                          \
  struct VectorsOf<width> {                                                                            \
    typedef double Vec __attribute__((vector_size(8 * width)));                                        \
    typedef std::int64_t Bits __attribute__((vector_size(8 * width)));                                 \
    typedef double Unaligned __attribute__((vector_size(8 * width), aligned(8), may_alias));           \
    typedef std::int64_t UnalignedBits __attribute__((vector_size(8 * width), aligned(8), may_alias)); \
  }
NTTF_VECTORS_OF(2);
NTTF_VECTORS_OF(4);
NTTF_VECTORS_OF(8);
#undef NTTF_VECTORS_OF

template <std::size_t kWidth>
struct RealLanes {
  using Vec = typename VectorsOf<kWidth>::Vec;
  using Bits = typename VectorsOf<kWidth>::Bits;
  using Unaligned = typename VectorsOf<kWidth>::Unaligned;
  using UnalignedBits = typename VectorsOf<kWidth>::UnalignedBits;

  static NTTF_INLINE Vec load(const double* at) { return *reinterpret_cast<const Unaligned*>(at); }
  static NTTF_INLINE void store(double* at, Vec x) { *reinterpret_cast<Unaligned*>(at) = x; }
  static NTTF_INLINE Bits load_bits(const std::uint64_t* at) {
    return *reinterpret_cast<const UnalignedBits*>(at);
  }
  static NTTF_INLINE void store_bits(std::uint64_t* at, Bits x) { *reinterpret_cast<UnalignedBits*>(at) = x; }
  static NTTF_INLINE Vec all(double x) { return x - Vec{}; }
  static NTTF_INLINE Bits all_bits(std::int64_t x) { return x - Bits{}; }
  static NTTF_INLINE Bits bits_of(Vec x) { return reinterpret_cast<Bits>(x); }
  static NTTF_INLINE Vec real_of(Bits x) { return reinterpret_cast<Vec>(x); }
  static NTTF_INLINE Vec upper_half(Vec x) {
    const Vec moved = x * all(0x1p27 + 1);
    return moved - (moved - x);
  }
  static NTTF_INLINE Vec magnitude(Vec x) { return real_of(bits_of(x) & all_bits(INT64_MAX)); }

  /// a b + c, rounded once.
  static NTTF_INLINE Vec fused(Vec a, Vec b, Vec c) {
#if defined(__AVX512F__)
    if constexpr (kWidth == 8) return _mm512_fmadd_pd(a, b, c);
#endif
#if defined(__FMA__)
    if constexpr (kWidth == 4) return _mm256_fmadd_pd(a, b, c);
#endif
    Vec result{};
    for (std::size_t i = 0; i < kWidth; ++i) result[i] = __builtin_fma(a[i], b[i], c[i]);
    return result;
  }

  /// a b - product, exactly; product = a b, rounded.
  static NTTF_INLINE Vec rest(Vec a, Vec b, Vec product) {
#if defined(__wasm__)
    // No operation rounds once: halves of 26 bits have exact products [Dek71]. Where these underflow the C
    // library's fma would differ in bits below 2^-1000, which no integer sees.
    const Vec a_high = upper_half(a), a_low = a - a_high, b_high = upper_half(b), b_low = b - b_high;
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
#else
    return fused(a, b, -product);
#endif
  }

  /// kWidth vectors of as many numbers, transposed.
  static NTTF_INLINE void transpose(Vec* x) {
    if constexpr (kWidth == 2) {
      const Vec a = x[0], b = x[1];
      x[0] = __builtin_shufflevector(a, b, 0, 2);
      x[1] = __builtin_shufflevector(a, b, 1, 3);
    } else if constexpr (kWidth == 4) {
      for (std::size_t i = 0; i < 4; i += 2) {
        const Vec a = x[i], b = x[i + 1];
        x[i] = __builtin_shufflevector(a, b, 0, 4, 2, 6);
        x[i + 1] = __builtin_shufflevector(a, b, 1, 5, 3, 7);
      }
      for (std::size_t i = 0; i < 2; ++i) {
        const Vec a = x[i], b = x[i + 2];
        x[i] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
        x[i + 2] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
      }
    } else {
      static_assert(kWidth == 8);
      for (std::size_t i = 0; i < 8; i += 2) {
        const Vec a = x[i], b = x[i + 1];
        x[i] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
        x[i + 1] = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
      }
      for (std::size_t i = 0; i < 8; i += i % 2 == 0 ? 1 : 3) {
        const Vec a = x[i], b = x[i + 2];
        x[i] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
        x[i + 2] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
      }
      for (std::size_t i = 0; i < 4; ++i) {
        const Vec a = x[i], b = x[i + 4];
        x[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
        x[i + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
      }
    }
  }
};

}  // namespace
}  // namespace nttforge::cpu
