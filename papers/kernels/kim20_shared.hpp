// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "nttforge/cuda/pass/rounds.hpp"
#include "papers/kernels/kim20_radix.hpp"

// [Kim20] Sections VI.C and VII: n = 2^(r1 + r2) in two kernels through shared memory. The first does stages
// 0 ... r1 - 1 on words 2^r2 apart, the last one the other r2 on neighbouring words. A block holds
// 2^kLogMerged such transforms of 2^kLogRadix words, a thread 2^kLogPoints points of one; between its
// per-thread transforms stand exchanges through shared memory.
//
//   merged, coalesced   neighbouring threads of the first kernel work on neighbouring transforms
//   preload             twiddles of the first kernel are copied to shared memory first
//   on the fly          in the last kOnTheFly stages w = w1 w2 is multiplied factor by factor: with
//                       e the place of w in the table, b = log_base,
//                       psi^bitrev(e) = psi^bitrev(low log_n - b bits of e) psi^bitrev(high b bits of e):
//                       the first 2^(log_n - b) entries of the table and 2^b more, which follow it

namespace nttforge::cuda {

enum class Kim20Kernel { first, last };

/// The choices that make one kernel.
struct Kim20Shape {
  Kim20Kernel kernel = Kim20Kernel::first;
  unsigned log_radix = 0, log_points = 0, log_merged = 0;
  bool coalesced = true, preload = false;
  unsigned on_the_fly = 0;
};

/// The rounds of a kernel: full ones first, the rest of the stages last.
constexpr Rounds kim20_rounds(unsigned stages, unsigned log_points) {
  Rounds rounds;
  for (unsigned left = stages; left != 0;) {
    const unsigned now = left < log_points ? left : log_points;
    rounds.add(now);
    left -= now;
  }
  return rounds;
}

/// kInverse: the same kernel backwards, as the phases stand from the last to the first.
template <class Arith, Kim20Shape kShape, bool kInverse = false>
struct Kim20Shared {
  using Word = typename Arith::Word;
  using Value = typename Arith::Value;
  using Twiddle = typename Arith::Twiddle;
  using Args = Kim20Args<Arith>;
  struct State {};

  static constexpr bool kLast = kShape.kernel == Kim20Kernel::last;
  static constexpr unsigned kRadix = kShape.log_radix, kPoints = kShape.log_points,
                            kMerged = kShape.log_merged;
  static constexpr unsigned kLogUnits = kRadix - kPoints;  ///< threads of one transform
  static constexpr unsigned kThreads = 1u << (kLogUnits + kMerged), kLogCluster = 0, kMinBlocks = 1;
  static constexpr Rounds kRounds = kim20_rounds(kRadix, kPoints);
  static constexpr unsigned kPreloads = kShape.preload ? 1 : 0,
                            kPhases = kPreloads + kRounds.count + (kLast ? 1 : 0);
  static constexpr unsigned kDataWords = padded<Value>(1u << (kRadix + kMerged));
  static constexpr unsigned kSharedWords = kDataWords + (kShape.preload ? Arith::kEntryWords << kRadix : 0);
  static constexpr bool kWaitsForCluster = false;
  static_assert(kRounds.count > 1 && sizeof(Word) == sizeof(Value) && kThreads <= 1024);
  static_assert(!(kLast && kShape.preload) && (kLast || kShape.on_the_fly == 0));

  static constexpr Barrier barrier_after(unsigned phase) {
    return phase + 1 == kPhases ? Barrier::none : Barrier::block;
  }
  static unsigned blocks(const Args& args) { return args.polynomials << (args.log_n - kRadix - kMerged); }

  template <unsigned kPhase, class Shared>
  static NTTF_HD void phase(const Place& at, const Args& args, State&, Shared& shared) {
    const Thread thread(at, args);
    constexpr unsigned kAfterPreload = kPhase - kPreloads;
    constexpr unsigned kStep = kInverse ? kPhases - 1 - kPreloads - kAfterPreload : kAfterPreload;
    if constexpr (kPhase < kPreloads) {
      const Word* table = kim20_table_of<kInverse>(args.limbs[thread.limb]);
      for (unsigned i = at.thread; i < Arith::kEntryWords << kRadix; i += kThreads)
        shared.store(kDataWords + i, table[i]);
    } else if constexpr (kStep == kRounds.count) {
      copy(thread, args, shared);
    } else {
      run_round<kStep>(thread, args, shared);
    }
  }

 private:
  /// What a thread works on: the transform in its block, itself in the transform.
  struct Thread {
    unsigned transform, unit;
    std::uint32_t limb, place;  ///< of the transform in the polynomial: first word (first) or number (last)
    std::size_t polynomial;

