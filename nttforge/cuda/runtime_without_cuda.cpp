// SPDX-License-Identifier: Apache-2.0
// Builds without a CUDA compiler: every call on a GPU says so.

#include "nttforge/base/error.hpp"
#include "nttforge/cuda/runtime.hpp"

namespace nttforge::cuda {
namespace {

class NoCudaRuntime final : public CudaRuntime {
 public:
  int device_count() override { refuse(); }
  CudaDevice describe(int) override { refuse(); }
  void enter(int, CudaEntry&) override { refuse(); }
  void leave(const CudaEntry&) noexcept override {}
  std::uint64_t context_id(int) override { refuse(); }
  CudaMemory memory(int) override { refuse(); }
  std::size_t pooled_bytes(int) override { refuse(); }
  void* allocate(int, std::size_t, CudaStream, std::size_t) override { refuse(); }
  void release(int, void*, CudaStream, bool) noexcept override {}
  void trim(int, std::size_t) override { refuse(); }
  CudaPlace locate(const void*) override { refuse(); }
  bool is_on(int, const void*, std::size_t) override { refuse(); }
  CudaStreamFacts look_at(int, CudaStream) override { refuse(); }
  int device_of(CudaStream, int) override { refuse(); }
  void copy(int, void*, const void*, std::size_t, CudaStream) override { refuse(); }
  void synchronize(int, CudaStream) override { refuse(); }
  void order(int, CudaStream, CudaStream) override { refuse(); }
  CudaStream make_stream(int) override { refuse(); }
  void destroy_stream(int, CudaStream) noexcept override {}
  void launch(int, const char*, const std::function<int()>&) override { refuse(); }
  double time_ns(int, unsigned, unsigned, const std::function<void(CudaStream)>&) override { refuse(); }

 private:
  [[noreturn]] static void refuse() {
    throw UnsupportedError(
        "this build of nttforge has no GPU kernels: build it where a CUDA toolkit 12.8 or newer is installed "
        "(or "
        "'pip install -r requirements-cuda.txt'); device=\"cuda:host\" runs the kernels on the CPU, slowly");
  }
};

}  // namespace

bool in_this_build() { return false; }
std::string_view architectures_of_build() { return {}; }

CudaRuntime& machine_runtime() {
  static NoCudaRuntime runtime;
  return runtime;
}

}  // namespace nttforge::cuda
