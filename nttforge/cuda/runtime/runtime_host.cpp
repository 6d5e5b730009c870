// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/runtime/runtime_host.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/memory.hpp"
#include "nttforge/cuda/error.hpp"

namespace nttforge::cuda {
namespace {

constexpr std::size_t kAlignment = 256;  // as cudaMalloc's
constexpr int kInvalidDevice = 101, kOutOfMemory = 2, kInvalidHandle = 400;

std::size_t slot(int device) { return device == kHost ? 0 : 1; }

}  // namespace

void HostCudaRuntime::require_device(int device) const {
  if (device == kHost || device == kHost2) return;
  throw_failure({.code = kInvalidDevice,
                 .name = "cudaErrorInvalidDevice",
                 .doing = "looking for a device",
                 .device = device});
}

CudaDevice HostCudaRuntime::describe(int device) {
  require_device(device);
  CudaDevice host;
  host.ordinal = device;
  host.name = "host (kernels run block by block, slowly)";
  host.compute_capability = 90;
  host.multiprocessors = 1;
  host.clock_khz = 1'000'000;
  host.max_threads_per_block = 1024;
  host.max_cluster = 16;
  host.shared_bytes_per_block = 227 * 1024;
  host.shared_bytes_per_multiprocessor = 228 * 1024;
  host.total_bytes = memory(device).total_bytes;
  host.driver = "none";
  return host;
}

void HostCudaRuntime::enter(int device, CudaEntry& entry) {
  entry.device = device;
  entry.context = context_id(device);
}

std::uint64_t HostCudaRuntime::context_id(int device) {
  ++questions_;
  require_device(device);
  const std::lock_guard lock(mutex_);
  return context_[slot(device)];
}

void HostCudaRuntime::reset(int device) {
  require_device(device);
  const std::lock_guard lock(mutex_);
  std::erase_if(blocks_, [&](const auto& block) {
    if (block.second.device != device) return false;
    ::operator delete(reinterpret_cast<void*>(block.first), std::align_val_t(kAlignment));
    return true;
  });
  std::erase_if(page_locked_, [&](const auto& memory) {
    if (memory.second == device) ::operator delete(memory.first, std::align_val_t(kAlignment));
    return memory.second == device;
  });
  std::erase_if(streams_, [&](const auto& stream) {
    if (stream.second == device) ::operator delete(stream.first);
    return stream.second == device;
  });
  used_[slot(device)] = 0;
  ++context_[slot(device)];
}

CudaMemory HostCudaRuntime::memory(int device) {
  require_device(device);
  const std::lock_guard lock(mutex_);
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 30;  // systems differ in what they call available
  const std::size_t available = std::max(available_memory_bytes(), kLeast), used = used_[slot(device)];
  return {available, available + used, used};
}

std::size_t HostCudaRuntime::pooled_bytes(int device) {
  require_device(device);
  const std::lock_guard lock(mutex_);
  return used_[slot(device)];
}

void* HostCudaRuntime::allocate(int device, std::size_t bytes, CudaStream, std::size_t) {
  require_device(device);
  void* memory = ::operator new(bytes, std::align_val_t(kAlignment), std::nothrow);
  if (memory == nullptr) {
    throw_failure({.code = kOutOfMemory,
                   .name = "cudaErrorMemoryAllocation",
                   .doing = "allocating memory",
                   .device = device});
  }
  // What a kernel reads without having written it must not look like a result.
  std::memset(memory, 0xA5, bytes);
  const std::lock_guard lock(mutex_);
  blocks_[reinterpret_cast<std::uintptr_t>(memory)] = {bytes, device};
  used_[slot(device)] += bytes;
  return memory;
}

void HostCudaRuntime::release(int device, void* memory, CudaStream stream, bool everywhere) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (!everywhere && stream != nullptr && !streams_.contains(stream)) ++dead_releases_;
    const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(memory));
    if (found == blocks_.end()) return;
    used_[slot(device)] -= found->second.bytes;
    blocks_.erase(found);
  }
  ::operator delete(memory, std::align_val_t(kAlignment));
}

std::size_t HostCudaRuntime::releases_in_dead_streams() {
  const std::lock_guard lock(mutex_);
  return dead_releases_;
}

