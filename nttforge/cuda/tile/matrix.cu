// SPDX-License-Identifier: Apache-2.0
// The kernels of steps between bases as products of matrices of bytes.
#include "nttforge/cuda/elementwise/enqueue.cuh"
#include "nttforge/cuda/tile/matrix_shapes.hpp"

namespace nttforge::cuda {
namespace {

constexpr unsigned kMatrixThreads = 128, kMatrixWarps = kMatrixThreads / kWarpThreads;

/// tile/warp.hpp on a card.
template <class State>
struct CardWarp {
  State state;

  template <class Work>
  __device__ __forceinline__ void each(const Work& work) {
    work(threadIdx.x % kWarpThreads, state);
  }

  template <class C, class A, class B>
  __device__ __forceinline__ void multiply_bytes(const C& c, const A& a, const B& b) {
    std::uint32_t (&sum)[4] = c(state);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a(state, 0)), "r"(a(state, 1)), "r"(a(state, 2)), "r"(a(state, 3)), "r"(b(state, 0)),
          "r"(b(state, 1)));
#else
    using Places = ByteProductPlaces;
    const unsigned lane = threadIdx.x % kWarpThreads;
    const auto word = [](std::uint32_t value, unsigned from) {
      return __shfl_sync(0xFFFFFFFFu, value, static_cast<int>(from));
    };
    for (unsigned at = 0; at < Places::kWords; ++at) {
      const unsigned half = at / 4, rows = lane / 4 * 4 + at % 4, columns = lane % 4 * 8 + at % 4;
      const std::uint32_t x[2] = {word(a(state, 2 * half), rows), word(a(state, 2 * half + 1), rows)};
      const std::uint32_t y[2] = {word(b(state, half), columns), word(b(state, half), columns + 4)};
      for (unsigned i = 0; i < 4; ++i) sum[i] = __dp4a(x[i / 2], y[i % 2], sum[i]);
    }
#endif
  }

  template <class Word, class Add>
  __device__ __forceinline__ void sum_quads(const Word& word, const Add& add) {
    auto& value = word(state);
    value = add(value, __shfl_xor_sync(0xFFFFFFFFu, value, 1));
    value = add(value, __shfl_xor_sync(0xFFFFFFFFu, value, 2));
  }

  __device__ __forceinline__ void last_sums() { release_next(); }
};

__device__ __forceinline__ std::uint32_t first_column() {
  return (blockIdx.x * kMatrixWarps + threadIdx.x / kWarpThreads) * kMatrixColumns;
}

template <class Kernel>
__global__ void __launch_bounds__(kMatrixThreads, Kernel::kGroups <= 2                  ? 6
                                                  : Kernel::kGroups < kMostMatrixGroups ? 5
                                                                                        : 4)
    run_matrix(const __grid_constant__ Kernel kernel) {
  wait_for_previous();
  const std::uint32_t column = first_column();
  if (column >> kernel.log_n != 0) return;
  CardWarp<typename Kernel::State> warp;
  kernel(warp, column, kernel.first_item + blockIdx.z, blockIdx.y, gridDim.y);
}

template <class Kernel>
__global__ void __launch_bounds__(kMatrixThreads, Kernel::kSecond <= 2 ? 4 : 3)
    run_matrix_chain(const __grid_constant__ Kernel kernel) {
  wait_for_previous();
  const std::uint32_t column = first_column();
  if (column >> kernel.first.log_n != 0) return;
  CardWarp<typename Kernel::State> warp;
  kernel(warp, column, kernel.first.first_item + blockIdx.y);
}

std::uint32_t blocks_of(std::uint32_t log_n) {
  constexpr std::uint32_t kColumns = kMatrixWarps * kMatrixColumns;
  return ((1u << log_n) + kColumns - 1) / kColumns;
}

/// Calls enqueue(first, items) for as many items at a time as a grid has room for.
template <class Enqueue>
cudaError_t by_grids(std::uint32_t items, const Enqueue& enqueue) {
  constexpr std::uint32_t kMostItems = 65535;
  cudaError_t error = cudaSuccess;
  for (std::uint32_t done = 0; done < items && error == cudaSuccess; done += kMostItems)
    error = enqueue(done, std::min(items - done, kMostItems));
  return error;
}

}  // namespace

template <class Call>
int enqueue_matrix(const Call& call, std::uint32_t parts, Correction correction, void* stream) {
  return by_grids(call.items, [&](std::uint32_t done, std::uint32_t items) {
    Call now = call;
    now.first_item += done;
    now.items = items;
    return static_cast<cudaError_t>(with_matrix_kernel(now, correction, [&](const auto& kernel) {
      using Kernel = std::decay_t<decltype(kernel)>;
      return static_cast<int>(launch_overlapping(&run_matrix<Kernel>,
                                                 dim3(blocks_of(call.log_n), parts, items), kMatrixThreads, 0,
                                                 static_cast<cudaStream_t>(stream), kernel));
    }));
  });
}

int enqueue_matrix_chain(const ChainCall<NarrowTiles>& call, void* stream) {
  return by_grids(call.first.items, [&](std::uint32_t done, std::uint32_t items) {
    ChainCall<NarrowTiles> now = call;
    now.first.first_item += done;
    now.first.items = items;
    return static_cast<cudaError_t>(with_matrix_chain(now, [&](const auto& kernel) {
      using Kernel = std::decay_t<decltype(kernel)>;
      return static_cast<int>(launch_overlapping(&run_matrix_chain<Kernel>,
                                                 dim3(blocks_of(call.first.log_n), items), kMatrixThreads, 0,
                                                 static_cast<cudaStream_t>(stream), kernel));
    }));
  });
}

NTTF_MATRICES(NTTF_INSTANTIATE_MATRIX)

}  // namespace nttforge::cuda
