// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "nttforge/cuda/block/block.hpp"
#include "nttforge/cuda/pass/rounds.hpp"
#include "nttforge/cuda/pass/shape.hpp"

// What is known of a pass (pass.hpp) when it is compiled: sizes, rounds, barriers, bounds of its values.

namespace nttforge::cuda {

/// All constants of a pass, for the other headers of this folder.
template <class ArithOf, PassRole kRole>
struct PassTraits {
  using Arith = ArithOf;
  using Word = typename Arith::Word;
  using Value = typename Arith::Value;
  using Twiddle = typename Arith::Twiddle;
  using Constants = typename Arith::Constants;
  static constexpr PassShape kShape = kRole.shape;
  static constexpr bool kInverse = kRole.inverse, kBackwards = kRole.backwards, kStepped = kRole.stepped;
  static constexpr bool kSummed = kRole.summed, kDigits = kRole.digits, kJoined = kRole.joined;
  using Args = decltype(args_of_role<Word, kRole>());
  static constexpr unsigned kLogN = kRole.log_n, kFirstStage = kRole.first_stage;

  static constexpr unsigned kStages = kShape.stages;
  static constexpr unsigned kLogPoints = kShape.log_points;
  static constexpr unsigned kPoints = 1u << kLogPoints;
  static constexpr unsigned kLogCluster = kShape.log_cluster;
  static constexpr unsigned kLogColumns = kShape.log_columns;
  /// A thread block has several whole transforms, or neighbouring tiles of one transform.
  static constexpr unsigned kLogTransforms = kFirstStage == 0 ? kShape.log_tiles : 0;
  static constexpr unsigned kLogNeighbours = kFirstStage == 0 ? 0 : kShape.log_tiles;
  static constexpr unsigned kLogTile = kStages + kLogColumns;
  static constexpr unsigned kLogLocal = kLogTile + kLogNeighbours - kLogCluster;  ///< of tiles, in one block
  static constexpr unsigned kLogTileThreads = kLogLocal - kLogPoints;
  static constexpr unsigned kThreads = 1u << (kLogTileThreads + kLogTransforms);
  static constexpr Rounds kRounds = make_rounds(kStages, kLogPoints);
  static constexpr bool kContiguous = kLogColumns == 0;
  static constexpr bool kOneRound = kRounds.count == 1;
  static constexpr bool kCopies =
      kContiguous && !kOneRound && !kShape.direct;  ///< a phase of its own for global memory
  static constexpr unsigned kMinBlocks = kShape.min_blocks;
  static constexpr unsigned kDerived = kShape.derived;
  static constexpr bool kFetches = kShape.fetches;
  static constexpr unsigned kPhases = kRounds.count + (kCopies ? 1 : 0);
  static constexpr unsigned kLogParts = parts_of<Arith>() - 1;
  static constexpr unsigned kTileWords = padded<Value>(1u << kLogLocal);
  static constexpr unsigned kAreaWords = kTileWords << kLogTransforms;
  static_assert(static_cast<int>(kRounds.radix[0]) >= static_cast<int>(kLogCluster),
                "the first round exchanges between the blocks");
  static_assert(!kContiguous || kOneRound || kRounds.radix[kRounds.count - 1] == kLogPoints,
                "a thread's last points are neighbours");
  static_assert(kDerived == 0 || (kContiguous && !kOneRound),
                "twiddles are derived in the last round of contiguous passes");
  static_assert(kLogTransforms == 0 || !kShape.direct, "the copy leaves out transforms past the end");
  static_assert(kShape.log_tiles == 0 || (kContiguous && kLogCluster == 0));

  static_assert(!kFetches || kLogTransforms == 0, "transforms of several limbs have several tables");
  static_assert(!kStepped || (kLogN != 0 && kFirstStage == 0 && kLogTransforms == 0 && kLogParts == 0),
                "steps are where transforms begin (forward) and end (inverse)");

