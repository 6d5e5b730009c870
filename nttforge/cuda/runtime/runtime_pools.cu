// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>

#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/cuda/runtime/runtime_calls.cuh"
#include "nttforge/cuda/runtime/runtime_pools.cuh"

namespace nttforge::cuda {

void* DevicePools::allocate(int device, std::uint64_t context, std::size_t bytes, CudaStream stream,
                            std::size_t keep_bytes) {
  const cudaMemPool_t pool = pool_of(device, context, keep_bytes);
  void* memory = nullptr;
  require(cudaMallocFromPoolAsync(&memory, bytes, pool, as_stream(stream)),
          "allocating " + std::to_string(bytes) + " bytes", device);
  return memory;
}

void release_memory(void* memory, CudaStream stream, bool everywhere) noexcept {
  const DuringCaptures relaxed;
  // Work in the default stream would end a capture of a stream that waits for it. To put the release off
  // until the capture is over would mean to ask about the stream later, when nobody keeps it alive any more.
  if (!everywhere) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    everywhere = cudaStreamIsCapturing(as_stream(stream), &status) != cudaSuccess ||
                 status != cudaStreamCaptureStatusNone;
    if (everywhere) (void)cudaGetLastError();
  }
  const cudaError_t code = everywhere ? cudaFree(memory) : cudaFreeAsync(memory, as_stream(stream));
  if (code != cudaSuccess) (void)cudaGetLastError();
}

void DevicePools::trim(int device, std::uint64_t context, std::size_t keep_bytes) {
  const cudaMemPool_t pool = pool_of(device, context, keep_bytes);
  {
    const DuringCaptures relaxed;  // what was released in a stream is free once the stream got there
    require(cudaDeviceSynchronize(), "waiting for the device", device);
  }
  require(cudaMemPoolTrimTo(pool, keep_bytes), "trimming the memory pool", device);
}

std::size_t DevicePools::reserved_bytes(int device, std::uint64_t context) {
  const std::lock_guard lock(mutex_);
  const auto pool = pools_.find(device);
  if (pool == pools_.end() || pool->second.context != context) return 0;
  cuuint64_t reserved = 0;
  require(cudaMemPoolGetAttribute(pool->second.handle, cudaMemPoolAttrReservedMemCurrent, &reserved),
          "asking for the memory of the pool", device);
  return reserved;
}

void DevicePools::open_to(int device, int peer) {
  const std::lock_guard lock(mutex_);
  const auto pool = pools_.find(device);
  if (pool == pools_.end() || !pool->second.peers.insert(peer).second) return;
  int connected = 0;
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = peer;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  // Without access copies go over the host, which the driver does by itself.
  if (cudaDeviceCanAccessPeer(&connected, peer, device) != cudaSuccess ||
      (connected != 0 && cudaMemPoolSetAccess(pool->second.handle, &access, 1) != cudaSuccess))
    (void)cudaGetLastError();
}

cudaMemPool_t DevicePools::pool_of(int device, std::uint64_t context, std::size_t keep_bytes) {
  const std::lock_guard lock(mutex_);
  Pool& pool = pools_[device];
  const bool is_new = pool.handle == nullptr || pool.context != context;
  if (is_new) {
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
    pool = {handle, context, 0, {}};
  }
  if (is_new || pool.keep_bytes != keep_bytes) {
    cuuint64_t keep = keep_bytes;
    require(cudaMemPoolSetAttribute(pool.handle, cudaMemPoolAttrReleaseThreshold, &keep),
            "setting up the memory pool", device);
    pool.keep_bytes = keep_bytes;
  }
  return pool.handle;
}

}  // namespace nttforge::cuda
