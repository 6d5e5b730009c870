// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/transform/transform_kernels.hpp"
#include "nttforge/cpu/transform/transform_lanes_avx2.hpp"

namespace nttforge::cpu {
namespace {

using Kernels = KernelsOf256<TransformLanesAvx2, TransformLanes32Avx2>;

}  // namespace

constinit const KernelLists kTransformKernels32Avx2{{}, Kernels::kernels32};

}  // namespace nttforge::cpu
