// SPDX-License-Identifier: Apache-2.0
// g++ 12 takes the deliberately undefined operand inside some of its own AVX-512 intrinsics for a mistake.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include "nttforge/cpu/transform/dgt_kernels.hpp"
#include "nttforge/cpu/transform/transform_lanes_avx512.hpp"

namespace nttforge::cpu {
namespace {

using Kernels = DgtKernelsOf512<TransformLanesAvx512, TransformLanes32Avx512>;

}  // namespace

constinit const KernelLists kDgtKernelsAvx512{Kernels::kernels64, Kernels::kernels32};

}  // namespace nttforge::cpu
