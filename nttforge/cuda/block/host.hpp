// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "nttforge/cuda/block/block.hpp"

// Runs a kernel (block.hpp) on the host: every thread of a cluster does a phase, one after the other, then
// all of them the next. Shared memory notices what a GPU would not forgive: two threads that touch a word,
// one of them writing, with no barrier between them that both wait at; words that nobody wrote; words
// outside; another block's words while it may not have begun, or may have ended.

namespace nttforge::cuda {

/// Two threads race, or shared memory is misused: the kernel is wrong.
class BlockError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Counts the barriers passed so far: of every thread of the cluster, of its block, of its warp.
struct BarrierCount {
  std::uint32_t cluster = 0, block = 0, warp = 0;

  void pass(Barrier barrier) {
    cluster += barrier == Barrier::cluster;
    block += barrier == Barrier::cluster || barrier == Barrier::block;
    warp += barrier != Barrier::none;
  }
};

/// Shared memory of the blocks of one cluster, with the last accesses of each word.
template <class Word>
class HostShared {
 public:
  /// together: all blocks of the cluster have begun when the first phase does.
  HostShared(unsigned blocks, unsigned words, std::size_t fetched_bytes = 0, bool together = false)
      : together_(together),
        words_per_block_(words),
        words_(std::size_t{blocks} * words),
        cells_(words_.size()),
        fetched_per_block_(fetched_bytes),
        fetched_(blocks * fetched_bytes),
        fetching_(blocks * fetched_bytes, true) {}

  /// A constant on its way to this block; there when phase 0 is over.
  template <class T, class From>
  void fetch(unsigned index, const From* from) {
    const std::size_t at = fetched_place(index, sizeof(T));
    std::memcpy(fetched_.data() + at, from, sizeof(T));
    fetching_[at] = false;
  }
  template <class T, class From>
  void fetch_once(unsigned index, const From* from) {
    fetch<T>(index, from);
  }
  template <class T>
  T fetched(unsigned index) const {
    const std::size_t at = fetched_place(index, sizeof(T));
    if (fetching_[at]) throw BlockError("constant " + std::to_string(index) + " was never fetched");
    if (accessor_.when.block == 0) throw BlockError("a fetched constant is read before a barrier");
    T value;
    std::memcpy(&value, fetched_.data() + at, sizeof(T));
    return value;
  }

  /// Says which thread makes the next accesses; `thread` counts through the cluster.
  void enter(unsigned rank, unsigned thread, const BarrierCount& now) {
    rank_ = rank;
    accessor_ = {thread, rank, now};
  }
  /// Says that the kernel ends.
  void leave(const BarrierCount& now) const {
    if (remote_ && remote_at_ == now.cluster) {
      throw BlockError("a block may have ended when another uses its shared memory");
    }
  }
  Word load(unsigned index) { return load_from(rank_, index); }
  void store(unsigned index, Word value) { store_to(rank_, index, value); }
  Word load_from(unsigned rank, unsigned index) {
    const std::size_t at = place(rank, index);
    Cell& cell = cells_[at];
    if (!cell.written) throw BlockError("word " + std::to_string(index) + " is read but was never written");
    require_ordered(cell.writer, index);
    // The reader that waited least is remembered; a second reading thread sets `several`.
    if (cell.read && ordered(cell.reader, accessor_) == false && cell.reader.thread != accessor_.thread) {
      cell.several = true;
      cell.several_warps |= cell.reader.thread / 32 != accessor_.thread / 32;
      cell.several_blocks |= cell.reader.rank != accessor_.rank;
    } else {
      cell.several = cell.several_warps = cell.several_blocks = false;
    }
    cell.reader = accessor_;
    cell.read = true;
    return words_[at];
  }
  void store_to(unsigned rank, unsigned index, Word value) {
    const std::size_t at = place(rank, index);
    Cell& cell = cells_[at];
    if (cell.written) require_ordered(cell.writer, index);
    if (cell.read) require_readers_ordered(cell, index);
    cell.writer = accessor_;
    cell.written = true;
    cell.read = false;
    words_[at] = value;
  }

 private:
  struct Access {
    unsigned thread = 0, rank = 0;
    BarrierCount when{};
  };
  struct Cell {
    Access writer{}, reader{};
    bool written = false, read = false;
    bool several = false, several_warps = false, several_blocks = false;
  };

