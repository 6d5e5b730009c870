// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "nttforge/cuda/block/block.hpp"
#include "nttforge/cuda/runtime/launch_set.cuh"
#include "nttforge/cuda/table/launch_card.cuh"

// Runs a kernel (block.hpp) on the device: its phases in order, its barriers between them, its state in
// registers.
//
// Clusters with their shared memory, and launches that overlap, are of compute capability 9.0 and above.
// Code for older cards leaves the second out; kernels that need the first trap there, and no recipe that
// launches them is offered (explorer.cpp).

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define NTTF_HAS_CLUSTERS 1
#else
#define NTTF_HAS_CLUSTERS 0
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define NTTF_HAS_COPIES_AHEAD 1
#else
#define NTTF_HAS_COPIES_AHEAD 0
#endif

namespace nttforge::cuda {

/// Shared memory of this block, and of the others of its cluster by their rank.
template <class Word>
struct DeviceShared {
  Word* words;
  unsigned char* constants;

  template <class T, class From>
  __device__ __forceinline__ void fetch(unsigned index, const From* from) const {
#if NTTF_HAS_COPIES_AHEAD
    const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(constants + index * sizeof(T)));
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(sizeof(T)) : "memory");
#else
    reinterpret_cast<T*>(constants)[index] = *reinterpret_cast<const T*>(from);
#endif
  }
  /// Words that are read once: 16 bytes that do not stay in the first cache.
  template <class T, class From>
  __device__ __forceinline__ void fetch_once(unsigned index, const From* from) const {
    static_assert(sizeof(T) == 16);
#if NTTF_HAS_COPIES_AHEAD
    const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(constants + index * sizeof(T)));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#else
    reinterpret_cast<T*>(constants)[index] = *reinterpret_cast<const T*>(from);
#endif
  }
  template <class T>
  __device__ __forceinline__ T fetched(unsigned index) const {
    return reinterpret_cast<const T*>(constants)[index];
  }

  __device__ __forceinline__ Word load(unsigned index) const { return words[index]; }
  __device__ __forceinline__ void store(unsigned index, Word value) const { words[index] = value; }
#if NTTF_HAS_CLUSTERS
  /// Maps each block's memory once, so that offsets of constant indices become part of the instructions.
  __device__ __forceinline__ std::uint32_t address(unsigned rank, unsigned index) const {
    const auto here = static_cast<std::uint32_t>(__cvta_generic_to_shared(words));
    std::uint32_t there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
    return there + index * static_cast<std::uint32_t>(sizeof(Word));
  }
  __device__ __forceinline__ Word load_from(unsigned rank, unsigned index) const {
    Word value;
    if constexpr (sizeof(Word) == 8) {
      std::uint64_t bits;
      asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(bits) : "r"(address(rank, index)) : "memory");
      memcpy(&value, &bits, 8);
    } else {
      std::uint32_t bits;
      asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(bits) : "r"(address(rank, index)) : "memory");
      memcpy(&value, &bits, 4);
    }
    return value;
  }
  __device__ __forceinline__ void store_to(unsigned rank, unsigned index, Word value) const {
    if constexpr (sizeof(Word) == 8) {
      std::uint64_t bits;
      memcpy(&bits, &value, 8);
      asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(address(rank, index)), "l"(bits) : "memory");
    } else {
      std::uint32_t bits;
      memcpy(&bits, &value, 4);
      asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address(rank, index)), "r"(bits) : "memory");
    }
  }
#else
  __device__ __forceinline__ Word load_from(unsigned, unsigned) const {
    __trap();
    return {};
  }
  __device__ __forceinline__ void store_to(unsigned, unsigned, Word) const { __trap(); }
#endif
};

template <Barrier kBarrier>
__device__ __forceinline__ void wait_at() {
  if constexpr (kBarrier == Barrier::warp) {
    __syncwarp();
  } else if constexpr (kBarrier == Barrier::block) {
    __syncthreads();
  } else if constexpr (kBarrier == Barrier::cluster) {
#if NTTF_HAS_CLUSTERS
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
#else
    __trap();
#endif
  }
}

