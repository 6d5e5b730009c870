// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "nttforge/arith/row_modulus.hpp"
#include "nttforge/base/target.hpp"

namespace nttforge {

/// Element-wise operations on rows of `count` residues modulo one q; inputs and outputs in [0, q), any count,
/// any alignment; out may be an input. Time does not depend on the values.
template <class Word>
struct RowOpsTable {
  void (*add)(const RowModulus&, const Word* a, const Word* b, Word* out, std::size_t count);
  void (*sub)(const RowModulus&, const Word* a, const Word* b, Word* out, std::size_t count);
  void (*negate)(const RowModulus&, const Word* a, Word* out, std::size_t count);
  void (*multiply)(const RowModulus&, const Word* a, const Word* b, Word* out, std::size_t count);
  void (*multiply_accumulate)(const RowModulus&, const Word* a, const Word* b, Word* accumulator,
                              std::size_t count);
  /// out = a * scalar, scalar in [0, q).
  void (*multiply_scalar)(const RowModulus&, const Word* a, Word scalar, Word* out, std::size_t count);
  /// Products in Z_q[i], the values of a DGT: count is even, real parts lie in the first half of a row,
  /// imaginary parts in the second.
  void (*complex_multiply)(const RowModulus&, const Word* a, const Word* b, Word* out, std::size_t count);
  void (*complex_multiply_accumulate)(const RowModulus&, const Word* a, const Word* b, Word* accumulator,
                                      std::size_t count);
  /// out = a_0 b_0 + a_1 b_1 + ..., added to out if accumulate: `terms` rows of a, and of b, `stride` words
  /// apart. Reduced once for as many products as fit. out overlaps nothing. Then of complex numbers.
  void (*sum_of_products)(const RowModulus&, const Word* a, const Word* b, std::size_t stride,
                          std::size_t terms, Word* out, bool accumulate, std::size_t count);
  void (*complex_sum_of_products)(const RowModulus&, const Word* a, const Word* b, std::size_t stride,
                                  std::size_t terms, Word* out, bool accumulate, std::size_t count);
};
using RowOps = RowOpsTable<std::uint64_t>;
using RowOps32 = RowOpsTable<std::uint32_t>;

/// The table for a target and modulus: the target picks the instruction set, the modulus the arithmetic
/// class. Implemented by cpu/. throws UnsupportedError if the target cannot run here, ParameterError if q is
/// out of range.
const RowOps& row_ops(Target target, std::uint64_t q);
const RowOps32& row_ops32(Target target, std::uint64_t q);  ///< q < 2^32

}  // namespace nttforge
