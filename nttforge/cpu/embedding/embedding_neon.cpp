// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/embedding/embedding_kernels.hpp"
#include "nttforge/cpu/embedding/embedding_tables.hpp"
#include "nttforge/cpu/lanes/lanes_real.hpp"

namespace nttforge::cpu {

// Vectors of two doubles.
constinit const EmbeddingKernels kEmbeddingNeon = EmbeddingKernelsOf<2>::table();

}  // namespace nttforge::cpu
