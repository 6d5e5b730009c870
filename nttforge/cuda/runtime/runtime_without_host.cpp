// SPDX-License-Identifier: Apache-2.0
// Builds without the host's run of the GPU kernels: every call on kHost and kHost2 says so.

#include "nttforge/cuda/runtime/runtime_host.hpp"
#include "nttforge/cuda/runtime/runtime_refusal.hpp"

namespace nttforge::cuda {

bool host_in_this_build() { return false; }

CudaRuntime& host_runtime() {
  static auto* const runtime = new RefusingRuntime(
      "device=\"cuda:host\" runs the GPU kernels on the CPU, for tests, and is not in this build of "
      "nttforge: "
      "build it with 'pip install -Ccmake.define.NTTFORGE_CUDA_HOST=ON .' in a clone (CMake: "
      "-DNTTFORGE_CUDA_HOST=ON)");
  return *runtime;
}

void reset_host(int device) { host_runtime().describe(device); }
std::size_t host_releases_in_dead_streams() { return host_runtime().pooled_bytes(kHost); }

}  // namespace nttforge::cuda
