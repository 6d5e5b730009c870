// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/lanes/lanes_avx512_ifma.hpp"
#include "nttforge/cpu/rows/row_ops_kernels.hpp"
#include "nttforge/cpu/rows/row_ops_kernels32.hpp"
#include "nttforge/cpu/rows/row_ops_tables.hpp"

namespace nttforge::cpu {
namespace {

using Lanes = LanesAvx512Ifma;
using Lanes32 = Lanes32Avx512;

}  // namespace

constinit const RowOpsOfTarget kRowOpsAvx512Ifma = {
    RowKernels<Lanes, Barrett52<Lanes>, ShoupFactor52<Lanes>, SumsOf<Lanes52<Lanes>>>::table(),
    RowKernels<Lanes, Barrett64<Lanes>, ShoupFactor<Lanes>,
               SumsOf<LanesWide<Lanes, Columns52<Lanes>>>>::table(),
    Kernels30<Lanes32>::table(),
    Kernels32Full<Lanes32>::table(),
};

}  // namespace nttforge::cpu
