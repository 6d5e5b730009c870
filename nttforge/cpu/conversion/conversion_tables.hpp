// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/rns/kernels.hpp"

namespace nttforge::cpu {

// conversion_<target>.cpp defines them; a vector table is of the narrow class unless its name says otherwise.
extern const ConversionKernels kConversionScalar;
#if defined(__x86_64__)
extern const ConversionKernels kConversionAvx2;
extern const ConversionKernels kConversionAvx512;
extern const ConversionKernels kConversionAvx512Wide;
extern const ConversionKernels kConversionAvx512Ifma;
extern const ConversionKernels kConversionAvx512IfmaWide;
#elif defined(__aarch64__)
extern const ConversionKernels kConversionNeon;
#elif defined(__wasm__)
extern const ConversionKernels kConversionWasm;
extern const ConversionKernels kConversionWasmShort;
#endif

}  // namespace nttforge::cpu