/// Waits until every block of the cluster runs. No block has written yet, so the barrier is relaxed.
__device__ __forceinline__ void wait_for_cluster_to_begin() {
#if NTTF_HAS_CLUSTERS
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

/// When a kernel lets the next one of its stream begin with its prologue: at once (its blocks leave room),
/// with its last phase, or as it ends.
enum class Release : unsigned { at_once, last_phase, at_end };

__device__ __forceinline__ void release_next() {
#if NTTF_HAS_CLUSTERS
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
/// Waits until the kernel before has ended and what it wrote can be seen.
__device__ __forceinline__ void wait_for_previous() {
#if NTTF_HAS_CLUSTERS
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

template <class Kernel, unsigned kPhase>
__device__ __forceinline__ void run_phases(const Place& at, const typename Kernel::Args& args,
                                           typename Kernel::State& state,
                                           DeviceShared<typename Kernel::Value>& shared, Release release,
                                           unsigned turn = 0) {
  if constexpr (kPhase < Kernel::kPhases) {
    if (kPhase == Kernel::kPhases - 1 && release == Release::last_phase) release_next();
    run_phase<Kernel, kPhase>(at, args, state, shared, turn);
#if NTTF_HAS_COPIES_AHEAD
    if constexpr (kPhase == fetched_after<Kernel>() && fetched_bytes_of<Kernel>() != 0) {
      asm volatile("cp.async.wait_all;" ::: "memory");
    }
#endif
    wait_at<Kernel::barrier_after(kPhase)>();
    run_phases<Kernel, kPhase + 1>(at, args, state, shared, release, turn);
  }
}

template <class Kernel>
__global__ void __launch_bounds__(Kernel::kThreads, Kernel::kMinBlocks)
    run_kernel(const typename Kernel::Args args, const Release release) {
  extern __shared__ __align__(16) unsigned char bytes[];
  using Shared = DeviceShared<typename Kernel::Value>;
  Shared shared{reinterpret_cast<typename Kernel::Value*>(bytes), bytes + kFetchedBegin<Kernel>};
  const unsigned rank = blockIdx.x & ((1u << Kernel::kLogCluster) - 1);
  const Place at{blockIdx.x >> Kernel::kLogCluster, rank, threadIdx.x};
  typename Kernel::State state;
  if (release == Release::at_once) release_next();
  if constexpr (HasPrologue<Kernel, Shared>) Kernel::prologue(at, args, state, shared);
  if constexpr (Kernel::kWaitsForCluster) wait_for_cluster_to_begin();
  wait_for_previous();
  if constexpr (HasTurns<Kernel>) {
    const unsigned turns = Kernel::turns(args);
    NTTF_GPU_ROLLED
    for (unsigned turn = 0; turn < turns; ++turn)
      run_phases<Kernel, 0>(at, args, state, shared, turn + 1 == turns ? release : Release::at_end, turn);
    Kernel::finish(at, args, state);
  } else {
    run_phases<Kernel, 0>(at, args, state, shared, release);
  }
}

/// Whether attributes of a kernel must be set before it is launched, which lasts as long as the context.
template <class Kernel>
inline constexpr bool kNeedsPreparing = shared_bytes_of<Kernel>() > 48 * 1024 || Kernel::kLogCluster > 3;
/// Makes a kernel ready for launches on the current device.
template <class Kernel>
cudaError_t prepare_kernel() {
  constexpr std::uint32_t kBytes = shared_bytes_of<Kernel>();
  auto* const function = &run_kernel<Kernel>;
  cudaError_t error = cudaSuccess;
  if constexpr (kBytes > 48 * 1024) {
    error = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, int{kBytes});
  }
  if constexpr (Kernel::kLogCluster > 3) {
    if (error == cudaSuccess)
      error = cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  }
  return error;
}

#ifdef NTTF_TUNE_RELEASE
inline int tune_release_of[2] = {1, 1};
template <class Kernel>
Release release_of(unsigned, const LaunchCard&) {
  return static_cast<Release>(tune_release_of[Kernel::kContiguous ? 1 : 0]);
}
#else
/// Blocks let in early go where there is room at the time. Where a grid fills each multiprocessor partly and
/// the blocks take long, the next grid's would pile up on the few with most room.
template <class Kernel>
Release release_of(unsigned blocks, const LaunchCard& card) {
  if (blocks <= 16) return Release::at_once;
  if constexpr (requires { requires Kernel::kPoints * sizeof(typename Kernel::Word) >= 64; }) {
    const auto processors = static_cast<unsigned>(card.multiprocessors);
    if (sizeof(typename Kernel::Word) == 8 && Kernel::kLogCluster == 0 && 2 * blocks > processors &&
        blocks < processors * Kernel::kMinBlocks) {
      return Release::at_end;
    }
  }
  return Release::last_phase;
}
#endif

/// Enqueues `clusters` clusters of a kernel. Returns what the runtime said.
template <class Kernel>
cudaError_t launch_kernel(const typename Kernel::Args& args, unsigned clusters, cudaStream_t stream) {
  if (clusters == 0) return cudaSuccess;
  cudaError_t error = cudaSuccess;
  const LaunchCard* const found = card_of_launch(error);
  if (found == nullptr) return error;
  const LaunchCard& card = *found;
  if constexpr (kNeedsPreparing<Kernel>) {
    static ReadyIn ready;
    if (!ready.contains(card)) {
      error = prepare_kernel<Kernel>();
      if (error != cudaSuccess) return error;
      ready.add(card);
    }
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(clusters << Kernel::kLogCluster);
  config.blockDim = dim3(Kernel::kThreads);
  config.dynamicSmemBytes = shared_bytes_of<Kernel>();
  config.stream = stream;
  cudaLaunchAttribute attributes[2];
  config.attrs = attributes;
  if (card.major >= 9) {
    attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
  }
  if constexpr (Kernel::kLogCluster != 0) {
    attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
    attributes[config.numAttrs].val.clusterDim.x = 1u << Kernel::kLogCluster;
    attributes[config.numAttrs].val.clusterDim.y = 1;
    attributes[config.numAttrs++].val.clusterDim.z = 1;
  }
  return launch_or_collect(config, run_kernel<Kernel>, args,
                           release_of<Kernel>(clusters << Kernel::kLogCluster, card));
}

}  // namespace nttforge::cuda
