// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "nttforge/arith/upper_product.hpp"

// A lane type is what a kernel template needs to know about an instruction set: a vector of words and its
// operations. All lane types of one word size have the same members, so a kernel is written once
// (row_ops_kernels.hpp). This one is the reference and serves every machine.
//
//   Vec, kWidth               a vector and how many words it holds
//   load, store               any alignment; load_part / store_part touch only the first `count` words, the
//   rest reads as 0 add, sub, mul_lo          modulo 2^64 (2^32) mul_hi                    upper half of the
//   product, exact; mul_hi_lower: that or one less, cheaper in vectors reduce_once(x, m)         x in [0, 2m)
//   -> x mod m; m <= 2^63 add_if_negative(t, m)     t in [-m, m) as signed -> t mod m; m <= 2^63
//   shift_left/right_by       by a vector of counts, each below the word size
//   decrement_if_greater      acc - 1 where a > b, both below 2^63; else acc
//   above_mask(a, b)          all ones where a > b, unsigned, else 0
//   any_greater(a, b)         whether a > b, unsigned, in any word
//   iota, rotate_left, transpose   32-bit words only: 0, 1, 2, ...; a square of kWidth vectors

namespace nttforge::cpu {

struct LanesScalar {
  using Word = std::uint64_t;
  using Vec = std::uint64_t;
  static constexpr std::size_t kWidth = 1;

  static NTTF_INLINE Vec load(const Word* p) { return *p; }
  static NTTF_INLINE void store(Word* p, Vec v) { *p = v; }
  static NTTF_INLINE Vec load_part(const Word* p, std::size_t count) { return count == 0 ? 0 : *p; }
  static NTTF_INLINE void store_part(Word* p, Vec v, std::size_t count) {
    if (count != 0) *p = v;
  }
  static NTTF_INLINE Vec broadcast(Word v) { return v; }
  static NTTF_INLINE Vec add(Vec a, Vec b) { return a + b; }
  static NTTF_INLINE Vec sub(Vec a, Vec b) { return a - b; }
  static NTTF_INLINE Vec mul_lo(Vec a, Vec b) { return a * b; }
  static NTTF_INLINE Vec mul_hi(Vec a, Vec b) { return upper_product(a, b); }
  static NTTF_INLINE Vec mul_hi_lower(Vec a, Vec b) { return mul_hi(a, b); }
  static NTTF_INLINE Vec shift_left_by(Vec a, Vec counts) { return a << counts; }
  static NTTF_INLINE Vec shift_right_by(Vec a, Vec counts) { return a >> counts; }
  template <unsigned kCount>
  static NTTF_INLINE Vec shift_left(Vec a) {
    return a << kCount;
  }
  template <unsigned kCount>
  static NTTF_INLINE Vec shift_right(Vec a) {
    return a >> kCount;
  }
  static NTTF_INLINE Vec bit_and(Vec a, Vec b) { return a & b; }
  static NTTF_INLINE Vec bit_xor(Vec a, Vec b) { return a ^ b; }
  static NTTF_INLINE Vec decrement_if_greater(Vec acc, Vec a, Vec b) { return acc - ((b - a) >> 63); }
  static NTTF_INLINE Vec above_mask(Vec a, Vec b) { return Vec{0} - static_cast<Vec>(a > b); }
  static NTTF_INLINE bool any_greater(Vec a, Vec b) { return a > b; }
  static NTTF_INLINE Vec add_if_negative(Vec t, Vec m) { return t + (m & (Vec{0} - (t >> 63))); }
  static NTTF_INLINE Vec reduce_once(Vec x, Vec m) {
    const Vec t = x - m;
    return t < x ? t : x;  // a minimum, so compilers make it a conditional move
  }
};

struct Lanes32Scalar {
  using Word = std::uint32_t;
  using Vec = std::uint32_t;
  static constexpr std::size_t kWidth = 1;

  static NTTF_INLINE void store(Word* p, Vec v) { *p = v; }
  static NTTF_INLINE Vec broadcast(Word v) { return v; }
  static NTTF_INLINE Vec iota() { return 0; }
  static NTTF_INLINE Vec add(Vec a, Vec b) { return a + b; }
  static NTTF_INLINE Vec bit_xor(Vec a, Vec b) { return a ^ b; }
  template <unsigned kCount>
  static NTTF_INLINE Vec rotate_left(Vec a) {
    return (a << kCount) | (a >> (32 - kCount));
  }
  static NTTF_INLINE void transpose(Vec (&)[1]) {}
};

}  // namespace nttforge::cpu
