// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <mutex>

#include "nttforge/cuda/runtime/runtime.hpp"

namespace nttforge::cuda {

/// Devices kHost and kHost2: their memory is the host's, but each knows which addresses are its own;
/// streams are in order because every call is done when it returns.
class HostCudaRuntime : public CudaRuntime {
 public:
  int device_count() override { return 2; }
  CudaDevice describe(int device) override;
  void enter(int device, CudaEntry& entry) override;
  void leave(const CudaEntry&) noexcept override {}
  std::uint64_t context_id(int device) override;
  CudaMemory memory(int device) override;
  std::size_t pooled_bytes(int device) override;
  void* allocate(int device, std::size_t bytes, CudaStream stream, std::size_t keep_bytes) override;
  void release(int device, void* memory, CudaStream stream, bool everywhere) noexcept override;
  void trim(int device, std::size_t keep_bytes) override;
  CudaPlace locate(const void* pointer) override;
  bool is_on(int device, const void* first, std::size_t bytes) override;
  CudaStreamFacts look_at(int device, CudaStream stream) override;
  int device_of(CudaStream stream, int device) override { return look_at(device, stream).device; }
  void copy(int device, void* to, const void* from, std::size_t bytes, CudaStream stream) override;
  void copy_between(int device, void* to, int owner, const void* from, std::size_t bytes,
                    CudaStream stream) override;
  void synchronize(int device, CudaStream stream) override;
  void* allocate_host(int device, std::size_t bytes) override;
  void release_host(int, void* memory) noexcept override;
  CudaMark make_mark(int) override { return nullptr; }
  void place_mark(int, CudaMark, CudaStream) override {}
  void wait_for_mark(int, CudaMark) override {}
  bool has_passed(int, CudaMark) override { return true; }
  void destroy_mark(int, CudaMark) noexcept override {}
  void wait_in_stream(int, CudaMark, CudaStream) override {}
  void order(int device, CudaStream earlier, CudaStream later) override;
  CudaStream make_stream(int device) override;
  void destroy_stream(int device, CudaStream stream) noexcept override;
  /// throws UnsupportedError: calls are done when they return.
  void begin_capture(int device, CudaStream stream) override;
  CudaGraph end_capture(int, CudaStream, bool) override { return nullptr; }
  void run_graph(int, CudaGraph, CudaStream) override {}
  void destroy_graph(int, CudaGraph) noexcept override {}
  void launch(int device, const char* what, const std::function<int()>& launch) override;
  double time_ns(int device, unsigned calls, unsigned rounds,
                 const std::function<void(CudaStream)>& body) override;

  /// As cudaDeviceReset(), for tests: memory and streams of the device are gone.
  void reset(int device);
  /// How often memory was released in a stream that was destroyed before. On a GPU each would end the
  /// process.
  std::size_t releases_in_dead_streams();
  /// How often the runtime was asked anything, for tests of what a call costs.
  std::size_t questions() const { return questions_.load(); }

 private:
  struct Block {
    std::size_t bytes;
    int device;
  };
  void require_device(int device) const;

  std::mutex mutex_;
  std::map<std::uintptr_t, Block> blocks_;
  std::map<CudaStream, int> streams_;
  std::map<void*, int> page_locked_;
  std::size_t used_[2] = {0, 0};
  std::uint64_t context_[2] = {1, 1};
  std::size_t dead_releases_ = 0;
  std::atomic<std::size_t> questions_{0};
};

/// The functions of the host's runtime, for tests. throw UnsupportedError if it is not in this build.
void reset_host(int device);
std::size_t host_releases_in_dead_streams();

}  // namespace nttforge::cuda
