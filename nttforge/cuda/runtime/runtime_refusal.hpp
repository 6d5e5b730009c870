// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/cuda/runtime/runtime.hpp"

namespace nttforge::cuda {

/// For devices that are not in this build: every call says so, and what to do.
class RefusingRuntime final : public CudaRuntime {
 public:
  explicit RefusingRuntime(std::string reason) : reason_(std::move(reason)) {}

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
  void copy_between(int, void*, int, const void*, std::size_t, CudaStream) override { refuse(); }
  void synchronize(int, CudaStream) override { refuse(); }
  void* allocate_host(int, std::size_t) override { refuse(); }
  void release_host(int, void*) noexcept override {}
  CudaMark make_mark(int) override { refuse(); }
  void place_mark(int, CudaMark, CudaStream) override { refuse(); }
  void wait_for_mark(int, CudaMark) override { refuse(); }
  bool has_passed(int, CudaMark) override { refuse(); }
  void destroy_mark(int, CudaMark) noexcept override {}
  void wait_in_stream(int, CudaMark, CudaStream) override { refuse(); }
  void order(int, CudaStream, CudaStream) override { refuse(); }
  CudaStream make_stream(int) override { refuse(); }
  void destroy_stream(int, CudaStream) noexcept override {}
  void begin_capture(int, CudaStream) override { refuse(); }
  CudaGraph end_capture(int, CudaStream, bool) override { refuse(); }
  void run_graph(int, CudaGraph, CudaStream) override { refuse(); }
  void destroy_graph(int, CudaGraph) noexcept override {}
  void launch(int, const char*, const std::function<int()>&) override { refuse(); }
  double time_ns(int, unsigned, unsigned, const std::function<void(CudaStream)>&) override { refuse(); }

 private:
  [[noreturn]] void refuse() const { throw UnsupportedError(reason_); }

  std::string reason_;
};

}  // namespace nttforge::cuda
