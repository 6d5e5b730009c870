// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "nttforge/cuda/table/kernels.hpp"

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

/// A stage of butterflies on the registers of a thread, those half a group apart.
template <class Arith, unsigned kPoints, unsigned kHalf, bool kReduce>
__device__ __forceinline__ void register_stage(typename Arith::Value* r, typename Arith::Twiddle w,
                                               const typename Arith::Constants& c) {
#pragma unroll
  for (unsigned i = 0; i < kPoints; ++i) {
    if ((i & kHalf) != 0) continue;
    if (kReduce) r[i] = Arith::halve(r[i], c);
    Arith::forward(r[i], r[i + kHalf], w, c);
  }
}

/// Stages kFirst ... kLast - 1, of which every kEvery-th reduces: as lazily as the class allows.
template <class Arith, unsigned kPoints, unsigned kFirst, unsigned kLast>
__device__ __forceinline__ void register_stages(typename Arith::Value* r, typename Arith::Twiddle w,
                                                const typename Arith::Constants& c) {
  if constexpr (kFirst < kLast) {
    constexpr unsigned kEvery = (Arith::kLimit - Arith::kHalf) / Arith::kGrowth;
    constexpr unsigned kHalf = kPoints == 2 ? 1 : kPoints >> (1 + kFirst % 3);
    register_stage<Arith, kPoints, kHalf, kFirst % kEvery == 0>(r, w, c);
    register_stages<Arith, kPoints, kFirst + 1, kLast>(r, w, c);
  }
}

/// kLogN stages on kPoints registers a thread; six of them in a loop, so that code is not what is measured.
template <class Arith, unsigned kLogN, unsigned kPoints>
__global__ void butterflies_only(typename Arith::Word* out, const cuda::CudaLimb<typename Arith::Word> limb,
                                 const typename Arith::Twiddle w) {
  const auto c = Arith::constants(limb);
  typename Arith::Value r[kPoints];
#pragma unroll
  for (unsigned i = 0; i < kPoints; ++i) r[i] = Arith::from_word(threadIdx.x * kPoints + i, c);
#pragma unroll 1
  for (unsigned six = 0; six < kLogN / 6; ++six) register_stages<Arith, kPoints, 0, 6>(r, w, c);
  register_stages<Arith, kPoints, 0, kLogN % 6>(r, w, c);
  typename Arith::Word sum = 0;
#pragma unroll
  for (unsigned i = 0; i < kPoints; ++i) sum ^= Arith::template to_word<Arith::kLimit>(r[i], c);
  if (sum == 0x123457) out[threadIdx.x] = sum;  // seldom: nothing is worth storing, nothing may be left out
}

/// The butterflies of `limbs` transforms of 2^kLogN: kPoints a thread, blocks of `threads`.
template <class Arith, unsigned kLogN, unsigned kPoints>
void enqueue_butterflies(typename Arith::Word* out, const cuda::CudaLimb<typename Arith::Word>& limb,
                         typename Arith::Twiddle w, unsigned limbs, unsigned threads, cudaStream_t stream) {
  const unsigned blocks = (limbs << kLogN) / (kPoints * threads);
  butterflies_only<Arith, kLogN, kPoints><<<blocks, threads, 0, stream>>>(out, limb, w);
}

}  // namespace nttforge::bench
