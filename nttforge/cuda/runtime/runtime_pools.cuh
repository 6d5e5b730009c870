// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <set>

#include "nttforge/cuda/device.hpp"

namespace nttforge::cuda {

/// A pool of stream-ordered memory on each device, made when it is first needed and again after a reset. The
/// device of each call is current, in the context named; what the calls do: runtime.hpp.
class DevicePools {
 public:
  void* allocate(int device, std::uint64_t context, std::size_t bytes, CudaStream stream,
                 std::size_t keep_bytes);
  void trim(int device, std::uint64_t context, std::size_t keep_bytes);
  std::size_t reserved_bytes(int device, std::uint64_t context);
  /// Lets `peer` reach the memory of the device's pool, if there is one and the cards are connected.
  void open_to(int device, int peer);

 private:
  struct Pool {
    cudaMemPool_t handle = nullptr;
    std::uint64_t context = 0;
    std::size_t keep_bytes = 0;
    std::set<int> peers{};  ///< that were asked for, granted or not
  };

  cudaMemPool_t pool_of(int device, std::uint64_t context, std::size_t keep_bytes);

  std::mutex mutex_;
  std::map<int, Pool> pools_;
};

/// Memory of a pool of the current device. Unless `everywhere`, `stream` must be alive.
void release_memory(void* memory, CudaStream stream, bool everywhere) noexcept;

}  // namespace nttforge::cuda
