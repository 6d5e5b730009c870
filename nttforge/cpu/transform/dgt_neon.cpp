// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/transform/transform_kernels_neon.hpp"
#include "nttforge/cpu/transform/transform_lanes_neon.hpp"

namespace nttforge::cpu {
namespace {

using Kernels = DgtKernelsOfNeon<TransformWordsNeon, TransformLanesNeon, TransformLanes32Neon>;

}  // namespace

constinit const KernelLists kDgtKernelsNeon{Kernels::kernels64, Kernels::kernels32};

}  // namespace nttforge::cpu
