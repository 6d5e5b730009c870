// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/conversion/conversion_lanes_scalar.hpp"
#include "nttforge/cpu/lanes/lanes_neon.hpp"
#include "nttforge/cpu/lanes/lanes_scalar.hpp"
#include "nttforge/cpu/rows/row_ops_kernels.hpp"
#include "nttforge/cpu/rows/row_ops_kernels32.hpp"
#include "nttforge/cpu/rows/row_ops_tables.hpp"

namespace nttforge::cpu {
namespace {

using Lanes = LanesNeon;
using Lanes32 = Lanes32Neon;
using Words = LanesScalar;  // for moduli above 2^50: a product of words needs no vector

}  // namespace

constinit const RowOpsOfTarget kRowOpsNeon = {
    RowKernels<Lanes, Fp64<Lanes>, PlainFactor<Lanes, Fp64<Lanes>>, SumsFp64<Lanes>>::table(),
    RowKernels<Words, Barrett64<Words>, ShoupFactor<Words>, SumsOf<ScalarLanes>>::table(),
    Kernels30<Lanes32>::table(),
    Kernels32Full<Lanes32>::table(),
};

}  // namespace nttforge::cpu
