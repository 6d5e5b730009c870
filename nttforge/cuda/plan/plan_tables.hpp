// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/cuda/elementwise/elementwise.hpp"
#include "nttforge/cuda/memory.hpp"
#include "nttforge/cuda/table/kernels.hpp"
#include "nttforge/ntt/spec.hpp"

namespace nttforge::cuda {

/// Neighbouring limbs that one row computes in one call of it.
template <class Word>
struct LimbRun {
  const CudaKernelRow<Word>* row;
  std::uint32_t first, count;
};

/// What a plan has on its device: constants and tables of all limbs.
template <class Word>
class PlanTables {
 public:
  /// rows: of each limb, null for transforms that are copies. factors: of each limb, that the inverse
  /// multiplies by; empty: 1. Memory is asked for before anything is computed. throws as CudaBuffer does.
  PlanTables(const NttSpec& spec, const std::vector<const CudaKernelRow<Word>*>& rows,
             std::span<const std::uint64_t> factors, int device);

  const std::vector<LimbRun<Word>>& runs() const { return runs_; }  ///< empty: copies
  Word* workspace() const { return workspace_; }  ///< of [limbs][n] if a row needs it, else null
  const CudaLimb<Word>* limbs() const { return limbs_; }
  const ProductModulus<Word>* moduli() const { return moduli_; }
  const CudaBuffer& memory() const { return memory_; }

 private:
  void upload(const NttSpec& spec, const std::vector<const CudaKernelRow<Word>*>& rows,
              std::span<const std::uint64_t> factors, CudaRuntime& runtime, CudaStream stream);

  std::vector<LimbRun<Word>> runs_;
  const CudaLimb<Word>* limbs_ = nullptr;
  const ProductModulus<Word>* moduli_ = nullptr;
  Word* workspace_ = nullptr;
  CudaBuffer memory_;
};

extern template class PlanTables<std::uint64_t>;
extern template class PlanTables<std::uint32_t>;

}  // namespace nttforge::cuda