  std::size_t place(unsigned rank, unsigned index) {
    if (rank != rank_) {
      if (!together_ && accessor_.when.cluster == 0) {
        throw BlockError("a block may not have begun when another uses its shared memory");
      }
      remote_ = true;
      remote_at_ = accessor_.when.cluster;
    }
    if (index >= words_per_block_) {
      throw BlockError("word " + std::to_string(index) + " of " + std::to_string(words_per_block_) +
                       " words of shared memory");
    }
    return std::size_t{rank} * words_per_block_ + index;
  }
  /// True if a barrier that both threads waited at lies between two accesses.
  static bool ordered(const Access& a, const Access& b) {
    if (a.thread == b.thread || a.when.cluster != b.when.cluster) return true;
    if (a.rank == b.rank && a.when.block != b.when.block) return true;
    return a.thread / 32 == b.thread / 32 && a.when.warp != b.when.warp;
  }
  void require_ordered(const Access& before, unsigned index) const {
    if (!ordered(before, accessor_)) {
      throw BlockError("threads " + std::to_string(before.thread) + " and " +
                       std::to_string(accessor_.thread) + " race for word " + std::to_string(index));
    }
  }
  void require_readers_ordered(const Cell& cell, unsigned index) const {
    if (!cell.several) return require_ordered(cell.reader, index);
    const BarrierCount &a = cell.reader.when, &b = accessor_.when;
    const bool fine =
        a.cluster != b.cluster ||
        (!cell.several_blocks && cell.reader.rank == accessor_.rank && a.block != b.block) ||
        (!cell.several_warps && cell.reader.thread / 32 == accessor_.thread / 32 && a.warp != b.warp);
    if (!fine) {
      throw BlockError("thread " + std::to_string(accessor_.thread) + " overwrites word " +
                       std::to_string(index) + ", which others read without a barrier between");
    }
  }

  std::size_t fetched_place(unsigned index, std::size_t size) const {
    if ((index + 1) * size > fetched_per_block_) {
      throw BlockError("constant " + std::to_string(index) + " lies outside shared memory");
    }
    return rank_ * fetched_per_block_ + index * size;
  }

  bool together_;
  bool remote_ = false;          ///< a block has used the memory of another
  std::uint32_t remote_at_ = 0;  ///< cluster barriers before the last time
  unsigned words_per_block_;
  unsigned rank_ = 0;
  Access accessor_;
  std::vector<Word> words_;
  std::vector<Cell> cells_;
  std::size_t fetched_per_block_;
  std::vector<unsigned char> fetched_;
  std::vector<bool> fetching_;
};

template <class Kernel>
constexpr bool begins_together() {
  if constexpr (requires { Kernel::kWaitsForCluster; }) return Kernel::kWaitsForCluster;
  return false;
}

/// Runs `clusters` clusters. throws BlockError.
template <class Kernel>
void run_on_host(const typename Kernel::Args& args, unsigned clusters) {
  constexpr unsigned kBlocks = 1u << Kernel::kLogCluster;
  std::vector<typename Kernel::State> states(std::size_t{kBlocks} * Kernel::kThreads);
  for (unsigned cluster = 0; cluster < clusters; ++cluster) {
    using Shared = HostShared<typename Kernel::Value>;
    Shared shared(kBlocks, Kernel::kSharedWords, fetched_bytes_of<Kernel>(), begins_together<Kernel>());
    BarrierCount now;
    const auto each_thread = [&](const auto& run) {
      for (unsigned rank = 0; rank < kBlocks; ++rank) {
        for (unsigned thread = 0; thread < Kernel::kThreads; ++thread) {
          // Warps of different blocks are different warps, also of blocks smaller than a warp.
          shared.enter(rank, rank * ((Kernel::kThreads + 31) / 32 * 32) + thread, now);
          run(Place{cluster, rank, thread}, states[rank * Kernel::kThreads + thread]);
        }
      }
    };
    if constexpr (HasPrologue<Kernel, Shared>) {
      each_thread([&](const Place& at, auto& state) { Kernel::prologue(at, args, state, shared); });
    }
    unsigned turns = 1;
    if constexpr (HasTurns<Kernel>) turns = Kernel::turns(args);
    for (unsigned turn = 0; turn < turns; ++turn) {
      const auto phase = [&]<unsigned kPhase>() {
        each_thread(
            [&](const Place& at, auto& state) { run_phase<Kernel, kPhase>(at, args, state, shared, turn); });
        now.pass(Kernel::barrier_after(kPhase));
      };
      [&]<unsigned... kPhase>(std::integer_sequence<unsigned, kPhase...>) {
        (phase.template operator()<kPhase>(), ...);
      }(std::make_integer_sequence<unsigned, Kernel::kPhases>{});
    }
    if constexpr (HasTurns<Kernel>)
      each_thread([&](const Place& at, auto& state) { Kernel::finish(at, args, state); });
    shared.leave(now);
  }
}

}  // namespace nttforge::cuda
