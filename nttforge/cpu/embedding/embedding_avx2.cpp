// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/embedding/embedding_kernels.hpp"
#include "nttforge/cpu/embedding/embedding_tables.hpp"
#include "nttforge/cpu/lanes/lanes_real.hpp"

namespace nttforge::cpu {

// Vectors of four doubles.
constinit const EmbeddingKernels kEmbeddingAvx2 = EmbeddingKernelsOf<4>::table();

}  // namespace nttforge::cpu
