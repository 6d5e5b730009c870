#pragma once

#include "nttforge/cuda/arith_shoup64.hpp"
#include "nttforge/cuda/rows_small.hpp"

// The launch table's rows of Shoup's product in 64-bit words: the only place of their numbers.

namespace nttforge::cuda {

using Shoup60 = Shoup64<16>;
using Shoup62 = Shoup64<4>;

template <unsigned kStages, unsigned kLogColumns, unsigned kLogPoints, unsigned kMinBlocks,
          unsigned kDerived = 0, bool kDirect = false>
using PassOf = PassShape<kStages, kLogColumns, kLogPoints, 0, 0, 0, kMinBlocks, false, kDerived, kDirect>;
template <unsigned kStages, unsigned kLogPoints, unsigned kLogCluster, bool kDirect = false>
using ClusterOf = PassShape<kStages, 0, kLogPoints, kLogCluster, 0, 0, 1, true, 0, kDirect>;

using SmallRows60 = SmallRows<Shoup60>;
using SmallRows62 = AllSmallRows<Shoup62>;
using Rows60 = RowList<Timed<Passes<Shoup60, ClusterOf<11, 3, 2>>, 2800, 30>,
                       Timed<Passes<Shoup60, PassOf<6, 3, 2, 8>, PassOf<6, 0, 2, 8, 0, true>>, 2800, 85>,
                       Timed<Passes<Shoup60, ClusterOf<12, 3, 3>>, 3200, 38>,
                       Timed<Passes<Shoup60, PassOf<6, 3, 2, 8>, PassOf<7, 0, 2, 8, 0, true>>, 2900, 90>,
                       Timed<Passes<Shoup60, PassOf<6, 3, 2, 8>, PassOf<8, 0, 2, 16, 0, true>>, 3040, 180>,
                       Timed<Passes<Shoup60, PassOf<6, 3, 2, 8>, PassOf<9, 0, 2, 8, 0, true>>, 3440, 405>,
                       Timed<Passes<Shoup60, PassOf<6, 3, 3, 8>, PassOf<9, 0, 3, 8, 2>>, 4130, 355>,
                       Timed<Passes<Shoup60, PassOf<6, 3, 3, 12>, PassOf<10, 0, 3, 6, 2>>, 5170, 770>,
                       Timed<Passes<Shoup60, PassOf<6, 4, 3, 8>, PassOf<11, 0, 3, 4, 2>>, 7100, 1740>,
                       Timed<Passes<Shoup60, PassOf<7, 3, 3, 8>, PassOf<10, 0, 3, 8, 2>>, 6080, 1780>>;

}  // namespace nttforge::cuda
