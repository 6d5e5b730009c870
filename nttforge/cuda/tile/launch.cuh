// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "nttforge/cuda/block/device.cuh"
#include "nttforge/cuda/elementwise/enqueue.cuh"
#include "nttforge/cuda/tile/shapes.hpp"

// How tiles of steps between bases run on a card: blocks of columns along x, tiles of targets along y, items
// along z.

namespace nttforge::cuda {

/// Copies 16 bytes at a time, by all threads of the block.
__device__ __forceinline__ void copy_to_shared(void* to, const void* from, std::uint32_t bytes) {
  for (std::uint32_t i = threadIdx.x; i < bytes / 16; i += blockDim.x)
    static_cast<uint4*>(to)[i] = __ldg(static_cast<const uint4*>(from) + i);
}

template <class Kernel>
__global__ void __launch_bounds__(kTileThreads, tile_blocks<Kernel>())
    run_tiles(const __grid_constant__ Kernel kernel) {
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
  const std::uint32_t tiles = (whole.most_targets() + Kernel::kTargets - 1) / Kernel::kTargets;
  constexpr std::uint32_t kColumns = kTileThreads * Kernel::kCoefficients, kMostItems = 65535;
  const std::uint32_t columns = ((1u << whole.log_n) + kColumns - 1) / kColumns;
  cudaError_t error = cudaSuccess;
  for (std::uint32_t done = 0; done < whole.items && error == cudaSuccess; done += kMostItems) {
    Kernel kernel = whole;
    kernel.first_item += done;
    kernel.items = std::min(whole.items - done, kMostItems);
    error = launch_overlapping(&run_tiles<Kernel>, dim3(columns, tiles, kernel.items), kTileThreads, shared,
                               static_cast<cudaStream_t>(stream), kernel);
  }
  return error;
}

template <class Call>
int enqueue_tiles(const Call& call, TileShape shape, Correction correction, void* stream) {
  return with_tile_kernel(call, shape, correction,
                          [&](const auto& kernel) { return enqueue_tiles_of(kernel, stream); });
}

/// All constants of a step in shared memory, whose next free byte `bytes` becomes.
template <class Arith>
__device__ __forceinline__ TileConstants<Arith> constants_to_shared(const TileStep<Arith>& step,
                                                                    unsigned char*& bytes) {
  using Source = typename Arith::Source;
  using Target = typename Arith::Target;
  using Factor = typename Arith::Factor;
  auto* const targets = reinterpret_cast<Target*>(bytes);
  auto* const sources = reinterpret_cast<Source*>(targets + step.padded_targets);
  auto* const factors = reinterpret_cast<Factor*>(sources + step.source_count);
  bytes = reinterpret_cast<unsigned char*>(factors + step.source_count * step.padded_targets);
  copy_to_shared(targets, step.targets, step.padded_targets * sizeof(Target));
  copy_to_shared(sources, step.sources, step.source_count * sizeof(Source));
  copy_to_shared(factors, step.factors, step.source_count * step.padded_targets * sizeof(Factor));
  return {sources, factors, targets, step.padded_targets};
}
template <class Arith>
std::uint32_t constant_bytes(const TileStep<Arith>& step) {
  return step.padded_targets * sizeof(typename Arith::Target) +
         step.source_count *
             (sizeof(typename Arith::Source) + step.padded_targets * sizeof(typename Arith::Factor));
}

template <class Kernel>
__global__ void __launch_bounds__(kChainColumns* kMostChainWarps, 2)
    run_chain(const __grid_constant__ Kernel kernel) {
  using Arith = typename Kernel::Arith;
  using Word = typename Kernel::Word;
  extern __shared__ __align__(16) unsigned char bytes[];
  const TileStep<Arith>&first = kernel.first.steps[0], &second = kernel.second.steps[0];
  unsigned char* free = bytes;
  const TileConstants<Arith> first_constants = constants_to_shared(first, free),
                             second_constants = constants_to_shared(second, free);
  auto* const between = reinterpret_cast<Word*>(free) + threadIdx.x % kChainColumns;
  __syncthreads();
  wait_for_previous();
  const std::uint32_t warp = threadIdx.x / kChainColumns, warps = blockDim.x / kChainColumns;
  const std::uint32_t column = blockIdx.x * kChainColumns + threadIdx.x % kChainColumns, item = blockIdx.y;
  const bool inside = column >> kernel.first.log_n == 0;
  const auto tile_of = [](const TileConstants<Arith>& all, std::uint32_t tile) {
    return TileConstants<Arith>{all.sources, all.factors + tile * Kernel::kTargets,
                                all.targets + tile * Kernel::kTargets, all.factor_stride};
  };
  for (std::uint32_t tile = warp; inside && tile < Kernel::tiles(first); tile += warps)
    Kernel::run_first(kernel.first, tile_of(first_constants, tile), tile, column, item, between);
  __syncthreads();
  release_next();
  for (std::uint32_t tile = warp; inside && tile < Kernel::tiles(second); tile += warps)
    Kernel::run_second(kernel.second, tile_of(second_constants, tile), tile, column, item, between);
}

template <class Kernel>
int enqueue_chain_of(const Kernel& kernel, void* stream) {
  using Arith = typename Kernel::Arith;
  const TileStep<Arith>&first = kernel.first.steps[0], &second = kernel.second.steps[0];
  const std::uint32_t warps =
      std::min(kMostChainWarps, std::max(Kernel::tiles(first), Kernel::tiles(second)));
  const std::uint32_t shared = constant_bytes(first) + constant_bytes(second) +
                               first.target_count * kChainColumns * sizeof(typename Kernel::Word);
  const std::uint32_t columns = ((1u << kernel.first.log_n) + kChainColumns - 1) / kChainColumns;
  return launch_overlapping(&run_chain<Kernel>, dim3(columns, kernel.first.items), kChainColumns * warps,
                            shared, static_cast<cudaStream_t>(stream), kernel);
}

template <class Arith>
int enqueue_chain(const ChainCall<Arith>& call, unsigned targets, void* stream) {
  return with_chain_kernel(call, targets,
                           [&](const auto& kernel) { return enqueue_chain_of(kernel, stream); });
}

}  // namespace nttforge::cuda
