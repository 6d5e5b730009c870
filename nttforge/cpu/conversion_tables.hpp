#pragma once

#include "nttforge/rns/kernels.hpp"

namespace nttforge::cpu {

// conversion_<target>.cpp defines one each; the vector ones are of the narrow class.
extern const ConversionKernels kConversionScalar;
#if defined(__x86_64__)
extern const ConversionKernels kConversionAvx2;
extern const ConversionKernels kConversionAvx512;
extern const ConversionKernels kConversionAvx512Ifma;
#endif

}  // namespace nttforge::cpu
