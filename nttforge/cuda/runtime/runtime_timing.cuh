// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "nttforge/cuda/device.hpp"

namespace nttforge::cuda {

/// CudaRuntime::time_ns of the current device.
double graph_time_ns(int device, unsigned calls, unsigned rounds,
                     const std::function<void(CudaStream)>& body);

}  // namespace nttforge::cuda
