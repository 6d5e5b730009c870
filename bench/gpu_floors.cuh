#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "nttforge/cuda/kernels.hpp"

// What a transform cannot be faster than: one pass over its data in place, and its butterflies alone, in
// registers, with twiddles that cost nothing.

namespace nttforge::bench {

/// Reads and writes `count` vectors of 16 bytes, `kEach` per thread.
template <unsigned kEach>
__global__ void pass_in_place(uint4* data, std::size_t count) {
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * kEach + threadIdx.x;
  uint4 v[kEach];
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) {
    const std::size_t at = first + i * blockDim.x;
    if (at < count) v[i] = data[at];
  }
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) {
    const std::size_t at = first + i * blockDim.x;
    if (at < count) data[at] = make_uint4(v[i].x ^ 1, v[i].y + 3, v[i].z, v[i].w);
  }
}

template <unsigned kEach>
void enqueue_pass(void* data, std::size_t bytes, unsigned threads, cudaStream_t stream) {
  const std::size_t count = bytes / 16, per_block = std::size_t{threads} * kEach;
  const auto blocks = static_cast<unsigned>((count + per_block - 1) / per_block);
  pass_in_place<kEach><<<blocks, threads, 0, stream>>>(static_cast<uint4*>(data), count);
}

/// A stage of four butterflies on the eight registers of a thread.
template <class Arith, unsigned kHalf, bool kReduce>
__device__ __forceinline__ void stage_of_eight(typename Arith::Value* r, typename Arith::Twiddle w,
                                               const typename Arith::Constants& c) {
#pragma unroll
  for (unsigned i = 0; i < 8; ++i) {
    if ((i & kHalf) != 0) continue;
    if (kReduce) r[i] = Arith::halve(r[i], c);
    Arith::forward(r[i], r[i + kHalf], w, c);
  }
}

/// Stages kFirst ... kLast - 1, of which every kEvery-th reduces: as lazily as the class allows.
template <class Arith, unsigned kFirst, unsigned kLast>
__device__ __forceinline__ void stages_of_eight(typename Arith::Value* r, typename Arith::Twiddle w,
                                                const typename Arith::Constants& c) {
  if constexpr (kFirst < kLast) {
    constexpr unsigned kEvery = (Arith::kLimit - Arith::kHalf) / Arith::kGrowth;
    stage_of_eight<Arith, (4u >> kFirst % 3), kFirst % kEvery == 0>(r, w, c);
    stages_of_eight<Arith, kFirst + 1, kLast>(r, w, c);
  }
}

/// kLogN stages; six of them in a loop, so that code is not what is measured.
template <class Arith, unsigned kLogN>
__global__ void butterflies_only(typename Arith::Word* out, const cuda::CudaLimb<typename Arith::Word> limb,
                                 const typename Arith::Twiddle w) {
  const auto c = Arith::constants(limb);
  typename Arith::Value r[8];
#pragma unroll
  for (unsigned i = 0; i < 8; ++i) r[i] = Arith::from_word(threadIdx.x * 8 + i, c);
#pragma unroll 1
  for (unsigned six = 0; six < kLogN / 6; ++six) stages_of_eight<Arith, 0, 6>(r, w, c);
  stages_of_eight<Arith, 0, kLogN % 6>(r, w, c);
  typename Arith::Word sum = 0;
#pragma unroll
  for (unsigned i = 0; i < 8; ++i) sum ^= Arith::template to_word<Arith::kLimit>(r[i], c);
  if (sum == 0x123457) out[threadIdx.x] = sum;  // seldom: nothing is worth storing, nothing may be left out
}

template <class Arith, unsigned kLogN>
void enqueue_butterflies(typename Arith::Word* out, const cuda::CudaLimb<typename Arith::Word>& limb,
                         typename Arith::Twiddle w, unsigned limbs, cudaStream_t stream) {
  constexpr unsigned kThreads = 256;
  const auto blocks = (limbs << (kLogN - 3)) / kThreads;
  butterflies_only<Arith, kLogN><<<blocks == 0 ? 1 : blocks, kThreads, 0, stream>>>(out, limb, w);
}

}  // namespace nttforge::bench
