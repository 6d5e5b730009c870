// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

// The phase framework: a kernel is a struct whose phases run on the device with barriers between them, and on
// the host one thread after the other (block/host.hpp), from the same source.
//
//   struct Kernel {
//     using Word, Args;
//     struct State;                                  // the registers of one thread, kept between phases
//     static constexpr unsigned kThreads, kLogCluster, kSharedWords, kPhases;
//     static constexpr Barrier barrier_after(unsigned phase);   // after the last: cluster, or none
//     template <unsigned kPhase, class Shared>
//     static void phase(const Place&, const Args&, State&, Shared&);
//   };
//
// Shared: load(i), store(i, value), and in clusters load_from(rank, i), store_to(rank, i, value).
//
// With turns(args) all phases are run so many times, phase() takes the number of the turn too, and
// finish(Place, Args, State&) comes at the end.
//
// A kernel may have a prologue(Place, Args, State&, Shared&) that touches nothing another kernel writes: it
// runs while the kernel before it ends. With kFetchedBytes != 0 it starts copies of constants,
// shared.fetch<T>(i, from), which are there after phase 0: shared.fetched<T>(i). Phases may fetch too, words
// that no other thread fetches; they are there after phase kFetchedAfter (0 if there is no such constant).

#ifdef __CUDACC__
#define NTTF_HD __host__ __device__ __forceinline__
#else
#define NTTF_HD inline
#endif
#ifdef __CUDA_ARCH__
#define NTTF_GPU_UNROLL _Pragma("unroll")
#define NTTF_GPU_ROLLED _Pragma("unroll 1")
#else
#define NTTF_GPU_UNROLL
#define NTTF_GPU_ROLLED
#endif

namespace nttforge::cuda {

/// Who waits for whom between two phases. Memory written before is visible after to those who wait.
enum class Barrier : std::uint8_t { none, warp, block, cluster };

/// Where a thread stands: its cluster in the grid, its block in the cluster, itself in the block.
struct Place {
  unsigned cluster;
  unsigned rank;
  unsigned thread;
};

template <class Kernel>
constexpr std::uint32_t fetched_bytes_of() {
  if constexpr (requires { Kernel::kFetchedBytes; }) return Kernel::kFetchedBytes;
  return 0;
}
/// Words that are read once: they do not stay in a card's caches.
template <class Words, class Word>
NTTF_HD Words load_once(const Word* at) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(Words) != 16) return *reinterpret_cast<const Words*>(at);
  const uint4 v = __ldcs(reinterpret_cast<const uint4*>(at));
  Words words;
  memcpy(&words, &v, 16);
  return words;
#else
  return *reinterpret_cast<const Words*>(at);
#endif
}

template <class Kernel>
constexpr unsigned fetched_after() {
  if constexpr (requires { Kernel::kFetchedAfter; }) return Kernel::kFetchedAfter;
  return 0;
}
/// Offset of fetched constants in shared memory, then the size of all shared memory, in bytes.
template <class Kernel>
inline constexpr std::uint32_t kFetchedBegin =
    (Kernel::kSharedWords * sizeof(typename Kernel::Value) + 15) / 16 * 16;
template <class Kernel>
constexpr std::uint32_t shared_bytes_of() {
  return kFetchedBegin<Kernel> + fetched_bytes_of<Kernel>();
}
template <class Kernel>
concept HasTurns = requires(const typename Kernel::Args& args) { Kernel::turns(args); };
template <class Kernel, unsigned kPhase, class Shared>
NTTF_HD void run_phase(const Place& at, const typename Kernel::Args& args, typename Kernel::State& state,
                       Shared& shared, [[maybe_unused]] unsigned turn) {
  if constexpr (HasTurns<Kernel>)
    Kernel::template phase<kPhase>(at, args, state, shared, turn);
  else
    Kernel::template phase<kPhase>(at, args, state, shared);
}

template <class Kernel, class Shared>
concept HasPrologue =
    requires(const Place& at, const typename Kernel::Args& args, typename Kernel::State& state,
             Shared& shared) { Kernel::prologue(at, args, state, shared); };

}  // namespace nttforge::cuda
