// SPDX-License-Identifier: Apache-2.0
// A device that somebody resets under our plans and arrays. Last of the folder's tests by name, in a file for
// the CUDA compiler because only this test calls CUDA itself.

#include <cuda_runtime.h>

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/candidates.hpp"
#include "nttforge/cuda/memory.hpp"
#include "nttforge/cuda/plan/testing_plans.hpp"

namespace nttforge::cuda {
namespace {

NTTF_TEST("what was made before a GPU was reset is refused, and it is used again") {
  if (device_count() == 0) return testing::skip("needs a GPU");
  testing_plans::check_reset(0, [] { NTTF_CHECK_EQ(int{cudaDeviceReset()}, 0); });
  NTTF_CHECK_EQ(int{cudaGetLastError()}, 0);
}

NTTF_TEST("kernels whose attributes were set before a GPU was reset are made ready again") {
  if (device_count() == 0) return testing::skip("needs a GPU");
  testing::Rng rng;
  for (const unsigned bits : {30u, 60u}) {
    const NttSpec spec = testing_plans::spec_of(4096, bits, 1);
    const auto recipes = candidate_recipes(spec, describe_device(0));
    for (int round = 0; round < 2; ++round) {
      for (const CudaRecipe& recipe : recipes) testing_plans::compare(CudaNttPlan(spec, recipe), 1, rng);
      if (round == 0) NTTF_CHECK_EQ(int{cudaDeviceReset()}, 0);
    }
  }
}

NTTF_TEST("errors of a launch are told and leave the device as it was") {
  if (device_count() == 0) return testing::skip("needs a GPU");
  CudaRuntime& runtime = runtime_of(0);
  NTTF_CHECK_THROWS(runtime.launch(0, "testing", [] { return int{cudaErrorLaunchOutOfResources}; }),
                    UnsupportedError, "cannot run a kernel of this shape");
  NTTF_CHECK_THROWS(runtime.context_id(device_count()), ParameterError, "does not exist");
  NTTF_CHECK_THROWS(CudaBuffer(0, std::size_t{1} << 45), UnsupportedError, "exceed the memory limit");
  const CudaBuffer x(0, 64);
  int current = -1;
  NTTF_CHECK_EQ(int{cudaGetDevice(&current)}, 0);
  NTTF_CHECK_EQ(current, 0);
  NTTF_CHECK_EQ(int{cudaGetLastError()}, 0);
}

}  // namespace
}  // namespace nttforge::cuda
