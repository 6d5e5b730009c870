// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/arith/shoup32.hpp"
#include "nttforge/cuda/pass/stepped.hpp"
#include "nttforge/cuda/table/rows_small.hpp"

// The launch table's rows of 32-bit words: the only place of their numbers.

namespace nttforge::cuda {

using SmallRows30 = AllSmallRows<Shoup32>;
using Rows30 = RowList<Passes<Shoup32, ClusterOf<11, 3, 2, true>>,                          //
                       Passes<Shoup32, ClusterOf<12, 3, 3, true>>,                          //
                       Passes<Shoup32, ClusterOf<12, 3, 2, true>>,                          //
                       Passes<Shoup32, PassOf<6, 4, 3, 8>, TilesOf<7, 3, 2, 16, 0, true>>,  //
                       Passes<Shoup32, PassOf<6, 4, 3, 8>, TilesOf<8, 3, 2, 8, 0, true>>,   //
                       Passes<Shoup32, PassOf<6, 4, 3, 8>, TilesOf<9, 3, 1, 6, 2, true>>,   //
                       Passes<Shoup32, PassOf<7, 5, 4, 3>, TilesOf<8, 4, 3, 6, 2>>,         //
                       Passes<Shoup32, PassOf<6, 4, 3, 8>, PassOf<10, 0, 3, 8, 2>>,         //
                       Passes<Shoup32, PassOf<6, 5, 4, 5>, PassOf<10, 0, 4, 12, 2>>,        //
                       Passes<Shoup32, PassOf<7, 4, 4, 8>, PassOf<10, 0, 4, 8, 2>>,         //
                       Passes<Shoup32, PassOf<6, 5, 4, 8>, PassOf<11, 0, 4, 8, 2>>>;

/// Rows that steps between bases also get: those that are chosen at 2^12 ... 2^16 for tens of limbs.
using SteppedRows30 = PickedRows<Rows30, 1, 2, 3, 4, 5, 6, 8>;

}  // namespace nttforge::cuda
