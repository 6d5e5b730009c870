// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "papers/kernels/din24_shape.hpp"

// The seven algorithms of [Din24] as the paper has them: a launch for each stage, for each bit reversal, copy
// and transposition; a thread for each butterfly, which reduces its results; blocks of 256 threads (the paper
// states none). The rows of Six-step are one launch: a thread block transforms a row in shared memory.
//
// The paper's transform is cyclic. For the negacyclic ring the first launch multiplies by psi^j what it
// reads.

namespace nttforge::cuda::din24 {

enum class Work : std::uint8_t {
  reverse,         ///< to bit-reversed places, out of place or in place
  dit_stage,       ///< blocks of the middle loop times pieces of the inner one
  dif_stage,       ///< the same
  flat_stage,      ///< DIT's, one loop of n / 2
  pease_stage,     ///< out of place
  stockham_stage,  ///< out of place
  copy,
  transpose,  ///< of 2^stage rows, out of place
  twiddles,   ///< Six-step's third step, in place
  scale,      ///< the inverse's last step, in place
};

template <class ArithOf, Work kWork>
struct OneStage {
  using Arith = ArithOf;
  using Word = typename Arith::Word;
  using Value = Word;
  using Args = din24::Args<Word>;
  static constexpr unsigned kThreads = 256, kLogCluster = 0, kSharedWords = 1, kPhases = 1, kMinBlocks = 1;
  static constexpr bool kWaitsForCluster = false;
  struct State {};
  static constexpr Barrier barrier_after(unsigned) { return Barrier::none; }

  static constexpr bool kButterflies = kWork == Work::dit_stage || kWork == Work::dif_stage ||
                                       kWork == Work::flat_stage || kWork == Work::pease_stage ||
                                       kWork == Work::stockham_stage;
  static constexpr bool kNested = kWork == Work::dit_stage || kWork == Work::dif_stage;

  /// Thread blocks of a polynomial: a thread for each butterfly or word, or, of nested loops, a row of thread
  /// blocks for each block of the middle loop.
  static NTTF_HD unsigned blocks_of_one(const Args& args) {
    if constexpr (kNested) {
      const unsigned half = half_of(args);
      return half >= kThreads ? (1u << args.log_n) / (2 * kThreads) : (1u << args.log_n) / (2 * half);
    } else {
      return ((1u << args.log_n >> (kButterflies ? 1 : 0)) + kThreads - 1) / kThreads;
    }
  }
  static std::uint32_t blocks(const Args& args) { return args.polynomials * blocks_of_one(args); }

  template <unsigned kPhase, class Shared>
  static NTTF_HD void phase(const Place& at, const Args& args, State&, Shared&) {
    const unsigned polynomial = at.cluster / blocks_of_one(args), block = at.cluster % blocks_of_one(args);
    const auto& limb = args.limbs[polynomial % args.limb_count];
    const One one{args, limb, Arith::constants(limb), table_of(limb, args.inverse),
                  static_cast<std::size_t>(polynomial) << args.log_n};
    if constexpr (kNested) {
      const unsigned half = half_of(args), pieces = half >= kThreads ? half / kThreads : 1;
      const unsigned k = block % pieces * kThreads + at.thread;
      if (k < half) butterfly(one, block / pieces, k);
    } else {
      const unsigned i = block * kThreads + at.thread;
      if (i >= 1u << args.log_n >> (kButterflies ? 1 : 0)) return;
      if constexpr (kButterflies) {
        butterfly(one, 0, i);
      } else {
        word(one, i);
      }
    }
  }

 private:
  struct One {
    const Args& args;
    const CudaLimb<Word>& limb;
    typename Arith::Constants c;
    const Word* table;
    std::size_t first;

    NTTF_HD Word load(unsigned i) const { return args.in[first + i]; }
    NTTF_HD void store(unsigned i, Word x) const { args.out[first + i] = x; }
    NTTF_HD typename Arith::Twiddle entry(unsigned section, unsigned i) const {
      return Arith::load(table, (section << args.log_n) + i);
    }
    NTTF_HD Word times(Word x, typename Arith::Twiddle w) const {
      return Arith::template to_word<Arith::kGrowth>(Arith::multiply(Arith::from_word(x, c), w, c), c);
    }
    /// A coefficient as the transform begins with it.
    NTTF_HD Word begin(unsigned j) const {
      const Word x = load(j);
      if (args.inverse != 0 || entry(kStages, 0).value == 0) return x;
      return times(x, entry(kTwist, j));
    }
    NTTF_HD Word sum(Word a, Word b) const { return Arith::subtract_if(a + b, limb.q); }
    NTTF_HD Word difference(Word a, Word b) const { return a >= b ? a - b : a + limb.q - b; }
  };

  static NTTF_HD unsigned half_of(const Args& args) {
    return 1u << (kWork == Work::dif_stage ? args.log_n - args.stage : args.stage - 1);
  }

