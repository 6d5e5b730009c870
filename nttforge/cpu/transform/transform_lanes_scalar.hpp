// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cpu/lanes/lanes_scalar.hpp"

// What transforms need beyond lanes_scalar.hpp.

namespace nttforge::cpu {

/// 32-bit words in memory, 64-bit values in registers, so that q may be anything below 2^32.
struct LanesWide32 : LanesScalar {
  using Word = std::uint32_t;
  static NTTF_INLINE Vec load(const Word* p) { return *p; }
  static NTTF_INLINE void store(Word* p, Vec v) { *p = static_cast<Word>(v); }
  static NTTF_INLINE Vec mul_hi(Vec a, Vec b) { return (a * b) >> 32; }
};

/// LanesWide32 with the upper half of a 64-bit product.
struct LanesFraction32 : LanesWide32 {
  static NTTF_INLINE Vec mul_hi(Vec a, Vec b) { return LanesScalar::mul_hi(a, b); }
};

}  // namespace nttforge::cpu