  static_assert(!kSummed || (kInverse && !kStepped && kContiguous && kLogParts == 0),
                "sums are where inverse transforms begin");

  static_assert(!kDigits || (!kInverse && kLogTransforms == 0 && kLogParts == 0));
  static_assert(!kJoined || (!kInverse && kContiguous && !kOneRound && kLogTransforms == 0 && kLogParts == 0),
                "what joins comes where a forward transform stores its results");

  /// The round of a phase; kRounds.count for the copying phase.
  static constexpr unsigned round_of(unsigned phase) { return kInverse ? kPhases - 1 - phase : phase; }
  static constexpr unsigned log_stride(unsigned round) {
    return kLogTile - kRounds.first[round] - kRounds.radix[round];
  }
  static constexpr Barrier barrier_after(unsigned phase) {
    if (phase == kPhases - 1) return kInverse && kLogCluster != 0 ? Barrier::cluster : Barrier::none;
    const unsigned a = round_of(kInverse ? phase + 1 : phase);  // the exchange between rounds a and a + 1
    if (a == 0 && kLogCluster != 0) return Barrier::cluster;
    const bool fetched = phase == 0 && kFetchedBytes != 0;  // by every thread for all
    return exchanged_in_warp(a) && !fetched ? Barrier::warp : Barrier::block;
  }
  /// Forward blocks write to each other at once: all must have begun.
  static constexpr bool kWaitsForCluster = !kInverse && kLogCluster != 0;

  /// Threads that exchange after round a are one warp: both rounds are full, the sub-block is at most 32
  /// threads' and no permutation of threads leaves the warp.
  static constexpr bool exchanged_in_warp(unsigned a) {
    if (a + 1 == kRounds.count) return true;  // the copy
    if (kRounds.radix[a] != kLogPoints || kRounds.radix[a + 1] != kLogPoints) return false;
    if (a == 0) return kLogTile <= 5 + kLogPoints;
    for (unsigned round = a; round <= a + 1 && !kArranged; ++round) {
      const unsigned stride = log_stride(round);
      if (stride != 0 && stride < kLogBanks<Value> && 2 * kLogBanks<Value> > kLogPoints + 5) return false;
    }
    return log_stride(a) + kRounds.radix[a] <= 5 + kLogPoints;
  }

