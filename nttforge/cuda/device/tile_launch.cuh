// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "nttforge/cuda/block/device.cuh"
#include "nttforge/cuda/device/tile_shapes.hpp"
#include "nttforge/cuda/elementwise/enqueue.cuh"

// How tiles of steps between bases run on a card: blocks of columns along x, tiles of targets along y, items
// along z.

namespace nttforge::cuda {

/// Copies 16 bytes at a time, by all threads of the block.
__device__ __forceinline__ void copy_to_shared(void* to, const void* from, std::uint32_t bytes) {
  for (std::uint32_t i = threadIdx.x; i < bytes / 16; i += kTileThreads)
    static_cast<uint4*>(to)[i] = __ldg(static_cast<const uint4*>(from) + i);
}

template <class Kernel>
__global__ void __launch_bounds__(kTileThreads) run_tiles(const __grid_constant__ Kernel kernel) {
  using Arith = typename Kernel::Arith;
  using Source = typename Arith::Source;
  using Target = typename Arith::Target;
  using Factor = typename Arith::Factor;
  extern __shared__ __align__(16) unsigned char bytes[];
  const std::uint32_t item = kernel.first_item + blockIdx.z, tile = blockIdx.y;
  const std::uint32_t first = tile * Kernel::kTargets;
  const TileStep<Arith>& step = kernel.step_of(item);
  if (first >= step.target_count) return;
  auto* const targets = reinterpret_cast<Target*>(bytes);
  auto* const sources = reinterpret_cast<Source*>(targets + Kernel::kTargets);
  auto* const factors = reinterpret_cast<Factor*>(sources + step.source_count);
  copy_to_shared(targets, step.targets + first, Kernel::kTargets * sizeof(Target));
  copy_to_shared(sources, step.sources, step.source_count * sizeof(Source));
  constexpr std::uint32_t kRow = Kernel::kTargets * sizeof(Factor) / 16;
  for (std::uint32_t i = threadIdx.x; i < step.source_count * kRow; i += kTileThreads) {
    const Factor* const row = step.factors + std::size_t{i / kRow} * step.padded_targets + first;
    reinterpret_cast<uint4*>(factors)[i] = __ldg(reinterpret_cast<const uint4*>(row) + i % kRow);
  }
  __syncthreads();
  wait_for_previous();
  const std::uint32_t column = (blockIdx.x * kTileThreads + threadIdx.x) * Kernel::kCoefficients;
  if (column >> kernel.log_n != 0) return;
  kernel(TileConstants<Arith>{sources, factors, targets, Kernel::kTargets}, tile, column, item,
         [] { release_next(); });
}

template <class Kernel>
int enqueue_tiles_of(const Kernel& whole, void* stream) {
  using Arith = typename Kernel::Arith;
  if (whole.items == 0) return cudaSuccess;
  std::uint32_t sources = 0;
  for (std::uint32_t i = 0; i < whole.steps_used; ++i)
    sources = std::max(sources, whole.steps[i].source_count);
  const std::uint32_t shared =
      Kernel::kTargets * sizeof(typename Arith::Target) +
      sources * (sizeof(typename Arith::Source) + Kernel::kTargets * sizeof(typename Arith::Factor));
  constexpr std::uint32_t kColumns = kTileThreads * Kernel::kCoefficients, kMostItems = 65535;
  const std::uint32_t columns = ((1u << whole.log_n) + kColumns - 1) / kColumns;
  cudaError_t error = cudaSuccess;
  for (std::uint32_t done = 0; done < whole.items && error == cudaSuccess; done += kMostItems) {
    Kernel kernel = whole;
    kernel.first_item += done;
    kernel.items = std::min(whole.items - done, kMostItems);
    error = launch_overlapping(&run_tiles<Kernel>, dim3(columns, whole.tiles, kernel.items), kTileThreads,
                               shared, static_cast<cudaStream_t>(stream), kernel);
  }
  return error;
}

template <class Call>
int enqueue_tiles(const Call& call, TileShape shape, Correction correction, void* stream) {
  return with_tile_kernel(call, shape, correction, [&]<class Kernel>(Kernel kernel) {
    kernel.tiles = (kernel.most_targets() + Kernel::kTargets - 1) / Kernel::kTargets;
    return enqueue_tiles_of(kernel, stream);
  });
}

}  // namespace nttforge::cuda
