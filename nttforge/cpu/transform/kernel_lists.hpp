// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "nttforge/ntt/kernels.hpp"

namespace nttforge::cpu {

/// The kernels that one transform_<target>.cpp or dgt_<target>.cpp contributes; transform_dispatch.cpp joins
/// them.
struct KernelLists {
  std::span<const TransformKernel<std::uint64_t>> kernels64;
  std::span<const TransformKernel<std::uint32_t>> kernels32;
};

extern const KernelLists kTransformKernelsScalar;
extern const KernelLists kTransformKernelsAvx2;
extern const KernelLists kTransformKernels32Avx2;
extern const KernelLists kTransformKernelsAvx512;
extern const KernelLists kTransformKernelsAvx512Ifma;
extern const KernelLists kTransformKernelsNeon;
extern const KernelLists kTransformKernelsWasm;
extern const KernelLists kDgtKernelsScalar;
extern const KernelLists kDgtKernelsAvx2;
extern const KernelLists kDgtKernelsAvx512;
extern const KernelLists kDgtKernelsAvx512Ifma;
extern const KernelLists kDgtKernelsNeon;

}  // namespace nttforge::cpu
