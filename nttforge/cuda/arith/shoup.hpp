// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/cuda/block/block.hpp"
#include "nttforge/cuda/table/kernels.hpp"

namespace nttforge::cuda {

/// What the classes of Shoup's product share ([Har14] Alg. 4 and 5): words that are their own values,
/// twiddles with their quotients, butterflies. `Class` has multiply(), growth(constants), half(constants):
/// products are below kGrowthOf q, values below kLimitOf q. docs/bounds/gpu_butterflies.md
template <class Class, class WordOf, unsigned kLimitOf, unsigned kGrowthOf>
struct ShoupButterflies {
  using Word = WordOf;
  using Value = Word;
  struct alignas(2 * sizeof(Word)) Twiddle {
    Word value, quotient;
  };

  static constexpr unsigned kLimit = kLimitOf;    ///< values < kLimit q
  static constexpr unsigned kGrowth = kGrowthOf;  ///< products < kGrowth q
  static constexpr unsigned kHalf = kLimit / 2;
  static constexpr unsigned kMost = kHalf;  ///< q, before an inverse butterfly
  static constexpr bool kModular = false;
  static constexpr Multiplication kMultiplication = Multiplication::shoup;
  static constexpr unsigned kEntryWords = 2;

  static NTTF_HD Twiddle load(const Word* table, std::uint32_t entry) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(Word) == 8) {
      const ulonglong2 v = __ldg(reinterpret_cast<const ulonglong2*>(table) + entry);
      return {v.x, v.y};
    } else {
      const uint2 v = __ldg(reinterpret_cast<const uint2*>(table) + entry);
      return {v.x, v.y};
    }
#else
    return {table[2 * std::size_t{entry}], table[2 * std::size_t{entry} + 1]};
#endif
  }
  template <class Constants>
  static NTTF_HD Value from_word(Word x, const Constants&) {
    return x;
  }
  /// Words as passes of a transform leave them for the next pass.
  static NTTF_HD Value from_lazy_word(Word x) { return x; }
  static NTTF_HD Word to_lazy_word(Value x) { return x; }

  /// [0, kLimit q) -> [0, kHalf q).
  template <class Constants>
  static NTTF_HD Value halve(Value a, const Constants& c) {
    return Class::subtract_if(a, Class::half(c));
  }
  /// a < (kLimit - kGrowth) q, any b -> both grow by kGrowth q.
  template <class Constants>
  static NTTF_HD void forward(Value& a, Value& b, Twiddle w, const Constants& c) {
    const Value t = Class::multiply(b, w, c);
    b = a + Class::growth(c) - t;
    a = a + t;
  }
  /// a, b <= kHalf q -> a + b and the product of the difference.
  template <class Constants>
  static NTTF_HD void inverse(Value& a, Value& b, Twiddle w, const Constants& c) {
    const Value difference = a + Class::half(c) - b;
    a = a + b;
    b = Class::multiply(difference, w, c);
  }
};

}  // namespace nttforge::cuda
