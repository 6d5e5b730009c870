// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

// How operations on single elements run on a card: one thread for each.

namespace nttforge::cuda {

inline constexpr unsigned kElementThreads = 256, kMostElementRows = 65535;

template <class Operation>
__global__ void __launch_bounds__(kElementThreads) each(Operation operation) {
  const std::uint32_t column = blockIdx.x * kElementThreads + threadIdx.x;
  if (column >> operation.shape.log_n != 0) return;
  for (std::uint32_t row = blockIdx.y; row < operation.shape.rows; row += gridDim.y) operation(row, column);
}

template <class Operation>
int enqueue(const Operation& operation, void* stream) {
  if (operation.shape.rows == 0) return 0;
  const unsigned n = 1u << operation.shape.log_n;
  const dim3 grid((n + kElementThreads - 1) / kElementThreads,
                  std::min<unsigned>(operation.shape.rows, kMostElementRows));
  each<<<grid, kElementThreads, 0, static_cast<cudaStream_t>(stream)>>>(operation);
  return cudaGetLastError();
}

}  // namespace nttforge::cuda
