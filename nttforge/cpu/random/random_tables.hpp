// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/random/kernels.hpp"

namespace nttforge::cpu {

/// What each random_<target>.cpp contributes; random_dispatch.cpp picks. AVX-512-IFMA uses the AVX-512 ones.
extern const RandomKernels kRandomScalar;
extern const RandomKernels kRandomAvx2;
extern const RandomKernels kRandomAvx512;
extern const RandomKernels kRandomNeon;
extern const RandomKernels kRandomWasm;

}  // namespace nttforge::cpu