    NTTF_HD Thread(const Place& at, const Args& args) {
      constexpr bool kNeighbours = !kLast && kShape.coalesced;
      transform = kNeighbours ? at.thread & ((1u << kMerged) - 1) : at.thread >> kLogUnits;
      unit = kNeighbours ? at.thread >> kMerged : at.thread & ((1u << kLogUnits) - 1);
      const unsigned log_tiles = args.log_n - kRadix - kMerged;
      const std::uint32_t index = at.cluster >> log_tiles;
      limb = index % args.limb_count;
      polynomial = std::size_t{index} << args.log_n;
      place = ((at.cluster & ((1u << log_tiles) - 1)) << kMerged) + transform;
    }
    NTTF_HD std::size_t word(const Args& args, unsigned x) const {
      if constexpr (kLast) return polynomial + (place << kRadix) + x;
      return polynomial + (std::size_t{x} << (args.log_n - kRadix)) + place;
    }
    NTTF_HD unsigned shared(unsigned x) const {
      return padded<Value>(kLast ? (transform << kRadix) + x : (x << kMerged) + transform);
    }
  };

  template <unsigned kRound, class Shared>
  struct Source {
    const Args& args;
    const Word* table;
    std::uint32_t group;
    const typename Arith::Constants& c;
    Shared& shared_memory;

    static constexpr bool on_the_fly(unsigned stage) {
      return kRounds.first[kRound] + stage + kShape.on_the_fly >= kRadix;
    }
    NTTF_HD std::uint32_t entry(unsigned stage, unsigned j) const {
      const unsigned level = (kLast ? args.log_n - kRadix : 0) + kRounds.first[kRound] + stage;
      return (1u << level) + (group << stage) + j;
    }
    template <unsigned kStage>
    NTTF_HD Twiddle twiddle(unsigned j) const {
      const std::uint32_t e = entry(kStage, j);
      if constexpr (kShape.preload) {
        Value words[Arith::kEntryWords];
        NTTF_GPU_UNROLL
        for (unsigned i = 0; i < Arith::kEntryWords; ++i)
          words[i] = shared_memory.load(kDataWords + e * Arith::kEntryWords + i);
        Twiddle w;
        std::memcpy(&w, words, sizeof w);
        return w;
      } else if constexpr (on_the_fly(kStage)) {
        return Arith::load(table, (1u << args.log_n) + (e >> (args.log_n - args.log_base)));
      } else {
        return Arith::load(table, e);
      }
    }
    template <unsigned kStage>
    NTTF_HD void before(unsigned j, Value& b) const {
      if constexpr (on_the_fly(kStage)) {
        const std::uint32_t low = entry(kStage, j) & ((1u << (args.log_n - args.log_base)) - 1);
        b = Arith::multiply(b, Arith::load(table, low), c);
      }
    }
  };

  template <unsigned kRound, class Shared>
  static NTTF_HD void run_round(const Thread& thread, const Args& args, Shared& shared) {
    constexpr unsigned kNow = kRounds.radix[kRound], kStride = kRadix - kRounds.first[kRound] - kNow;
    constexpr bool kLastRound = !kLast && kRound + 1 == kRounds.count;
    constexpr bool kFromGlobal = kInverse ? kLastRound : kRound == 0;
    constexpr bool kToGlobal = kInverse ? kRound == 0 : kLastRound;
    const auto& limb = args.limbs[thread.limb];
    const auto c = Arith::constants(limb);
    NTTF_GPU_UNROLL
    for (unsigned m = 0; m < 1u << (kPoints - kNow); ++m) {
      const unsigned y = (m << kLogUnits) + thread.unit, block = y >> kStride;
      const unsigned x = (block << (kStride + kNow)) + (y & ((1u << kStride) - 1));
      Value r[1u << kNow];
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < 1u << kNow; ++k) {
        const unsigned at = x + (k << kStride);
        if constexpr (kFromGlobal) {
          r[k] = Arith::from_word(args.in[thread.word(args, at)], c);
        } else {
          r[k] = shared.load(thread.shared(at));
        }
      }
      const std::uint32_t group = (kLast ? thread.place << kRounds.first[kRound] : 0) + block;
      const Source<kRound, Shared> source{args, kim20_table_of<kInverse>(limb), group, c, shared};
      kim20_run_stages<Arith, kNow, kInverse>(r, limb, c, source, !kLast && kRound == 0);
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < 1u << kNow; ++k) {
        const unsigned at = x + (k << kStride);
        if constexpr (kToGlobal) {
          args.out[thread.word(args, at)] = Arith::to_word(r[k], c);
        } else {
          shared.store(thread.shared(at), r[k]);
        }
      }
    }
  }

  /// A thread's last points are neighbours: they go through shared memory, so that neighbouring threads write
  /// (inverse: read) neighbouring words.
  template <class Shared>
  static NTTF_HD void copy(const Thread& thread, const Args& args, Shared& shared) {
    const auto c = Arith::constants(args.limbs[thread.limb]);
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < 1u << kPoints; ++k) {
      const unsigned x = (k << kLogUnits) + thread.unit;
      if constexpr (kInverse) {
        shared.store(thread.shared(x), Arith::from_word(args.in[thread.word(args, x)], c));
      } else {
        args.out[thread.word(args, x)] = Arith::to_word(shared.load(thread.shared(x)), c);
      }
    }
  }
};

}  // namespace nttforge::cuda
