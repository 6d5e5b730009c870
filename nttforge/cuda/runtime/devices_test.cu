// SPDX-License-Identifier: Apache-2.0
// Two GPUs: plans and memory of one while the other is the thread's current device.
#include <cuda_runtime.h>

#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/candidates.hpp"
#include "nttforge/cuda/plan/testing_plans.hpp"

namespace nttforge::cuda {
namespace {

using namespace testing_plans;

int current_device() {
  int device = -1;
  NTTF_CHECK_EQ(int{cudaGetDevice(&device)}, 0);
  return device;
}

/// Everything a plan on `device` does, in its default stream and in a stream of the caller, while `current`
/// is the current device.
void check(int device, int current, const NttSpec& spec, const CudaRecipe& recipe, testing::Rng& rng) {
  NTTF_CHECK_EQ(int{cudaSetDevice(current)}, 0);
  const CudaNttPlan plan(spec, recipe, device);
  NTTF_CHECK_EQ(current_device(), current);
  compare(plan, 2, rng);
  NTTF_CHECK_EQ(current_device(), current);

  cudaStream_t own = nullptr, other = nullptr;
  NTTF_CHECK_EQ(int{cudaSetDevice(1 - device)}, 0);
  NTTF_CHECK_EQ(int{cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking)}, 0);
  NTTF_CHECK_EQ(int{cudaSetDevice(device)}, 0);
  NTTF_CHECK_EQ(int{cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking)}, 0);
  NTTF_CHECK_EQ(int{cudaSetDevice(current)}, 0);
  const auto a = residues<std::uint64_t>(spec, 1, rng);
  std::vector<std::uint64_t> want(a.size()), got(a.size());
  NttPlan(spec).forward(a, want);
  const OnDevice<std::uint64_t> x(device, a);
  runtime_of(device).synchronize(device, nullptr);
  plan.forward(x.in(), x.words, own);
  plan.inverse(x.in(), x.words, own);
  plan.forward(x.in(), x.words, own);
  runtime_of(device).synchronize(device, own);
  NTTF_CHECK(x.back() == want);
  NTTF_CHECK_THROWS(plan.forward(x.in(), x.words, other), ParameterError, "the stream belongs to cuda:");
  const OnDevice<std::uint64_t> elsewhere(1 - device, a.size());
  NTTF_CHECK_THROWS(plan.forward(elsewhere.in(), x.words), ParameterError, "and the plan on cuda:");
  NTTF_CHECK_EQ(current_device(), current);
  NTTF_CHECK_EQ(int{cudaStreamDestroy(own)}, 0);
  NTTF_CHECK_EQ(int{cudaStreamDestroy(other)}, 0);
}

NTTF_TEST("two GPUs: plans on one while the other is current") {
  if (device_count() < 2) return testing::skip("needs two GPUs");
  testing::Rng rng;
  for (const std::size_t n : {64u, 2048u, 4096u, 16384u, 1u << 18}) {
    const NttSpec spec = spec_of(n, 60, 2);
    for (const int device : {1, 0}) {
      for (const CudaRecipe& recipe : candidate_recipes(spec, describe_device(device))) {
        for (const int current : {0, 1}) check(device, current, spec, recipe, rng);
      }
    }
  }
  NTTF_CHECK_EQ(int{cudaSetDevice(0)}, 0);
}

}  // namespace
}  // namespace nttforge::cuda
