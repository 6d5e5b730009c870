// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "nttforge/arith/complex_mod.hpp"
#include "nttforge/base/memory/aligned_buffer.hpp"
#include "nttforge/ntt/kernels.hpp"

namespace nttforge {

/// The twiddles W[1 ... n/2 - 1] of a DGT of n coefficients (W[0] unused): group j of the stage that splits M
/// groups multiplies by W[M + j] = h^((1 + 4 bitrev_{log M}(j)) n / 4M). h or its inverse; q as in NttSpec.
std::vector<ComplexMod> dgt_twiddles(unsigned log_n, std::uint64_t q, const ComplexMod& h);

/// Tables of one limb for dgt_loops.hpp: TransformTables with entries of four words, (real, quotient,
/// imaginary, quotient). In the view, log_n is that of the coefficients and scale is 1/(n/2).
template <class Word>
class DgtTables {
 public:
  DgtTables(unsigned log_n, std::uint64_t q, const ComplexMod& h, const TwiddleLayout& layout);
  DgtTables(DgtTables&&) = default;
  const KernelTables<Word>& view() const { return view_; }

 private:
  AlignedBuffer<Word> forward_, inverse_;
  KernelTables<Word> view_;
};

extern template class DgtTables<std::uint64_t>;
extern template class DgtTables<std::uint32_t>;

}  // namespace nttforge
