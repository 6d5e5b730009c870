// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/conversion/conversion_lanes_scalar.hpp"
#include "nttforge/cpu/lanes/lanes_scalar.hpp"
#include "nttforge/cpu/lanes/sums_wasm.hpp"
#include "nttforge/cpu/rows/row_ops_kernels.hpp"
#include "nttforge/cpu/rows/row_ops_kernels32.hpp"
#include "nttforge/cpu/rows/row_ops_tables.hpp"

namespace nttforge::cpu {
namespace {

using Lanes32 = Lanes32Wasm;
using Words = LanesScalar;
using Kernels64 = RowKernels<Words, Barrett64<Words>, ShoupFactor<Words>, SumsOf<ScalarLanes>>;

}  // namespace

constinit const RowOpsOfTarget kRowOpsWasm = {
    Kernels64::table(),
    Kernels64::table(),
    RowKernels<Lanes32, BarrettWasm, PlainFactor<Lanes32, BarrettWasm>, SumsWasm>::table(),
    Kernels32Full<Lanes32>::table(),
};
constinit const RowOps kRowOpsWasmShort =
    RowKernels<PackedWords, BarrettWasm, PlainFactor<PackedWords, BarrettWasm>, SumsWasm>::table();

}  // namespace nttforge::cpu