  /// Where the words of an exchange lie. Threads of a warp write words of stride 2^s (round a) and read words
  /// of stride 2^s1 (round a + 1); both should meet every bank once.
  ///   spaced      2^s1 words are left out after each 2^s: for s >= log2(banks)
  ///   transposed  word (high, low s bits) of a warp's words at low (32 + 1) + high: for s1 = 0, s < banks
  ///   padded      one word is left out after as many as there are banks; threads are permuted (rounds.hpp)
  enum class Layout { padded, spaced, transposed };
  static constexpr Layout layout_between(unsigned a) {
    const unsigned stride = log_stride(a), next = log_stride(a + 1);
    if (stride >= kLogBanks<Value>) return Layout::spaced;
    if (next == 0 && kRounds.radix[a] == stride && kRounds.radix[a] == kLogPoints) return Layout::transposed;
    return Layout::padded;
  }
  static constexpr bool within_warp(unsigned a) {
    return kRounds.radix[a] == kLogPoints && log_stride(a) <= 5 && (a != 0 || kLogCluster == 0);
  }
  /// Whether every exchange but the copy is spaced or transposed. Exchanges of the whole block share a layout
  /// and with it the places of a thread's words; those of warps have areas of their own, in turns.
  static constexpr bool is_arranged() {
    bool arranged = kLogTransforms == 0 && kLogTileThreads >= 5 && !kOneRound;
    for (unsigned a = 0; arranged && a + 1 < kRounds.count; ++a) {
      const Layout layout = layout_between(a);
      arranged = layout == Layout::spaced || (layout == Layout::transposed && within_warp(a));
    }
    return arranged;
  }
  static constexpr bool kArranged = is_arranged();
  static constexpr unsigned exchanges_of_block() {
    unsigned count = 0;
    while (count + 1 < kRounds.count && !within_warp(count)) ++count;
    return count;
  }
  static constexpr unsigned kOfBlock = exchanges_of_block();
  static constexpr unsigned area_of(unsigned a) {
    return !kArranged || a + 1 <= kOfBlock ? 0 : (kOfBlock != 0 ? 1 : 0) + (a - kOfBlock) % 2;
  }
  static constexpr unsigned areas() {
    unsigned most = 0;
    for (unsigned a = 0; a + (kCopies ? 0 : 1) < kRounds.count; ++a)
      most = area_of(a) > most ? area_of(a) : most;
    return most + 1;
  }
  /// The word of shared memory for an index in exchange a, from its transform's first word. place(i + j) =
  /// place(i) + place(j) - place(0) if i and j have no bit in common.
  template <unsigned kExchange>
  static NTTF_HD constexpr unsigned place(unsigned index) {
    if constexpr (!kArranged || kExchange + 1 == kRounds.count) {
      return padded<Value>(index);
    } else {
      constexpr unsigned kA = kExchange < kOfBlock ? kOfBlock - 1 : kExchange;
      constexpr unsigned kStride = log_stride(kA), kNext = log_stride(kA + 1);
      if constexpr (layout_between(kA) == Layout::spaced) {
        return index + (kNext < kLogBanks<Value> ? (index >> kStride) << kNext : 0);
      } else {
        constexpr unsigned kMask = (1u << kStride) - 1;
        return (index >> (kStride + 5)) * (33u << kStride) + (index & kMask) * 33 + ((index >> kStride) & 31);
      }
    }
  }
  template <unsigned kExchange = 0>
  static constexpr unsigned area_words() {
    if constexpr (kExchange < kRounds.count) {
      const unsigned words = place<kExchange>((1u << kLogLocal) - 1) + 1, more = area_words<kExchange + 1>();
      return words < more ? more : words;
    }
    return kAreaWords;
  }
  static constexpr unsigned kSharedWords = kOneRound ? 1 : area_words() * areas();

  /// Rounds whose twiddles come to shared memory during phase 0.
  static constexpr bool fetched(unsigned round) {
    return kFetches && round != 0 && round < kRounds.count && round != round_of(0);
  }
  static_assert(!kFetches || !kJoined);
  static constexpr unsigned kFetchedAfter = kJoined && kPhases > 1 ? kPhases - 2 : 0;
  static constexpr std::uint32_t kFetchedBytes = kJoined ? 2 * sizeof(Word) * kPoints * kThreads
                                                 : kFetches && kRounds.count > 1
                                                     ? sizeof(Twiddle) << (kLogLocal - kLogColumns)
                                                     : 0;

  /// The last round of a contiguous pass has one group per thread: neighbours read neighbouring entries.
  static constexpr bool slot_major(unsigned round) {
    return kContiguous && !kOneRound && round + 1 == kRounds.count;
  }
  static constexpr unsigned slots(unsigned round) { return (1u << kRounds.radix[round]) - 1; }
  static constexpr bool derives(unsigned round, unsigned stage) {
    return slot_major(round) && stage + kDerived >= kRounds.radix[round] && stage != 0;
  }
  /// A bit for each slot; 0: of this slot there is only the constant that derives it from its stage's first,
  /// in group 0.
  static constexpr std::uint32_t kept_slots(unsigned round) {
    std::uint32_t kept = 0;
    for (unsigned stage = 0; stage < kRounds.radix[round]; ++stage) {
      const std::uint32_t slots_of_stage = derives(round, stage) ? 1 : (1u << (1u << stage)) - 1;
      kept |= slots_of_stage << ((1u << stage) - 1);
    }
    return kept;
  }
  /// Twiddles of the first and of the last round in the order of execution come to registers early: in the
  /// prologue, and before the last barrier. kNone: no round.
  static constexpr unsigned kNone = ~0u;
  static constexpr bool may_load_ahead(unsigned round) {
    return round < kRounds.count && !fetched(round) &&
           ((round == 0 && kLogNeighbours == 0) || kRounds.radix[round] == kLogPoints);
  }
  static constexpr unsigned ahead_in_prologue() {
    const unsigned phase = round_of(0) == kRounds.count ? 1 : 0;
    return may_load_ahead(round_of(phase)) ? round_of(phase) : kNone;
  }
  static constexpr unsigned ahead_of_last() {
    const unsigned round = round_of(kPhases - 1);
    return kPhases > 1 && may_load_ahead(round) && round != ahead_in_prologue() ? round : kNone;
  }

