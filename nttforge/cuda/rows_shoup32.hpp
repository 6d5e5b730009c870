#pragma once

#include "nttforge/cuda/arith_shoup32.hpp"
#include "nttforge/cuda/rows_shoup64.hpp"

// The launch table's rows of 32-bit words: the only place of their numbers.

namespace nttforge::cuda {

using SmallRows30 = AllSmallRows<Shoup32>;
using Rows30 = RowList<Timed<Passes<Shoup32, ClusterOf<11, 3, 2, true>>, 2000, 20>,
                       Timed<Passes<Shoup32, ClusterOf<12, 3, 3, true>>, 2200, 25>,
                       Timed<Passes<Shoup32, ClusterOf<12, 3, 2, true>>, 2280, 20>,
                       Timed<Passes<Shoup32, PassOf<6, 4, 3, 8>, PassOf<7, 0, 3, 16, 0, true>>, 2500, 60>,
                       Timed<Passes<Shoup32, PassOf<6, 4, 3, 8>, PassOf<8, 0, 3, 16, 0, true>>, 2600, 85>,
                       Timed<Passes<Shoup32, PassOf<6, 4, 3, 8>, PassOf<9, 0, 3, 16, 2, true>>, 2690, 153>,
                       Timed<Passes<Shoup32, PassOf<6, 4, 3, 8>, PassOf<10, 0, 3, 8, 2>>, 2930, 300>,
                       Timed<Passes<Shoup32, PassOf<6, 5, 4, 8>, PassOf<10, 0, 4, 12, 2>>, 3570, 250>,
                       Timed<Passes<Shoup32, PassOf<7, 4, 4, 8>, PassOf<10, 0, 4, 8, 2>>, 3790, 590>,
                       Timed<Passes<Shoup32, PassOf<6, 5, 4, 8>, PassOf<11, 0, 4, 8, 2>>, 4500, 555>>;

}  // namespace nttforge::cuda
