// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/arith/fp64.hpp"
#include "nttforge/cuda/pass/stepped.hpp"
#include "nttforge/cuda/table/rows_small.hpp"

// The launch table's rows of primes below 2^50 in doubles: the only place of their numbers.

namespace nttforge::cuda {

using SmallRows50 = SmallRows<Fp64>;
using Rows50 = RowList<Passes<Fp64, ClusterOf<11, 3, 2>>, Passes<Fp64, ClusterOf<12, 3, 3>>,
                       Passes<Fp64, PassOf<6, 3, 2, 8>, TilesOf<6, 2, 2, 16, 0, true>>,
                       Passes<Fp64, PassOf<6, 3, 2, 8>, TilesOf<7, 2, 2, 8, 0, true>>,
                       Passes<Fp64, PassOf<6, 3, 2, 8>, TilesOf<8, 2, 1, 8, 0, true>>,
                       Passes<Fp64, PassOf<6, 3, 3, 8>, PassOf<9, 0, 3, 8, 1>>,
                       Passes<Fp64, PassOf<6, 4, 3, 8>, PassOf<10, 0, 3, 8, 2>>,
                       Passes<Fp64, PassOf<6, 4, 3, 8>, PassOf<11, 0, 3, 4, 2>>>;

/// Rows that steps between bases also get: those that are chosen at 2^12 ... 2^16 for tens of limbs.
using SteppedRows50 = PickedRows<Rows50, 2, 3, 4, 5, 6>;

}  // namespace nttforge::cuda
