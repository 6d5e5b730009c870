#include "nttforge/cpu/conversion_tables.hpp"

namespace nttforge {

const ConversionKernels& conversion_kernels(Target target, bool narrow) {
  require_target(target);
#if defined(__x86_64__)
  if (narrow && target == Target::avx2) return cpu::kConversionAvx2;
  if (narrow && target == Target::avx512) return cpu::kConversionAvx512;
  if (narrow && target == Target::avx512_ifma) return cpu::kConversionAvx512Ifma;
#endif
  return cpu::kConversionScalar;
}

}  // namespace nttforge
