// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/random/random_tables.hpp"

namespace nttforge {

const RandomKernels& random_kernels(Target target) {
  require_target(target);
#if defined(__x86_64__)
  if (target == Target::avx2) return cpu::kRandomAvx2;
  if (target == Target::avx512 || target == Target::avx512_ifma) return cpu::kRandomAvx512;
#elif defined(__aarch64__)
  if (target == Target::neon) return cpu::kRandomNeon;
#elif defined(__wasm__)
  if (target == Target::wasm) return cpu::kRandomWasm;
#endif
  return cpu::kRandomScalar;
}

}  // namespace nttforge
