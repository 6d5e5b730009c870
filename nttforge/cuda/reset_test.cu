// A device that somebody resets under our plans and arrays. Last of the folder's tests by name, in a file for
// the CUDA compiler because only this test calls CUDA itself.

#include <cuda_runtime.h>

#include <span>
#include <vector>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/memory.hpp"
#include "nttforge/cuda/plan.hpp"
#include "nttforge/ntt/plan.hpp"

namespace nttforge::cuda {
namespace {

std::span<std::uint64_t> words(const CudaBuffer& buffer) {
  return {static_cast<std::uint64_t*>(buffer.data()), buffer.bytes() / 8};
}

NTTF_TEST("what was made before a device was reset is refused, and the device is used again") {
  if (device_count() == 0) return;
  NttSpec spec;
  spec.n = 1024;
  spec.moduli = ntt_primes(1024, 60, 1);
  std::vector<std::uint64_t> a(1024, 5), want(1024), got(1024);
  NttPlan(spec).forward(a, want);
  {
    const CudaNttPlan plan(spec);
    const CudaBuffer x(0, 8 * a.size());
    NTTF_CHECK_EQ(int{cudaDeviceReset()}, 0);
    NTTF_CHECK_THROWS(plan.forward(words(x), words(x)), ContextError,
                      "cuda:0 was reset since this array or plan");
    NTTF_CHECK_THROWS(plan.require_reduced(words(x)), ContextError, "make it anew");
    NTTF_CHECK_THROWS(x.from_host(a.data()), ContextError, "was reset");
    NTTF_CHECK_THROWS(x.to_host(got.data()), ContextError, "was reset");
  }
  NTTF_CHECK_EQ(pool_info(0).used_bytes, std::size_t{0});
  const CudaNttPlan plan(spec);
  const CudaBuffer x(0, 8 * a.size());
  x.from_host(a.data());
  plan.forward(words(x), words(x));
  x.to_host(got.data());
  NTTF_CHECK(got == want);
  NTTF_CHECK_EQ(int{cudaGetLastError()}, 0);
}

NTTF_TEST("errors of a launch are told and leave the device as it was") {
  if (device_count() == 0) return;
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
