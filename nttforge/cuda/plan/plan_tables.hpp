// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nttforge/cuda/elementwise/elementwise.hpp"
#include "nttforge/cuda/memory.hpp"
#include "nttforge/cuda/plan/shared_tables.hpp"
#include "nttforge/cuda/table/kernels.hpp"
#include "nttforge/ntt/spec.hpp"

namespace nttforge::cuda {

/// Neighbouring limbs that one row computes in one call of it.
template <class Word>
struct LimbRun {
  const CudaKernelRow<Word>* row;
  std::uint32_t first, count;
};

/// What a plan has on its device: constants of all limbs, and their tables, which it shares with other plans
/// of the device that have the limb.
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
  const CudaBuffer& memory() const { return memory_; }  ///< of constants and workspace
  std::size_t bytes() const { return bytes_; }          ///< of all that it uses

 private:
  void take_tables(const std::vector<TableSource>& sources,
                   const std::vector<const CudaKernelRow<Word>*>& rows, CudaRuntime& runtime,
                   CudaStream stream);
  void upload_constants(const std::vector<TableSource>& sources,
                        const std::vector<const CudaKernelRow<Word>*>& rows, CudaRuntime& runtime,
                        CudaStream stream);

  std::vector<std::shared_ptr<const DeviceTables<Word>>> tables_;  ///< of each limb, null for copies
  std::size_t bytes_ = 0;
  std::vector<LimbRun<Word>> runs_;
  const CudaLimb<Word>* limbs_ = nullptr;
  const ProductModulus<Word>* moduli_ = nullptr;
  Word* workspace_ = nullptr;
  CudaBuffer memory_;
};

extern template class PlanTables<std::uint64_t>;
extern template class PlanTables<std::uint32_t>;

}  // namespace nttforge::cuda
