// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/pass/multi_pass.hpp"

namespace nttforge::cuda {

// Shapes of passes, in the order in which rows give them.
template <unsigned kStages, unsigned kLogColumns, unsigned kLogPoints, unsigned kMinBlocks,
          unsigned kDerived = 0, bool kDirect = false>
using PassOf = PassShape<kStages, kLogColumns, kLogPoints, 0, 0, 0, kMinBlocks, false, kDerived, kDirect>;
/// A contiguous pass, 2^kLogTiles neighbouring tiles to a block.
template <unsigned kStages, unsigned kLogPoints, unsigned kLogTiles, unsigned kMinBlocks,
          unsigned kDerived = 0, bool kDirect = false>
using TilesOf = PassShape<kStages, 0, kLogPoints, 0, 0, kLogTiles, kMinBlocks, false, kDerived, kDirect>;
template <unsigned kStages, unsigned kLogPoints, unsigned kLogCluster, bool kDirect = false>
using ClusterOf = PassShape<kStages, 0, kLogPoints, kLogCluster, 0, 0, 1, true, 0, kDirect>;

/// Rows of every arithmetic: small transforms several to a block, then one to a block, then passes of any
/// size.
//                    stages, columns, points, cluster, first, rows, blocks per multiprocessor (log2 but the
//                    last)
template <class Arith, class... More>
using SmallRows = RowList<Passes<Arith, PassShape<1, 0, 1, 0, 0, 7>>,  //
                          Passes<Arith, PassShape<2, 0, 2, 0, 0, 6>>,  //
                          Passes<Arith, PassShape<3, 0, 3, 0, 0, 6>>,  //
                          Passes<Arith, PassShape<4, 0, 3, 0, 0, 6>>,  //
                          Passes<Arith, PassShape<5, 0, 3, 0, 0, 5>>,  //
                          Passes<Arith, PassShape<6, 0, 3, 0, 0, 4>>,  //
                          Passes<Arith, PassShape<7, 0, 3, 0, 0, 3>>,  //
                          Passes<Arith, PassShape<8, 0, 3, 0, 0, 2>>,  //
                          Passes<Arith, PassShape<9, 0, 3, 0, 0, 1>>,  //
                          Passes<Arith, PassShape<10, 0, 3>>,          //
                          MultiPass<Arith>, More...>;

/// The sizes between, where nothing faster has been measured.
template <class Arith>
using AllSmallRows = SmallRows<Arith, Passes<Arith, PassShape<11, 0, 3>>, Passes<Arith, PassShape<12, 0, 3>>>;

}  // namespace nttforge::cuda
