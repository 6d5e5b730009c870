#pragma once

#include "nttforge/cuda/arith_shoup64.hpp"
#include "nttforge/cuda/row.hpp"

// The launch table's rows of 64-bit words: the only place of their numbers.

namespace nttforge::cuda {

using Shoup60 = Shoup64<16>;
using Shoup62 = Shoup64<4>;

//                          stages, columns, points, cluster, first, rows, blocks per multiprocessor (log2 but
//                          the last)
using Rows60 = RowList<
    Passes<Shoup60, PassShape<1, 0, 1, 0, 0, 7>>,                                                    //
    Passes<Shoup60, PassShape<2, 0, 2, 0, 0, 6>>,                                                    //
    Passes<Shoup60, PassShape<3, 0, 3, 0, 0, 6>>,                                                    //
    Passes<Shoup60, PassShape<4, 0, 3, 0, 0, 6>>,                                                    //
    Passes<Shoup60, PassShape<5, 0, 3, 0, 0, 5>>,                                                    //
    Passes<Shoup60, PassShape<6, 0, 3, 0, 0, 4>>,                                                    //
    Passes<Shoup60, PassShape<7, 0, 3, 0, 0, 3>>,                                                    //
    Passes<Shoup60, PassShape<8, 0, 3, 0, 0, 2>>,                                                    //
    Passes<Shoup60, PassShape<9, 0, 3, 0, 0, 1>>,                                                    //
    Passes<Shoup60, PassShape<10, 0, 3>>,                                                            //
    Passes<Shoup60, PassShape<11, 0, 3>>,                                                            //
    Passes<Shoup60, PassShape<12, 0, 3>>,                                                            //
    Passes<Shoup60, PassShape<12, 0, 3, 3, 0, 0, 1, true, 0, true>>,                                          //
    Passes<Shoup60, PassShape<13, 0, 3, 3, 3>>,                                                      //
    Passes<Shoup60, PassShape<14, 0, 4, 2, 0, 0, 1, true>>,                                          //
    Passes<Shoup60, PassShape<15, 0, 4, 3, 0, 0, 1, true, 2>>,                                       //
    Passes<Shoup60, PassShape<16, 0, 4, 4>>,                                                         //
    Passes<Shoup60, PassShape<17, 0, 4, 4, 4>>,                                                      //
    Passes<Shoup60, PassShape<8, 3, 3, 0, 0, 0, 1, true>, PassShape<8, 0, 3, 0, 0, 0, 1, true, 1>>,  //
    Passes<Shoup60, PassShape<8, 3, 3>, PassShape<9, 0, 3>>>;
using Rows62 = RowList<Passes<Shoup62, PassShape<12, 0, 3, 0, 0, 0, 1, false, 1, true>>,  //
                       Passes<Shoup62, PassShape<13, 0, 3, 1>>,                     //
                       Passes<Shoup62, PassShape<14, 0, 4, 2>>>;

}  // namespace nttforge::cuda
