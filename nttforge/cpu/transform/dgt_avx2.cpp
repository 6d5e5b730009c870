// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/transform/dgt_kernels.hpp"
#include "nttforge/cpu/transform/transform_lanes_avx2.hpp"

namespace nttforge::cpu {
namespace {

using Kernels = DgtKernelsOf256<TransformLanesAvx2, TransformLanes32Avx2>;

}  // namespace

constinit const KernelLists kDgtKernelsAvx2{Kernels::kernels64, Kernels::kernels32};

}  // namespace nttforge::cpu
