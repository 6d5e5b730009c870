// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/embedding/embedding_tables.hpp"

namespace nttforge {

const EmbeddingKernels& embedding_kernels(Target target) {
  require_target(target);
#if defined(__x86_64__)
  if (target == Target::avx2) return cpu::kEmbeddingAvx2;
  if (target == Target::avx512 || target == Target::avx512_ifma) return cpu::kEmbeddingAvx512;
#elif defined(__aarch64__)
  if (target == Target::neon) return cpu::kEmbeddingNeon;
#endif
  return cpu::kEmbeddingScalar;
}

}  // namespace nttforge