void HostCudaRuntime::trim(int device, std::size_t) { require_device(device); }

CudaPlace HostCudaRuntime::locate(const void* pointer) {
  ++questions_;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const std::lock_guard lock(mutex_);
  auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin()) return {CudaPlace::Kind::host, 0};
  --next;
  if (address >= next->first + next->second.bytes) return {CudaPlace::Kind::host, 0};
  return {CudaPlace::Kind::device, next->second.device};
}

bool HostCudaRuntime::is_on(int device, const void* first, std::size_t bytes) {
  ++questions_;
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  const std::lock_guard lock(mutex_);
  auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin()) return false;
  --next;
  const std::size_t offset = address - next->first;
  return next->second.device == device && bytes <= next->second.bytes && offset <= next->second.bytes - bytes;
}

CudaStreamFacts HostCudaRuntime::look_at(int device, CudaStream stream) {
  ++questions_;
  if (stream == nullptr) return {device, false};
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(stream);
  if (found == streams_.end()) {
    throw_failure({.code = kInvalidHandle,
                   .name = "cudaErrorInvalidResourceHandle",
                   .doing = "looking at the stream",
                   .device = device});
  }
  return {found->second, false};
}

void HostCudaRuntime::copy(int, void* to, const void* from, std::size_t bytes, CudaStream) {
  std::memcpy(to, from, bytes);
}

void HostCudaRuntime::copy_between(int device, void* to, int, const void* from, std::size_t bytes,
                                   CudaStream stream) {
  copy(device, to, from, bytes, stream);
}

void HostCudaRuntime::synchronize(int device, CudaStream stream) { look_at(device, stream); }

void* HostCudaRuntime::allocate_host(int device, std::size_t bytes) {
  require_device(device);
  void* const memory = ::operator new(bytes, std::align_val_t(kAlignment));
  std::memset(memory, 0xA5, bytes);
  const std::lock_guard lock(mutex_);
  page_locked_[memory] = device;
  return memory;
}

void HostCudaRuntime::release_host(int, void* memory) noexcept {
  const std::lock_guard lock(mutex_);
  if (page_locked_.erase(memory) != 0) ::operator delete(memory, std::align_val_t(kAlignment));
}

void HostCudaRuntime::order(int device, CudaStream earlier, CudaStream later) {
  look_at(device, earlier);
  look_at(device, later);
}

CudaStream HostCudaRuntime::make_stream(int device) {
  require_device(device);
  CudaStream stream = ::operator new(1);
  const std::lock_guard lock(mutex_);
  streams_[stream] = device;
  return stream;
}

void HostCudaRuntime::destroy_stream(int, CudaStream stream) noexcept {
  const std::lock_guard lock(mutex_);
  if (streams_.erase(stream) != 0) ::operator delete(stream);
}

void HostCudaRuntime::begin_capture(int device, CudaStream) {
  require_device(device);
  throw UnsupportedError("the host's run of the GPU kernels has no graphs: call the operations");
}

void HostCudaRuntime::launch(int device, const char* what, const std::function<int()>& launch) {
  require_device(device);
  throw_failure({.code = launch(), .name = "the host has no such kernel", .doing = what, .device = device});
  if (after_launch) after_launch(what);
}

double HostCudaRuntime::time_ns(int device, unsigned calls, unsigned rounds,
                                const std::function<void(CudaStream)>& body) {
  require_device(device);
  using Clock = std::chrono::steady_clock;
  double least = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    const Clock::time_point start = Clock::now();
    for (unsigned call = 0; call < calls; ++call) body(nullptr);
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count() / calls;
    least = round == 0 ? ns : std::min(least, ns);
  }
  return least;
}

bool host_in_this_build() { return true; }

void reset_host(int device) { static_cast<HostCudaRuntime&>(host_runtime()).reset(device); }

std::size_t host_releases_in_dead_streams() {
  return static_cast<HostCudaRuntime&>(host_runtime()).releases_in_dead_streams();
}

CudaRuntime& host_runtime() {
  static HostCudaRuntime* const runtime = new HostCudaRuntime;  // outlives every array
  return *runtime;
}

}  // namespace nttforge::cuda
