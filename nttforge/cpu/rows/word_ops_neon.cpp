// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/lanes/lanes_neon.hpp"
#include "nttforge/cpu/rows/word_ops_kernels.hpp"
#include "nttforge/cpu/rows/word_ops_tables.hpp"

namespace nttforge::cpu {
namespace {

using Lanes = LanesNeon;

}  // namespace

constinit const WordOps kWordOpsNeon =
    WordKernels<Lanes, Barrett64<Lanes>, ShoupFactor<Lanes>, Fp64<Lanes>, Fp64Factor<Lanes>>::table();

}  // namespace nttforge::cpu
