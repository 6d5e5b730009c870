// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "nttforge/device/queue.hpp"

namespace nttforge::cuda {

/// Rows that an operation writes: row j of polynomial b begins at words + b stride + j n.
struct OutRows {
  WordPtr words{};
  std::size_t stride = 0;
};

/// What GpuQueue::convert reads and writes. A null place stands for nothing.
struct Conversion {
  BatchRows sources{};    ///< a row for each source of the first step
  ConstWordPtr second{};  ///< polynomials from `split` on have their sources there, with the same stride
  std::size_t split = 0;
  BatchRows own{};  ///< a row for each own word of the first step
  OutRows out{};    ///< a row for each target of the last step
  /// The source rows are copied there in the same launch, so that [b][k][n] becomes [b][k + l][n]: with
  /// copies = {joint, (k + l) n} and out = {joint + k n, (k + l) n}.
  OutRows copies{};
  /// Added to the outputs modulo each target, as residues. The polynomials of the batch are parts of larger
  /// objects: polynomial b is part b % parts of object b / parts, and its first `addend_parts` parts have
  /// rows [addend_parts][targets][n] at addend.words + (b / parts) addend.stride.
  BatchRows addend{};
  std::size_t addend_parts = 0, parts = 1;
  WordPtr exceeded{};  ///< one word, as Queue::apply has it
  /// Where the words between the two steps of a chain may lie, [targets of the first][n] for each polynomial;
  /// they may be the own words, row by row. null: in memory of their own.
  OutRows between{};
  bool secret = true;  ///< what lies between the steps of a chain is wiped
};

}  // namespace nttforge::cuda
