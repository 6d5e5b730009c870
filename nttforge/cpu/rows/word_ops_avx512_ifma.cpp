// SPDX-License-Identifier: Apache-2.0

#include "nttforge/cpu/lanes/lanes_avx512_ifma.hpp"
#include "nttforge/cpu/rows/word_ops_kernels.hpp"
#include "nttforge/cpu/rows/word_ops_tables.hpp"

namespace nttforge::cpu {
namespace {

using Lanes = LanesAvx512Ifma;

}  // namespace

constinit const WordOps kWordOpsAvx512Ifma =
    WordKernels<Lanes, Barrett64<Lanes>, ShoupFactor<Lanes>, Barrett52<Lanes>, ShoupFactor52<Lanes>>::table();

}  // namespace nttforge::cpu
