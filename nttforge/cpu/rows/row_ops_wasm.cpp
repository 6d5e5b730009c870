// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/lanes/sums_wasm.hpp"
#include "nttforge/cpu/rows/row_ops_kernels.hpp"
#include "nttforge/cpu/rows/row_ops_tables.hpp"

// Kernels for primes below 2^30, in words of 32 and of 64 bits; others are the scalar target's.

namespace nttforge::cpu {

constinit const RowOps32 kRowOps32WasmShort =
    RowKernels<Lanes32Wasm, BarrettWasm, PlainFactor<Lanes32Wasm, BarrettWasm>, SumsWasm>::table();
constinit const RowOps kRowOpsWasmShort =
    RowKernels<PackedWords, BarrettWasm, PlainFactor<PackedWords, BarrettWasm>, SumsWasm>::table();

}  // namespace nttforge::cpu