  /// Butterfly i of an inner loop, of block `outer` of the middle one, if there are nested loops.
  static NTTF_HD void butterfly(const One& one, unsigned outer, unsigned i) {
    const unsigned log_n = one.args.log_n, stage = one.args.stage, n_half = 1u << log_n >> 1;
    if constexpr (kWork == Work::dit_stage || kWork == Work::flat_stage) {
      const unsigned half = 1u << (stage - 1), k = kNested ? i : i & (half - 1);
      const unsigned at = kNested ? 2 * half * outer + i : 2 * i - k;
      const Word u = one.load(at), v = one.times(one.load(at + half), one.entry(kStages, half + k));
      one.store(at, one.sum(u, v));
      one.store(at + half, one.difference(u, v));
    } else if constexpr (kWork == Work::dif_stage) {
      const unsigned half = 1u << (log_n - stage), at = 2 * half * outer + i;
      const bool begins = one.args.begins != 0;
      const Word u = begins ? one.begin(at) : one.load(at);
      const Word v = begins ? one.begin(at + half) : one.load(at + half);
      one.store(at, one.sum(u, v));
      one.store(at + half, one.times(one.difference(u, v), one.entry(kStages, half + i)));
    } else if constexpr (kWork == Work::pease_stage) {
      const unsigned k = i >> (log_n - stage);  // omega^(i without its lowest bits)
      const Word u = one.load(2 * i),
                 v = one.times(one.load(2 * i + 1), one.entry(kStages, (1u << (stage - 1)) + k));
      one.store(i, one.sum(u, v));
      one.store(i + n_half, one.difference(u, v));
    } else {
      const unsigned m = 1u << (stage - 1), p = i >> (stage - 1), to = 2 * m * p + (i & (m - 1));
      const bool begins = one.args.begins != 0;
      const Word u = begins ? one.begin(i) : one.load(i);
      const Word v = begins ? one.begin(i + n_half) : one.load(i + n_half);
      one.store(to, one.sum(u, v));
      one.store(to + m, one.times(one.difference(u, v), one.entry(kStages, (1u << (log_n - stage)) + p)));
    }
  }

  static NTTF_HD void word(const One& one, unsigned i) {
    const unsigned log_n = one.args.log_n;
    if constexpr (kWork == Work::reverse) {
      const unsigned j = reversed(i, log_n);
      if (one.args.in != one.args.out) {
        one.store(i, one.begin(j));
      } else if (i <= j) {
        const Word a = one.begin(i), b = one.begin(j);
        one.store(i, b);
        one.store(j, a);
      }
    } else if constexpr (kWork == Work::copy) {
      one.store(i, one.load(i));
    } else if constexpr (kWork == Work::transpose) {
      const unsigned columns = log_n - one.args.stage, row = i >> columns;
      const unsigned to = (i & low_bits(columns)) << (log_n - columns) | row;
      one.store(to, one.args.begins != 0 ? one.begin(i) : one.load(i));
    } else if constexpr (kWork == Work::twiddles) {
      one.store(i, one.times(one.load(i), one.entry(kMatrix, i)));
    } else {
      Word x = one.times(one.load(i), Arith::load(one.limb.scale, 0));
      if (one.entry(kStages, 0).value != 0) x = one.times(x, one.entry(kTwist, i));
      one.store(i, x);
    }
  }
};

/// Six-step's rows of 2^stage points by Stockham's algorithm, in place: a thread block each.
template <class ArithOf>
struct RowsInBlocks {
  using Arith = ArithOf;
  using Word = typename Arith::Word;
  using Value = Word;
  using Args = din24::Args<Word>;
  static constexpr unsigned kMost = 10;
  static constexpr unsigned kThreads = 256, kLogCluster = 0, kSharedWords = 2u << kMost, kPhases = kMost + 2,
                            kMinBlocks = 1;
  static constexpr bool kWaitsForCluster = false;
  struct State {};
  static constexpr Barrier barrier_after(unsigned phase) {
    return phase + 1 == kPhases ? Barrier::none : Barrier::block;
  }
  static std::uint32_t blocks(const Args& args) { return args.polynomials << (args.log_n - args.stage); }

  template <unsigned kPhase, class Shared>
  static NTTF_HD void phase(const Place& at, const Args& args, State&, Shared& shared) {
    const unsigned log_row = args.stage, size = 1u << log_row, half = size / 2;
    const std::size_t first = static_cast<std::size_t>(at.cluster) << log_row;
    if constexpr (kPhase == 0) {
      for (unsigned i = at.thread; i < size; i += kThreads) shared.store(i, args.in[first + i]);
    } else if constexpr (kPhase == kPhases - 1) {
      const unsigned from = log_row % 2 << kMost;
      for (unsigned i = at.thread; i < size; i += kThreads) args.out[first + i] = shared.load(from + i);
    } else if (kPhase <= log_row) {
      const auto& limb = args.limbs[(at.cluster >> (args.log_n - log_row)) % args.limb_count];
      const auto c = Arith::constants(limb);
      const Word* const table = table_of(limb, args.inverse);
      constexpr unsigned kFrom = kPhase % 2 != 0 ? 0 : 1u << kMost, kTo = (1u << kMost) - kFrom;
      constexpr unsigned kM = 1u << (kPhase - 1);
      for (unsigned i = at.thread; i < half; i += kThreads) {
        const unsigned p = i / kM, to = 2 * kM * p + i % kM;
        const Word u = shared.load(kFrom + i), v = shared.load(kFrom + i + half);
        const Word difference = u >= v ? u - v : u + limb.q - v;
        const auto w = Arith::load(table, half / kM + p);
        shared.store(kTo + to, Arith::subtract_if(u + v, limb.q));
        shared.store(kTo + to + kM, Arith::template to_word<Arith::kGrowth>(
                                        Arith::multiply(Arith::from_word(difference, c), w, c), c));
      }
    }
  }
};

}  // namespace nttforge::cuda::din24
