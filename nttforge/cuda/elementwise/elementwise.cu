// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include <algorithm>

#include "nttforge/cuda/elementwise/elementwise.hpp"

namespace nttforge::cuda {
namespace {

constexpr unsigned kThreads = 256, kMostRows = 65535;

template <class Operation>
__global__ void __launch_bounds__(kThreads) each(Operation operation) {
  const std::uint32_t column = blockIdx.x * kThreads + threadIdx.x;
  if (column >> operation.shape.log_n != 0) return;
  for (std::uint32_t row = blockIdx.y; row < operation.shape.rows; row += gridDim.y) operation(row, column);
}

}  // namespace

template <class Operation>
int enqueue(const Operation& operation, void* stream) {
  if (operation.shape.rows == 0) return 0;
  const unsigned n = 1u << operation.shape.log_n;
  const dim3 grid((n + kThreads - 1) / kThreads, std::min(operation.shape.rows, kMostRows));
  each<<<grid, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(operation);
  return cudaGetLastError();
}

#define NTTF_INSTANTIATE(...) template int enqueue(const __VA_ARGS__&, void*);
NTTF_ELEMENTWISE(NTTF_INSTANTIATE)

}  // namespace nttforge::cuda
