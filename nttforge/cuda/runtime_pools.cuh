// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "nttforge/cuda/device.hpp"

namespace nttforge::cuda {

/// A pool of stream-ordered memory on each device, made when it is first needed and again after a reset. The
/// device of each call is current; what the calls do: runtime.hpp.
class DevicePools {
 public:
  void* allocate(int device, std::size_t bytes, CudaStream stream, std::size_t keep_bytes);
  void release(int device, void* memory, CudaStream stream, bool everywhere);
  void trim(int device, std::size_t keep_bytes);
  std::size_t reserved_bytes(int device);

 private:
  struct Pool {
    cudaMemPool_t handle;
    std::uint64_t context;
  };
  struct Deferred {
    int device;
    void* memory;
    CudaStream stream;
  };

  cudaMemPool_t pool_of(int device, std::size_t keep_bytes);
  void release_deferred();

  std::mutex mutex_;
  std::map<int, Pool> pools_;
  std::vector<Deferred> deferred_;
};

}  // namespace nttforge::cuda
