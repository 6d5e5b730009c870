// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/base/memory/aligned_buffer.hpp"
#include "nttforge/ntt/kernels.hpp"
#include "nttforge/ntt/spec.hpp"

namespace nttforge {

/// The twiddles W[1 ... n-1] of the product-tree transform (W[0] unused): group j of the stage that splits m
/// groups multiplies by W[m + j]. Negacyclic: W[m+j] = root^bitrev_{log n}(m+j), cyclic: root^(bitrev_{log
/// m}(j) n / 2m). root is psi or omega (or its inverse, for the inverse transform); q a prime < 2^62 or
/// Goldilocks.
AlignedBuffer<std::uint64_t> tree_twiddles(Ring ring, unsigned log_n, std::uint64_t q, std::uint64_t root);

/// Tables of one limb, stored as a kernel's layout wants them, each entry a (value, quotient) pair:
///   lane vectors of the last log_lanes stages, by codelet, by stage, by group: 2^log_lanes values, as many
///   quotients (values alone for LaneTwiddles::vectors_of_values, quotients alone from layout.quotients_from
///   on) passes, by first stage, by group: the 2^radix_log - 1 twiddles of its stages first log_lanes stages
///   of each codelet, likewise
template <class Word>
class TransformTables {
 public:
  TransformTables() = default;  ///< empty
  TransformTables(Ring ring, unsigned log_n, std::uint64_t q, std::uint64_t root,
                  const TwiddleLayout& layout);
  TransformTables(TransformTables&&) = default;
  const KernelTables<Word>& view() const { return view_; }

 private:
  AlignedBuffer<Word> tables_;  ///< forward, then inverse
  KernelTables<Word> view_;
};

extern template class TransformTables<std::uint64_t>;
extern template class TransformTables<std::uint32_t>;

}  // namespace nttforge
