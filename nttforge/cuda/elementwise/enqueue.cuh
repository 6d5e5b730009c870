// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "nttforge/cuda/block/device.cuh"

// How operations on single elements run on a card: one thread for each. As kernels of phases do
// (block/device.cuh), they begin while the kernel before them ends and wait for what it wrote.

namespace nttforge::cuda {

inline constexpr unsigned kElementThreads = 256, kMostElementRows = 65535;

/// Threads of a block: fewer where a thread has much to do, so that few of them are spread over the card.
template <class Operation>
constexpr unsigned threads_of() {
  if constexpr (requires { Operation::kThreads; }) return Operation::kThreads;
  return kElementThreads;
}

/// Blocks that a multiprocessor shall have room for, where an operation asks for some.
template <class Operation>
constexpr unsigned blocks_of() {
  if constexpr (requires { Operation::kBlocks; }) return Operation::kBlocks;
  return 0;
}

template <class Operation>
__global__ void __launch_bounds__(threads_of<Operation>(), blocks_of<Operation>())
    each(const __grid_constant__ Operation operation) {
  wait_for_previous();
  release_next();
  const std::uint32_t column = blockIdx.x * threads_of<Operation>() + threadIdx.x;
  if (column >> operation.shape.log_n != 0) return;
  for (std::uint32_t row = blockIdx.y; row < operation.shape.rows; row += gridDim.y) operation(row, column);
}

/// Enqueues a kernel that calls wait_for_previous() before it touches memory. Returns what the runtime said.
template <class... Parameters, class... Arguments>
cudaError_t launch_overlapping(void (*kernel)(Parameters...), dim3 grid, unsigned threads,
                               std::size_t shared_bytes, cudaStream_t stream, const Arguments&... arguments) {
  cudaError_t error = cudaSuccess;
  const LaunchCard* const card = card_of_launch(error);
  if (card == nullptr) return error;
  cudaLaunchAttribute overlap[1];
  overlap[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap[0].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = overlap;
  config.numAttrs = card->major >= 9 ? 1 : 0;
  return launch_or_collect(config, kernel, arguments...);
}

template <class Operation>
int enqueue(const Operation& operation, void* stream) {
  if (operation.shape.rows == 0) return 0;
  const unsigned n = 1u << operation.shape.log_n;
  constexpr unsigned kThreads = threads_of<Operation>();
  const dim3 grid((n + kThreads - 1) / kThreads, std::min<unsigned>(operation.shape.rows, kMostElementRows));
  return launch_overlapping(&each<Operation>, grid, kThreads, 0, static_cast<cudaStream_t>(stream),
                            operation);
}

}  // namespace nttforge::cuda
