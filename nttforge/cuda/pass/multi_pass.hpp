// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "nttforge/cuda/table/row.hpp"

namespace nttforge::cuda {

/// Transforms of any size above 2^kLogLast. A contiguous pass does the last kLogLast stages; as few strided
/// passes as possible, of nearly equal length, do the stages before. Kernels learn n from the launch, so that
/// a few kernels serve all sizes.
template <class ArithOf>
struct MultiPass {
  using Arith = ArithOf;
  using Word = typename Arith::Word;
  static constexpr unsigned kLogLast = 10, kMostStages = 7, kLeastStages = 3;
  static constexpr unsigned kMinLogN = kLogLast + kLeastStages, kMaxLogN = 28;
  static constexpr unsigned kLogPoints = 3;
  static constexpr bool kHasProduct = true, kHasStep = false;
  /// As many columns as fill a sector or two; passes of few stages have more, for blocks of 64 threads.
  static constexpr unsigned log_columns(unsigned stages) {
    const unsigned least = sizeof(Word) == 8 ? 3 : 4, of_threads = 6 + kLogPoints;
    return stages + least < of_threads ? of_threads - stages : least;
  }
  static constexpr PassShape strided(unsigned stages) {
    return {.stages = stages, .log_columns = log_columns(stages), .log_points = kLogPoints, .min_blocks = 4};
  }
  static constexpr PassShape kLast = {.stages = kLogLast, .log_points = kLogPoints, .min_blocks = 4};

  /// The stages of each strided pass, then those of the contiguous one.
  static std::vector<unsigned> stages(unsigned log_n) {
    std::vector<unsigned> passes;
    unsigned left = log_n - kLogLast;
    for (unsigned count = (left + kMostStages - 1) / kMostStages; count != 0; --count) {
      passes.push_back((left + count - 1) / count);
      left -= passes.back();
    }
    passes.push_back(kLogLast);
    return passes;
  }
  static TableLayout layout(unsigned log_n) {
    TableLayout rounds;
    unsigned first = 0;
    for (const unsigned count : stages(log_n)) {
      with_kernel<false>(count, [&]<class K>() { append_rounds<K>(rounds, first); });
      first += count;
    }
    return rounds;
  }
  template <Where kWhere, bool kInverse>
  static int run(const CudaLaunch<Word>& launch, void* stream) {
    const bool strided_only = launch.part == PassPart::before_last;
    std::vector<unsigned> passes = stages(launch.log_n);
    if (strided_only) passes.pop_back();
    const Word* in = launch.in;
    unsigned first = kInverse ? launch.log_n - (strided_only ? kLogLast : 0) : 0;
    int error = 0;
    for (std::size_t i = 0; i < passes.size() && error == 0; ++i) {
      const unsigned count = passes[kInverse ? passes.size() - 1 - i : i];
      if constexpr (kInverse) first -= count;
      with_kernel<kInverse>(count,
                            [&]<class K>() { error = run_pass<kWhere, K>(launch, in, first, stream); });
      if constexpr (!kInverse) first += count;
      in = launch.out;
    }
    return error;
  }
  static CudaKernelRow<Word> make() {
    CudaKernelRow<Word> row = common_row<MultiPass>();
    row.recipe.algorithm = "multi_pass";
    row.recipe.points = 1u << kLogPoints;
    row.recipe.threads = 1u << (kLogLast - kLogPoints);
    row.recipe.columns = 1u << log_columns(kMostStages);
    row.min_log_n = kMinLogN;
    row.max_log_n = kMaxLogN;
    row.shared_bytes = shared_bytes_of<Pass<Arith, PassRole{.shape = strided(kMostStages)}>>();
    row.launches = 2;
    return row;
  }

 private:
  /// Calls f with the kernel for a pass of `count` stages.
  template <bool kInverse, unsigned kStages = kLeastStages, class F>
  static void with_kernel(unsigned count, const F& f) {
    if constexpr (kStages > kMostStages) {
      f.template operator()<Pass<Arith, PassRole{.shape = kLast, .inverse = kInverse}>>();
    } else if (count == kStages) {
      f.template operator()<Pass<Arith, PassRole{.shape = strided(kStages), .inverse = kInverse}>>();
    } else {
      with_kernel<kInverse, kStages + 1>(count, f);
    }
  }
};

template <class Arith>
CudaKernelRow<typename Arith::Word> make_row(MultiPass<Arith>) {
  return MultiPass<Arith>::make();
}

}  // namespace nttforge::cuda
