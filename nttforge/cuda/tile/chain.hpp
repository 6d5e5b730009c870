// SPDX-License-Identifier: Apache-2.0
#pragma once

// Two steps between bases in one kernel, for sizes at which a launch costs as much as the work: a block takes
// 32 coefficients and all targets, a warp some tiles of the first step, then of the second; the words between
// them stay in shared memory.
//
//   sources [S][32] -> warps: tiles of step 1 -> words [T1][32] in shared memory -> barrier
//                   -> warps: tiles of step 2 -> out [T2][32]

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nttforge/cuda/tile/convert.hpp"

namespace nttforge::cuda {

inline constexpr std::uint32_t kLogChainColumns = 5, kChainColumns = 1u << kLogChainColumns;
inline constexpr std::uint32_t kMostChainWarps = 8, kMostChainItems = 65535;

/// The first step has no correction, the second one by a modulus other than 2^32, as BEHZ's steps down have.
template <class ArithOf>
struct ChainCall {
  using Arith = ArithOf;
  TileCall<Arith> first{}, second{};
};

template <class ArithOf, unsigned kTargetsOf>
struct ConvertChain : ChainCall<ArithOf> {
  using Arith = ArithOf;
  using Word = typename Arith::Word;
  static constexpr unsigned kTargets = kTargetsOf;
  using First = TileWork<Arith, 1, kTargets, Correction::none>;
  using Second = TileWork<Arith, 1, kTargets, Correction::other>;

  static NTTF_HD std::uint32_t tiles(const TileStep<Arith>& step) {
    return (step.target_count + kTargets - 1) / kTargets;
  }
  /// between: the block's words, from the thread's column on.
  static NTTF_HD void run_first(const TileCall<Arith>& call, const TileConstants<Arith>& constants,
                                std::uint32_t tile, std::uint32_t column, std::uint32_t item, Word* between) {
    TileRows<Word> rows = call.rows(call.steps[0], item, item, column);
    rows.out = between;
    rows.log_out = kLogChainColumns;
    First::run(call.steps[0], constants, tile, rows, [] {});
  }
  static NTTF_HD void run_second(const TileCall<Arith>& call, const TileConstants<Arith>& constants,
                                 std::uint32_t tile, std::uint32_t column, std::uint32_t item,
                                 const Word* between) {
    TileRows<Word> rows = call.rows(call.steps[0], item, item, column);
    rows.sources = between;
    rows.log_sources = kLogChainColumns;
    Second::run(call.steps[0], constants, tile, rows, [] {});
  }
};

template <class Kernel>
int chain_on_host(const Kernel& kernel) {
  using Arith = typename Kernel::Arith;
  const TileStep<Arith>&first = kernel.first.steps[0], &second = kernel.second.steps[0];
  const auto constants = [](const TileStep<Arith>& step, std::uint32_t tile) {
    return TileConstants<Arith>{step.sources, step.factors + tile * Kernel::kTargets,
                                step.targets + tile * Kernel::kTargets, step.padded_targets};
  };
  std::vector<typename Arith::Word> between(std::size_t{first.target_count} << kLogChainColumns);
  const std::uint32_t n = 1u << kernel.first.log_n, columns = std::min(n, kChainColumns);
  for (std::uint32_t item = 0; item < kernel.first.items; ++item)
    for (std::uint32_t block = 0; block < n; block += columns) {
      for (std::uint32_t lane = 0; lane < columns; ++lane)
        for (std::uint32_t tile = 0; tile < Kernel::tiles(first); ++tile)
          Kernel::run_first(kernel.first, constants(first, tile), tile, block + lane, item,
                            between.data() + lane);
      for (std::uint32_t lane = 0; lane < columns; ++lane)
        for (std::uint32_t tile = 0; tile < Kernel::tiles(second); ++tile)
          Kernel::run_second(kernel.second, constants(second, tile), tile, block + lane, item,
                             between.data() + lane);
    }
  return 0;
}

}  // namespace nttforge::cuda
