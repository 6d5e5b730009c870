// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/cuda/block/block.hpp"
#include "nttforge/cuda/table/kernels.hpp"

// What a pass (pass.hpp) is made from, and what its launches say.

namespace nttforge::cuda {

/// What a pass is specialised by. log2 of: columns of a strided pass; points per thread; blocks per cluster;
/// tiles per block (kLogColumns = 0, no cluster); stages of the first round (0: free).
template <unsigned kStagesOf, unsigned kLogColumnsOf, unsigned kLogPointsOf, unsigned kLogClusterOf = 0,
          unsigned kLogFirstOf = 0, unsigned kLogRowsOf = 0, unsigned kMinBlocksOf = 1,
          bool kFetchesOf = false, unsigned kDerivedOf = 0, bool kDirectOf = false>
struct PassShape {
  static constexpr unsigned kStages = kStagesOf;
  static constexpr unsigned kLogColumns = kLogColumnsOf;
  static constexpr unsigned kLogPoints = kLogPointsOf;
  static constexpr unsigned kLogCluster = kLogClusterOf;
  static constexpr unsigned kLogFirst = kLogFirstOf;
  static constexpr unsigned kLogRows = kLogRowsOf;
  static constexpr unsigned kMinBlocks = kMinBlocksOf;  ///< per multiprocessor, bounds the registers
  static constexpr bool kFetches = kFetchesOf;          ///< twiddles come to shared memory ahead of use
  /// Last stages of the last round whose twiddles are a product: of the first group's of the round, and of a
  /// constant that all rounds share ([Kim20] VII, with one base). Contiguous passes only.
  static constexpr unsigned kDerived = kDerivedOf;
  /// A thread's neighbouring points go to global memory straight from its registers, 16 bytes at a time.
  static constexpr bool kDirect = kDirectOf;
};

template <class Word>
struct PassArgs {
  const Word* in;
  Word* out;
  const CudaLimb<Word>* limbs;
  std::uint32_t limb_count;  ///< of a polynomial
  std::uint32_t first_limb;  ///< of this launch
  std::uint32_t limbs_here;
  std::uint32_t batch;
  std::uint32_t log_n;
  std::uint32_t first_stage;
};

/// Arguments of a pass with a step between bases at its loads (forward) or stores (inverse).
template <class Word>
struct SteppedArgs : PassArgs<Word> {
  RnsStepArgs<Word> step;
};

/// Words of a point in memory: 2 for pairs (arith_complex.hpp), whose second words lie 2^log_n after the
/// first.
template <class Arith>
constexpr unsigned parts_of() {
  if constexpr (requires { Arith::kParts; }) return Arith::kParts;
  return 1;
}

}  // namespace nttforge::cuda
