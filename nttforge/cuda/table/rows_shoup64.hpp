// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/arith/shoup64.hpp"
#include "nttforge/cuda/pass/stepped.hpp"
#include "nttforge/cuda/table/rows_small.hpp"

// The launch table's rows of Shoup's product in 64-bit words: the only place of their numbers.

namespace nttforge::cuda {

using Shoup60 = Shoup64<16>;
using Shoup62 = Shoup64<4>;

using SmallRows60 = SmallRows<Shoup60>;
// The last of these rows is for cards whose blocks have 64 KiB.
using SmallRows62 =
    SmallRows<Shoup62, Passes<Shoup62, PassShape<11, 0, 3>>, Passes<Shoup62, PassShape<12, 0, 3>>,
              Passes<Shoup62, PassOf<6, 3, 2, 8>, PassOf<6, 0, 2, 8, 0, true>>>;
using Rows60 = RowList<Passes<Shoup60, ClusterOf<11, 3, 2>>,                                //
                       Passes<Shoup60, PassOf<6, 3, 2, 8>, TilesOf<6, 2, 2, 16, 0, true>>,  //
                       Passes<Shoup60, ClusterOf<12, 3, 3>>,                                //
                       Passes<Shoup60, PassOf<6, 3, 2, 8>, TilesOf<7, 2, 2, 8, 0, true>>,   //
                       Passes<Shoup60, PassOf<6, 3, 2, 8>, TilesOf<8, 2, 1, 8, 0, true>>,   //
                       Passes<Shoup60, PassOf<6, 3, 2, 8>, PassOf<9, 0, 2, 8, 0, true>>,    //
                       Passes<Shoup60, PassOf<6, 3, 3, 12>, PassOf<9, 0, 3, 12, 2>>,        //
                       Passes<Shoup60, PassOf<6, 4, 3, 6>, PassOf<10, 0, 3, 6, 2>>,         //
                       Passes<Shoup60, PassOf<6, 4, 3, 8>, PassOf<11, 0, 3, 4, 2>>,         //
                       Passes<Shoup60, PassOf<7, 3, 3, 8>, PassOf<10, 0, 3, 8, 2>>>;

/// Rows that steps between bases also get: those that are chosen at 2^12 ... 2^16 for tens of limbs.
using SteppedRows60 = PickedRows<Rows60, 1, 3, 4, 5, 6, 7>;

}  // namespace nttforge::cuda
