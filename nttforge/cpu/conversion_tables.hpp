#pragma once

#include "nttforge/rns/kernels.hpp"

namespace nttforge::cpu {

// One table per object file; conversion_<target>.cpp defines it.
extern const ConversionKernels kConversionScalar;
#if defined(__x86_64__) || defined(_M_X64)
extern const ConversionKernels kConversionAvx2;
extern const ConversionKernels kConversionAvx512Ifma;
#endif

}  // namespace nttforge::cpu