  /// Stages before `round` that divide the block's own part of the tile.
  static constexpr unsigned local_first(unsigned round) { return kRounds.first[round] - kLogCluster; }

  /// Forward, values before a stage are below this many q; stages count in the order of execution.
  static constexpr unsigned bound_before(unsigned stage) {
    unsigned bound = 1;
    for (unsigned s = 0; s < stage && !Arith::kModular; ++s) {
      bound = (reduces(bound) ? Arith::kHalf : bound) + Arith::kGrowth;
    }
    return bound;
  }
  static constexpr bool reduces(unsigned bound) {
    return !Arith::kModular && bound + Arith::kGrowth > Arith::kLimit;
  }

  /// Inverse: the sums of a stage that are reduced, a bit for the register of each. A round begins and ends
  /// with all values below kMost q (the first begins with 1); sums double, products are below kGrowth q.
  static constexpr std::uint32_t reduced_sums(unsigned round, unsigned stage) {
    if (Arith::kModular) return 0;
    const unsigned radix = kRounds.radix[round];
    unsigned bounds[kPoints] = {};
    for (unsigned& bound : bounds) bound = kBefore == 0 && round + 1 == kRounds.count ? 1 : Arith::kMost;
    std::uint32_t reduced = 0;
    for (unsigned s = radix; s-- > stage;) {  // from the last stage on
      reduced = 0;
      for (unsigned k = 0; k < 1u << radix; ++k) {
        const unsigned distance = 1u << (radix - 1 - s);
        if ((k & distance) != 0) continue;
        const bool reduce = 2 * bounds[k] > Arith::kMost;
        bounds[k] = reduce ? Arith::kHalf : 2 * bounds[k];
        bounds[k + distance] = Arith::kGrowth;
        if (reduce) reduced |= 1u << k;
      }
    }
    return reduced;
  }
  static constexpr bool kScales = kInverse && kLogN != 0 && kFirstStage == 0;  ///< ends with products
  /// Stages that other passes did before, in the order of execution, and whether none comes after.
  static constexpr unsigned kBefore = kLogN == 0 ? 0 : kInverse ? kLogN - kFirstStage - kStages : kFirstStage;
  static constexpr bool kIsLast = kLogN == 0 || kBefore + kStages == kLogN;
  static constexpr unsigned kBoundAtEnd = !kInverse ? bound_before(kBefore + kStages)
                                          : kScales ? Arith::kGrowth
                                                    : Arith::kMost;

  /// A word as it enters a pass; between passes values stay lazy.
  static NTTF_HD auto enter(Word x, const Constants& c) {
    if constexpr (kBefore == 0) {
      return Arith::from_word(x, c);
    } else {
      return Arith::from_lazy_word(x);
    }
  }
  template <class Part>
  static NTTF_HD Word leave(Part x, const Constants& c) {
    if constexpr (kIsLast) return Arith::template to_word<kBoundAtEnd>(x, c);
    return Arith::to_lazy_word(x);
  }
};

}  // namespace nttforge::cuda
