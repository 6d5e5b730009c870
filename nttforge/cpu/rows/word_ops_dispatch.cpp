// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/rows/word_ops_tables.hpp"

namespace nttforge {

const WordOps& word_ops(Target target) {
  require_target(target);
#if defined(__x86_64__)
  if (target == Target::avx2) return cpu::kWordOpsAvx2;
  if (target == Target::avx512) return cpu::kWordOpsAvx512;
  if (target == Target::avx512_ifma) return cpu::kWordOpsAvx512Ifma;
#elif defined(__aarch64__)
  if (target == Target::neon) return cpu::kWordOpsNeon;
#endif
  return cpu::kWordOpsScalar;
}

}  // namespace nttforge
