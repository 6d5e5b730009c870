// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/lanes/lanes_scalar.hpp"
#include "nttforge/cpu/rows/word_ops_kernels.hpp"
#include "nttforge/cpu/rows/word_ops_tables.hpp"

namespace nttforge::cpu {
namespace {

using Lanes = LanesScalar;

}  // namespace

constinit const WordOps kWordOpsScalar =
    WordKernels<Lanes, Barrett64<Lanes>, ShoupFactor<Lanes>, Barrett64<Lanes>, ShoupFactor<Lanes>>::table();

}  // namespace nttforge::cpu
