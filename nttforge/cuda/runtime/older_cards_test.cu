// SPDX-License-Identifier: Apache-2.0
// Compiled for cards before Hopper, and never run: what only newer ones have is left out there.

#include "nttforge/cuda/pass/launch.cuh"
#include "nttforge/cuda/table/rows_shoup32.hpp"
#include "nttforge/cuda/table/rows_shoup64.hpp"

namespace nttforge::cuda {

using ClusterSample = RowList<Passes<Shoup32, ClusterOf<11, 3, 2, true>>>;
using TwoPassSample = RowList<Passes<Shoup60, PassOf<6, 3, 2, 8>, PassOf<8, 0, 2, 16, 1>>>;

}  // namespace nttforge::cuda

NTTF_DEFINE_LAUNCHES(ClusterSample)
NTTF_DEFINE_LAUNCHES(TwoPassSample)
