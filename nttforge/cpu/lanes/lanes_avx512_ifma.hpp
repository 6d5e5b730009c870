// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cpu/lanes/lanes_avx512.hpp"

// Include only from *_avx512_ifma.cpp.

namespace nttforge::cpu {

/// LanesAvx512 with the 52-bit multiply-add.
struct LanesAvx512Ifma : LanesAvx512 {
  /// acc + the lower (upper) 52 bits of the 104-bit product of the lower 52 bits of a and b.
  static NTTF_INLINE Vec madd52_lo(Vec acc, Vec a, Vec b) { return _mm512_madd52lo_epu64(acc, a, b); }
  static NTTF_INLINE Vec madd52_hi(Vec acc, Vec a, Vec b) { return _mm512_madd52hi_epu64(acc, a, b); }
};

}  // namespace nttforge::cpu
