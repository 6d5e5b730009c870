// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/conversion/conversion_tables.hpp"

namespace nttforge {

const ConversionKernels& conversion_kernels(Target target, [[maybe_unused]] bool narrow) {
  require_target(target);
#if defined(__x86_64__)
  if (narrow && target == Target::avx2) return cpu::kConversionAvx2;
  if (target == Target::avx512) return narrow ? cpu::kConversionAvx512 : cpu::kConversionAvx512Wide;
  if (target == Target::avx512_ifma)
    return narrow ? cpu::kConversionAvx512Ifma : cpu::kConversionAvx512IfmaWide;
#elif defined(__aarch64__)
  if (narrow && target == Target::neon) return cpu::kConversionNeon;
#elif defined(__wasm__)
  if (narrow && target == Target::wasm) return cpu::kConversionWasm;
#endif
  return cpu::kConversionScalar;
}

const ConversionKernels& short_conversion_kernels(Target target) {
#if defined(__wasm__)
  if (target == Target::wasm) return cpu::kConversionWasmShort;
#endif
  return conversion_kernels(target, true);
}

}  // namespace nttforge
