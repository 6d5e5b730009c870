// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>

#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/cuda/runtime_calls.cuh"
#include "nttforge/cuda/runtime_pools.cuh"

namespace nttforge::cuda {
namespace {

bool release_now(void* memory, CudaStream stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(as_stream(stream), &status) != cudaSuccess ||
      status != cudaStreamCaptureStatusNone) {
    (void)cudaGetLastError();
    return false;
  }
  if (cudaFreeAsync(memory, as_stream(stream)) != cudaSuccess) (void)cudaGetLastError();
  return true;
}

}  // namespace

void* DevicePools::allocate(int device, std::size_t bytes, CudaStream stream, std::size_t keep_bytes) {
  const cudaMemPool_t pool = pool_of(device, keep_bytes);
  release_deferred();
  void* memory = nullptr;
  require(cudaMallocFromPoolAsync(&memory, bytes, pool, as_stream(stream)),
          "allocating " + std::to_string(bytes) + " bytes", device);
  return memory;
}

void DevicePools::release(int device, void* memory, CudaStream stream, bool everywhere) {
  release_deferred();
  if (everywhere) {
    const DuringCaptures relaxed;
    (void)cudaFree(memory);
    (void)cudaGetLastError();
    return;
  }
  // Work in the default stream would end a capture of a stream that waits for it, so it is put off.
  if (!release_now(memory, stream)) {
    const std::lock_guard lock(mutex_);
    deferred_.push_back({device, memory, stream});
  }
}

void DevicePools::trim(int device, std::size_t keep_bytes) {
  const cudaMemPool_t pool = pool_of(device, keep_bytes);
  {
    const DuringCaptures relaxed;  // what was released in a stream is free once the stream got there
    require(cudaDeviceSynchronize(), "waiting for the device", device);
  }
  require(cudaMemPoolTrimTo(pool, keep_bytes), "trimming the memory pool", device);
}

std::size_t DevicePools::reserved_bytes(int device) {
  const std::lock_guard lock(mutex_);
  const auto pool = pools_.find(device);
  if (pool == pools_.end() || pool->second.context != current_context_id(device)) return 0;
  cuuint64_t reserved = 0;
  require(cudaMemPoolGetAttribute(pool->second.handle, cudaMemPoolAttrReservedMemCurrent, &reserved),
          "asking for the memory of the pool", device);
  return reserved;
}

cudaMemPool_t DevicePools::pool_of(int device, std::size_t keep_bytes) {
  const std::uint64_t context = current_context_id(device);
  const std::lock_guard lock(mutex_);
  Pool& pool = pools_[device];
  if (pool.handle == nullptr || pool.context != context) {
    if (attribute(cudaDevAttrMemoryPoolsSupported, device) == 0) {
      throw UnsupportedError("GPU " + std::to_string(device) +
                             " has no stream-ordered memory: nttforge needs it");
    }
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    cudaMemPool_t handle = nullptr;
    require(cudaMemPoolCreate(&handle, &properties), "making the memory pool", device);
    pool = {handle, context};
  }
  cuuint64_t keep = keep_bytes;
  require(cudaMemPoolSetAttribute(pool.handle, cudaMemPoolAttrReleaseThreshold, &keep),
          "setting up the memory pool", device);
  return pool.handle;
}

void DevicePools::release_deferred() {
  std::vector<Deferred> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting.swap(deferred_);
  }
  std::vector<Deferred> still;
  for (const Deferred& d : waiting) {
    const CurrentDevice current(d.device);
    if (!release_now(d.memory, d.stream)) still.push_back(d);
  }
  if (!still.empty()) {
    const std::lock_guard lock(mutex_);
    deferred_.insert(deferred_.end(), still.begin(), still.end());
  }
}

}  // namespace nttforge::cuda
