// SPDX-License-Identifier: Apache-2.0
// Builds without a CUDA compiler: every call on a GPU says so.

#include "nttforge/cuda/runtime/runtime_refusal.hpp"

namespace nttforge::cuda {

bool in_this_build() { return false; }
std::string_view architectures_of_build() { return {}; }

CudaRuntime& machine_runtime() {
  static auto* const runtime = new RefusingRuntime(
      std::string(
          "this build of nttforge has no GPU kernels: install the package nttforge-cuda of the same "
          "version (the extra [cuda]), or build where a CUDA toolkit 12.8 or newer is installed (or 'pip "
          "install -r requirements-cuda.txt')") +
      (host_in_this_build() ? "; device=\"cuda:host\" runs the kernels on the CPU, slowly" : ""));
  return *runtime;
}

}  // namespace nttforge::cuda
