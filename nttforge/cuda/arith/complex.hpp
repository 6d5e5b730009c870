// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/cuda/block/block.hpp"
#include "nttforge/cuda/table/kernels.hpp"

namespace nttforge::cuda {

/// Pairs x + y i modulo q, i^2 = -1, the points of a DGT ([Bad18b] Alg. 1): parts as the arithmetic `Real`
/// holds its values, products of four. Lazy arithmetics have products below 2q and a limit of 4q: parts of a
/// product are below 4q before one conditional subtraction. docs/bounds/gpu_butterflies.md
template <class Real>
struct Complex {
  using Word = typename Real::Word;
  using Part = typename Real::Value;
  struct alignas(2 * sizeof(Part)) Value {
    Part re{}, im{};
  };
  struct Twiddle {
    typename Real::Twiddle re, im;
  };
  using Constants = typename Real::Constants;

  static constexpr unsigned kParts = 2;
  static constexpr bool kModular = Real::kModular;
  static_assert(kModular || (Real::kLimit == 4 && Real::kGrowth == 2));
  static constexpr unsigned kLimit = Real::kLimit, kGrowth = Real::kGrowth, kHalf = Real::kHalf,
                            kMost = Real::kMost, kSlack = Real::kSlack;
  static constexpr Arithmetic kArithmetic = Real::kArithmetic;
  static constexpr Multiplication kMultiplication = Real::kMultiplication;
  static constexpr unsigned kEntryWords = 2 * Real::kEntryWords;
  static constexpr std::uint64_t kQLimit = Real::kQLimit;

  static NTTF_HD Constants constants(const CudaLimb<Word>& limb) { return Real::constants(limb); }
  static void fill_constants(CudaLimb<Word>& limb) { Real::fill_constants(limb); }
  static void complex_entry(std::uint64_t re, std::uint64_t im, std::uint64_t q, Word* entry) {
    Real::entry(re, q, entry);
    Real::entry(im, q, entry + Real::kEntryWords);
  }
  static NTTF_HD Twiddle load(const Word* table, std::uint32_t entry) {
    return {Real::load(table, 2 * entry), Real::load(table, 2 * entry + 1)};
  }
  static NTTF_HD Part from_word(Word x, const Constants& c) { return Real::from_word(x, c); }
  static NTTF_HD Part from_lazy_word(Word x) { return Real::from_lazy_word(x); }
  static NTTF_HD Word to_lazy_word(Part x) { return Real::to_lazy_word(x); }
  template <unsigned kBound>
  static NTTF_HD Word to_word(Part x, const Constants& c) {
    return Real::template to_word<kBound>(x, c);
  }

  static NTTF_HD Value halve(Value a, const Constants& c) {
    return {Real::halve(a.re, c), Real::halve(a.im, c)};
  }
  /// Parts in [0, 2q), or [0, q).
  static NTTF_HD Value multiply(Value a, Twiddle w, const Constants& c) {
    const Part x = Real::multiply(a.re, w.re, c), y = Real::multiply(a.im, w.im, c);
    const Part u = Real::multiply(a.re, w.im, c), v = Real::multiply(a.im, w.re, c);
    return halve({subtract(x, y, c), add(u, v, c)}, c);
  }
  static NTTF_HD void forward(Value& a, Value& b, Twiddle w, const Constants& c) {
    const Value t = multiply(b, w, c);
    b = {subtract(a.re, t.re, c), subtract(a.im, t.im, c)};
    a = {add(a.re, t.re, c), add(a.im, t.im, c)};
  }
  static NTTF_HD void inverse(Value& a, Value& b, Twiddle w, const Constants& c) {
    const Value difference{subtract(a.re, b.re, c), subtract(a.im, b.im, c)};
    a = {add(a.re, b.re, c), add(a.im, b.im, c)};
    b = multiply(difference, w, c);
  }

 private:
  static NTTF_HD Part add(Part a, Part b, const Constants& c) {
    if constexpr (kModular) {
      return Real::add(a, b, c);
    } else {
      return a + b;
    }
  }
  /// Lazy: b < 2q -> the difference grows by 2q.
  static NTTF_HD Part subtract(Part a, Part b, const Constants& c) {
    if constexpr (kModular) {
      return Real::subtract(a, b, c);
    } else {
      return a + c.half - b;
    }
  }
};

}  // namespace nttforge::cuda
