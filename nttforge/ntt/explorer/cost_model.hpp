// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace nttforge {

/// One row (one limb of one polynomial) as the model sees it.
struct RowCost {
  std::size_t n = 1;
  std::size_t word_bytes = 8;
  double butterfly_ns = 0;  ///< of the kernel, data in the first-level cache (TransformKernel::butterfly_ns)
  double butterflies = 0;   ///< n/2 log2 n
  unsigned permutations = 0;  ///< bit reversals before and after
  bool cuttable = false;      ///< the kernel can share one row among threads
};

/// Predicted time of one row on one thread, in nanoseconds: a call, its butterflies, reading data and
/// twiddles from the cache level they fit, and the permutations. How the constants were found, and how far
/// off the choices are: docs/decisions/explorer.md.
double row_ns(const RowCost& row);

/// Predicted time of `batch` times these rows on `threads` threads, as RowThreads hands them out.
double batch_ns(std::span<const RowCost> rows, std::size_t batch, unsigned threads);

}  // namespace nttforge
