// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every algorithm of the collection reads and reports.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nttforge/ntt/algorithms/rings.hpp"

namespace nttforge::algorithms {

/// Tables of one limb and direction. Cyclic algorithms read `powers`, product-tree algorithms `tree` and, for
/// the stages whose twiddles are made on the fly, `low` and `high`.
template <class Word>
struct Tables {
  unsigned log_n = 0;
  const Factor<Word>* powers = nullptr;  ///< omega^i, i in [0, n)
  const Factor<Word>* tree = nullptr;    ///< W[i], i in [1, n >> on_the_fly) (ntt/twiddles/twiddles.hpp)
  const Factor<Word>* low = nullptr;  ///< W[i] = low[k >> high_bits] high[k mod 2^high_bits], k = i or i - m
  const Factor<Word>* high = nullptr;
  unsigned high_bits = 0;
  unsigned on_the_fly = 0;  ///< last stages without a table
  bool cyclic = false;      ///< k = i - m
};

/// Collects the values after each stage; stages count from 1.
template <class Word>
class StageValues {
 public:
  explicit StageValues(std::size_t n) : n_(n) {}

  void stage(unsigned index, const Word* x) { part(index, 0, x, n_); }
  /// Values [offset, offset + count) of one stage, for algorithms that do not finish a stage before the next.
  void part(unsigned index, std::size_t offset, const Word* x, std::size_t count) {
    if (stages_.size() < index) stages_.resize(index, std::vector<std::uint64_t>(n_));
    for (std::size_t i = 0; i < count; ++i) stages_[index - 1][offset + i] = x[i];
  }
  const std::vector<std::vector<std::uint64_t>>& stages() const { return stages_; }

 private:
  std::size_t n_;
  std::vector<std::vector<std::uint64_t>> stages_;
};

/// Transforms x [n] in place or into work [n] and returns where the result is. `values` may be null.
template <class Word>
using Run = Word* (*)(Word q, const Tables<Word>& tables, Word* x, Word* work, StageValues<Word>* values);

template <class Word>
void report(StageValues<Word>* values, unsigned stage, const Word* x) {
  if (values != nullptr) values->stage(stage, x);
}

}  // namespace nttforge::algorithms
