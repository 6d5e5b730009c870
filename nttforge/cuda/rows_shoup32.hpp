#pragma once

#include "nttforge/cuda/arith_shoup32.hpp"
#include "nttforge/cuda/row.hpp"

// The launch table's rows of 32-bit words: the only place of their numbers.

namespace nttforge::cuda {

//                   stages, columns, points, cluster, first, rows, blocks per multiprocessor (log2 but the
//                   last)
using Rows30 =
    RowList<Passes<Shoup32, PassShape<1, 0, 1, 0, 0, 7>>,                //
            Passes<Shoup32, PassShape<2, 0, 2, 0, 0, 6>>,                //
            Passes<Shoup32, PassShape<3, 0, 3, 0, 0, 6>>,                //
            Passes<Shoup32, PassShape<4, 0, 3, 0, 0, 6>>,                //
            Passes<Shoup32, PassShape<5, 0, 3, 0, 0, 5>>,                //
            Passes<Shoup32, PassShape<6, 0, 3, 0, 0, 4>>,                //
            Passes<Shoup32, PassShape<7, 0, 3, 0, 0, 3>>,                //
            Passes<Shoup32, PassShape<8, 0, 3, 0, 0, 2>>,                //
            Passes<Shoup32, PassShape<9, 0, 3, 0, 0, 1>>,                //
            Passes<Shoup32, PassShape<10, 0, 4>>,                        //
            Passes<Shoup32, PassShape<11, 0, 4>>,                        //
            Passes<Shoup32, PassShape<12, 0, 4>>,                        //
            Passes<Shoup32, PassShape<12, 0, 3, 3, 0, 0, 1, true, 0, true>>,      //
            Passes<Shoup32, PassShape<13, 0, 4, 1, 0, 0, 1, false, 2>>,  //
            Passes<Shoup32, PassShape<14, 0, 4, 2, 0, 0, 1, true>>,      //
            Passes<Shoup32, PassShape<15, 0, 5, 2>>,                     //
            Passes<Shoup32, PassShape<16, 0, 5, 3, 3>>,                  //
            Passes<Shoup32, PassShape<17, 0, 5, 4, 4>>,                  //
            Passes<Shoup32, PassShape<8, 4, 4>, PassShape<8, 0, 4>>,     //
            Passes<Shoup32, PassShape<8, 4, 4, 0, 0, 0, 1, true>, PassShape<9, 0, 4, 0, 0, 0, 1, true, 2, true>>>;

}  // namespace nttforge::cuda
