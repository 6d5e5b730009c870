// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/embedding/embedding_kernels.hpp"
#include "nttforge/cpu/embedding/embedding_tables.hpp"
#include "nttforge/cpu/lanes/lanes_real.hpp"

namespace nttforge::cpu {

// Vectors of eight doubles: a row each.
constinit const EmbeddingKernels kEmbeddingAvx512 = EmbeddingKernelsOf<8>::table();

}  // namespace nttforge::cpu
