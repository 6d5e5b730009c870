// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/block/device.cuh"
#include "nttforge/cuda/table/row.hpp"

namespace nttforge::cuda {

template <class Kernel>
int launch_pass(const typename Kernel::Args& args, unsigned clusters, void* stream) {
  return static_cast<int>(launch_kernel<Kernel>(args, clusters, static_cast<cudaStream_t>(stream)));
}

}  // namespace nttforge::cuda
