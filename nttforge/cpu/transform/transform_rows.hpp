// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "nttforge/ntt/kernels.hpp"

namespace nttforge::cpu {

/// The rows one transform_<target>.cpp or dgt_<target>.cpp contributes; transform_dispatch.cpp joins them.
struct TransformRows {
  std::span<const KernelRow<std::uint64_t>> rows64;
  std::span<const KernelRow<std::uint32_t>> rows32;
};

extern const TransformRows kTransformRowsScalar;
extern const TransformRows kTransformRowsAvx2;
extern const TransformRows kTransformRows32Avx2;
extern const TransformRows kTransformRowsAvx512;
extern const TransformRows kTransformRowsAvx512Ifma;
extern const TransformRows kDgtRowsScalar;
extern const TransformRows kDgtRowsAvx2;
extern const TransformRows kDgtRowsAvx512;
extern const TransformRows kDgtRowsAvx512Ifma;

}  // namespace nttforge::cpu
