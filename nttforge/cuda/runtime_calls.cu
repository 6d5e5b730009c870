// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>

#include <algorithm>

#include "nttforge/cuda/error.hpp"
#include "nttforge/cuda/runtime_calls.cuh"

namespace nttforge::cuda {

static_assert(cudaErrorMemoryAllocation == 2 && cudaErrorCudartUnloading == 4 &&
              cudaErrorInsufficientDriver == 35 && cudaErrorNoDevice == 100 &&
              cudaErrorInvalidDevice == 101 && cudaErrorNoKernelImageForDevice == 209 &&
              cudaErrorInvalidResourceHandle == 400 && cudaErrorIllegalAddress == 700 &&
              cudaErrorLaunchOutOfResources == 701 && cudaErrorLaunchFailure == 719 &&
              cudaErrorStreamCaptureUnsupported == 900 && cudaErrorStreamCaptureWrongThread == 908);

void require(int code, const std::string& doing, int device) {
  if (code == cudaSuccess) return;
  const auto error = static_cast<cudaError_t>(code);
  if (cudaPeekAtLastError() == error) (void)cudaGetLastError();  // ours: not to be found by the next caller
  int driver = 0, runtime = 0;
  (void)cudaDriverGetVersion(&driver);
  (void)cudaRuntimeGetVersion(&runtime);
  throw_failure({code, cudaGetErrorName(error), doing, device, driver, runtime, architectures_of_build()});
}

std::size_t attribute(cudaDeviceAttr name, int device) {
  int value = 0;
  require(cudaDeviceGetAttribute(&value, name, device), "asking for the properties of the device", device);
  return static_cast<std::size_t>(std::max(value, 0));
}

namespace {

using ContextId = CUresult (*)(CUcontext, unsigned long long*);

ContextId context_id_function() {
  static const ContextId function = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    require(cudaGetDriverEntryPointByVersion("cuCtxGetId", &found, 12000, cudaEnableDefault, &result),
            "looking for cuCtxGetId in the driver");
    return reinterpret_cast<ContextId>(found);
  }();
  return function;
}

}  // namespace

std::uint64_t current_context_id(int device) {
  unsigned long long id = 0;
  const CUresult code = context_id_function()(nullptr, &id);
  // Driver and runtime number these errors alike.
  require(static_cast<int>(code), "asking for the context of the device", device);
  return id;
}

}  // namespace nttforge::cuda
