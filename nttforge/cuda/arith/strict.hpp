// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/cuda/block/block.hpp"
#include "nttforge/cuda/table/kernels.hpp"

namespace nttforge::cuda {

/// What arithmetics share whose values are always residues in [0, q), and whose table has one word an entry.
/// Field gives add, subtract, multiply.
template <class Field, class WordOf>
struct StrictArith {
  using Word = WordOf;
  using Value = WordOf;

  static constexpr unsigned kLimit = 1;
  static constexpr unsigned kGrowth = 0;
  static constexpr unsigned kHalf = 1;
  static constexpr unsigned kMost = 1;
  static constexpr bool kModular = true;
  static constexpr unsigned kSlack = 0;
  static constexpr unsigned kEntryWords = 1;

  template <class Constants>
  static NTTF_HD Value from_word(Word x, const Constants&) {
    return x;
  }
  static NTTF_HD Value from_lazy_word(Word x) { return x; }
  static NTTF_HD Word to_lazy_word(Value x) { return x; }
  template <unsigned kBound, class Constants>
  static NTTF_HD Word to_word(Value x, const Constants&) {
    return x;
  }
  template <class Constants>
  static NTTF_HD Value halve(Value a, const Constants&) {
    return a;
  }
  template <class Twiddle, class Constants>
  static NTTF_HD void forward(Value& a, Value& b, Twiddle w, const Constants& c) {
    const Value t = Field::multiply(b, w, c);
    b = Field::subtract(a, t, c);
    a = Field::add(a, t, c);
  }
  template <class Twiddle, class Constants>
  static NTTF_HD void inverse(Value& a, Value& b, Twiddle w, const Constants& c) {
    const Value difference = Field::subtract(a, b, c);
    a = Field::add(a, b, c);
    b = Field::multiply(difference, w, c);
  }
};

}  // namespace nttforge::cuda
