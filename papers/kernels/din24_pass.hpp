// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "papers/kernels/din24_shape.hpp"

// The seven algorithms of [Din24] as well as each allows: a whole transform in one thread block, or in two
// kernels, in rounds of three stages in registers. The order of the data is the algorithm's own wherever it
// is in memory: in the registers' exchanges through shared memory and in global memory between the kernels.
// Values are reduced at the end of a kernel, where they equal those of the algorithm's trace on the CPU.

namespace nttforge::cuda::din24 {

template <class ArithOf, Shape kShape>
struct Pass : Traits<typename ArithOf::Word, kShape> {
  using Arith = ArithOf;
  using Word = typename Arith::Word;
  using Value = typename Arith::Value;
  using Twiddle = typename Arith::Twiddle;
  using Constants = typename Arith::Constants;
  using T = Traits<Word, kShape>;
  using Args = din24::Args<Word>;
  using Lanes = typename T::Lanes;
  static constexpr unsigned kLogCluster = 0;
  /// Blocks of a multiprocessor at once, for 80 registers a thread or fewer where blocks are not large; small
  /// tiles, few at a time, have 128 registers for the twiddles of all rounds.
  static constexpr unsigned kThreadsAtOnce = T::kSmall ? 512 : 800;
  static constexpr unsigned kMinBlocks = T::kThreads > kThreadsAtOnce ? 1 : kThreadsAtOnce / T::kThreads;
  static constexpr bool kWaitsForCluster = false;
  /// Six-step's third step, whose multipliers small tiles load ahead too.
  static constexpr bool kMultipliesMatrix = T::kRows && T::kRole == Role::first;
  static constexpr bool kLoadsMatrix = kMultipliesMatrix && T::kSmall;

  struct State {
    Value r[T::kPoints];
    Twiddle w[T::kSmall ? T::kRounds.count : 1][T::kPoints - 1];  ///< of the round to come, or of all rounds
    Twiddle matrix[kLoadsMatrix ? T::kPoints : 1];
    Constants c;
    const CudaLimb<Word>* limb;
    const Word* table;
    bool twisted;
  };
  static constexpr Barrier barrier_after(unsigned phase) {
    return phase + 1 == T::kPhases ? Barrier::none : Barrier::block;
  }
  static std::uint32_t blocks(const Args& args) {
    return args.polynomials << (args.log_n - T::kStages - T::kColumns);
  }

  template <class Shared>
  static NTTF_HD void prologue(const Place& at, const Args& args, State& state, Shared&) {
    state.limb = args.limbs + (at.cluster >> log_tiles(args)) % args.limb_count;
    state.c = Arith::constants(*state.limb);
    state.table = table_of(*state.limb, args.inverse);
    state.twisted = Arith::load(state.table, 0).value != 0;
    if constexpr (T::kSmall) {
      load_all_twiddles<0>(at, args, state);
    } else {
      load_twiddles<0>(at, args, state);
    }
    if constexpr (kLoadsMatrix) {
      each_output(at, args, [&](unsigned place, unsigned i) {
        state.matrix[i] = Arith::load(state.table, (kMatrix << args.log_n) + place);
      });
    }
  }
  template <unsigned kPhase, class Shared>
  static NTTF_HD void phase(const Place& at, const Args& args, State& state, Shared& shared) {
    constexpr typename T::Step kStep = T::step(kPhase);
    constexpr unsigned kRound = kStep.round;
    if constexpr (kStep.reads) {
      if constexpr (kRound == 0) {
        read_global(at, args, state);
      } else {
        exchange<kRound, false>(at, state, shared);
      }
      compute<kRound>(state);
    }
    if constexpr (kStep.writes) {
      if constexpr (kRound + 1 == T::kRounds.count) {
        write_global(at, args, state);
      } else {
        exchange<kRound, true>(at, state, shared);
        if constexpr (!T::kSmall) load_twiddles<kRound + 1>(at, args, state);
      }
    }
  }

 private:
  static constexpr unsigned kStages = T::kStages;
  static NTTF_HD unsigned log_tiles(const Args& args) { return args.log_n - kStages - T::kColumns; }
  static constexpr unsigned radix(unsigned round) { return T::kRounds.radix[round]; }
  static constexpr unsigned first(unsigned round) { return T::kRounds.first[round]; }
  static constexpr unsigned slot(unsigned round) { return T::kSmall ? round : 0; }

  struct Thread {
    unsigned unit, column;
  };
  template <unsigned kRound>
  static NTTF_HD Thread thread_of(const Place& at) {
    constexpr Lanes kLanes = T::lanes(kRound);
    if constexpr (kLanes == Lanes::unit) return {at.thread & low_bits(T::kUnits), at.thread >> T::kUnits};
    unsigned column = at.thread & low_bits(T::kColumns);
    if constexpr (kLanes == Lanes::write_column) {
      column = column >> T::kWriteColumns | (column & low_bits(T::kWriteColumns)) << T::kReadColumns;
    }
    return {at.thread >> T::kColumns, column};
  }
  /// Number of a thread's group g among those of a column.
  static NTTF_HD unsigned group(const Thread& thread, unsigned g) { return thread.unit | g << T::kUnits; }
  /// Reads in natural order where the algorithm's is bit-reversed: groups are counted in natural order.
  static constexpr bool kReverses = T::kTime && T::kRole != Role::last;

  /// Index of register j of group v: the round pairs bits first ... first + radix of it, from below or above.
  template <unsigned kRound>
  static NTTF_HD unsigned index(unsigned v, unsigned j) {
    constexpr unsigned kFirst = first(kRound), kRadix = radix(kRound), kRest = kStages - kRadix;
    if constexpr (kReverses && kRound == 0) {
      return reversed(v, kRest) << kRadix | j;
    } else if constexpr (T::kPease) {
      const unsigned position = v << kRadix | j;
      if constexpr (kFirst == 0 || kFirst == kStages) return position;
      return (position << kFirst | position >> (kStages - kFirst)) & low_bits(kStages);
    } else if constexpr (T::kStockham) {
      return reversed(v & low_bits(kFirst), kFirst) << (kStages - kFirst) | j << (kRest - kFirst) |
             v >> kFirst;
    } else {
      constexpr unsigned kBit = T::kTime ? kFirst : kStages - kFirst - kRadix;
      return v >> kBit << (kBit + kRadix) | j << kBit | (v & low_bits(kBit));
    }
  }
  /// Where that is in the tile before the round and after it.
  template <unsigned kRound>
  static NTTF_HD unsigned before(unsigned v, unsigned j) {
    constexpr unsigned kRadix = radix(kRound);
    if constexpr (T::kPease) return v << kRadix | j;
    if constexpr (T::kStockham) return j << (kStages - kRadix) | v;
    return index<kRound>(v, j);
  }
  template <unsigned kRound>
  static NTTF_HD unsigned after(unsigned v, unsigned j) {
    constexpr unsigned kFirst = first(kRound), kRadix = radix(kRound), kRest = kStages - kRadix;
    if constexpr (T::kPease) {
      return j << kRest | (kReverses && kRound == 0 ? reversed(v, kRest) : v);
    } else if constexpr (T::kStockham) {
      return v >> kFirst << (kFirst + kRadix) | reversed(j, kRadix) << kFirst | (v & low_bits(kFirst));
    } else {
      return index<kRound>(v, j);
    }
  }

  /// The other bits of the index: a column's number among all of its polynomial. Pease's first kernel has
  /// columns that are neighbours of the input, which are the upper bits, and others that are of the output.
  static NTTF_HD unsigned column_of(const Place& at, const Args& args, unsigned column) {
    const unsigned tile = at.cluster & low_bits(log_tiles(args));
    if constexpr (T::kWriteColumns == 0) {
      return tile << T::kColumns | column;
    } else {
      const unsigned far = reversed(column >> T::kReadColumns, T::kWriteColumns);
      return far << (args.log_n - kStages - T::kWriteColumns) | tile << T::kReadColumns |
             (column & low_bits(T::kReadColumns));
    }
  }
  static NTTF_HD std::size_t polynomial(const Place& at, const Args& args) {
    return static_cast<std::size_t>(at.cluster >> log_tiles(args)) << args.log_n;
  }

  static NTTF_HD void read_global(const Place& at, const Args& args, State& state) {
    const Thread thread = thread_of<0>(at);
    const unsigned others = args.log_n - kStages, column = column_of(at, args, thread.column);
    constexpr bool kTogether = T::kCopiesIn || (T::kMethod == Method::dif && T::kRole == Role::last);
    const Word* const in = args.in + polynomial(at, args);
    each_register<0>(thread, [&](unsigned v, unsigned j, unsigned i) {
      Value& x = state.r[i];
      const unsigned at_input =
          kReverses ? reversed(j, radix(0)) << (kStages - radix(0)) | v : before<0>(v, j);
      const unsigned place = kTogether ? column << kStages | at_input : at_input << others | column;
      x = Arith::from_word(in[place], state.c);
      if constexpr (T::kRole != Role::last) {
        if (state.twisted && args.inverse == 0)
          x = Arith::multiply(x, Arith::load(state.table, (kTwist << args.log_n) + place), state.c);
      }
    });
  }
  /// body(place in the output's polynomial, register) for each value that the thread writes.
  template <class Body>
  static NTTF_HD void each_output(const Place& at, const Args& args, const Body& body) {
    constexpr unsigned kLast = T::kRounds.count - 1;
    const Thread thread = thread_of<kLast>(at);
    const unsigned others = args.log_n - kStages;
    unsigned column = column_of(at, args, thread.column);
    if constexpr (kReverses) column = reversed(column, others);
    constexpr bool kTogether =
        T::kRole != Role::whole &&
        ((T::kMethod == Method::dit && T::kRole == Role::first) ||
         (T::kMethod == Method::dif && T::kRole == Role::last) || (T::kStockham && T::kRole == Role::first));
    each_register<kLast>(thread, [&](unsigned v, unsigned j, unsigned i) {
      const unsigned in_tile = after<kLast>(v, j);
      body(kTogether ? column << kStages | in_tile : in_tile << others | column, i);
    });
  }
  static NTTF_HD void write_global(const Place& at, const Args& args, State& state) {
    constexpr bool kScales = T::kRole != Role::first && T::kMethod != Method::dif;
    Word* const out = args.out + polynomial(at, args);
    each_output(at, args, [&](unsigned place, unsigned i) {
      Value x = state.r[i];
      if constexpr (kLoadsMatrix) {
        x = Arith::multiply(x, state.matrix[i], state.c);
      } else if constexpr (kMultipliesMatrix) {
        x = Arith::multiply(x, Arith::load(state.table, (kMatrix << args.log_n) + place), state.c);
      }
      if constexpr (kScales) {
        if (args.inverse != 0) {
          x = Arith::multiply(x, Arith::load(state.limb->scale, 0), state.c);
          if (state.twisted)
            x = Arith::multiply(x, Arith::load(state.table, (kTwist << args.log_n) + place), state.c);
        }
      }
      out[place] = Arith::template to_word<kBoundAtEnd>(x, state.c);
    });
  }
  template <unsigned kRound, bool kStore, class Shared>
  static NTTF_HD void exchange(const Place& at, State& state, Shared& shared) {
    constexpr unsigned kExchange = kStore ? kRound : kRound - 1;
    constexpr bool kInside = T::columns_inside(kExchange);
    const Thread thread = thread_of<kRound>(at);
    each_register<kRound>(thread, [&](unsigned v, unsigned j, unsigned i) {
      const unsigned position = kStore ? after<kRound>(v, j) : before<kRound>(v, j);
      const unsigned word = T::area_of(kExchange) + T::template place<kInside>(position, thread.column);
      if constexpr (kStore) {
        shared.store(word, state.r[i]);
      } else {
        state.r[i] = shared.load(word);
      }
    });
  }
  template <unsigned kRound, class Body>
  static NTTF_HD void each_register(const Thread& thread, const Body& body) {
    constexpr unsigned kRadix = radix(kRound);
    NTTF_GPU_UNROLL
    for (unsigned g = 0; g < T::kPoints >> kRadix; ++g) {
      NTTF_GPU_UNROLL
      for (unsigned j = 0; j < 1u << kRadix; ++j) body(group(thread, g), j, g << kRadix | j);
    }
  }

  template <unsigned kRound>
  static NTTF_HD void load_all_twiddles(const Place& at, const Args& args, State& state) {
    load_twiddles<kRound>(at, args, state);
    if constexpr (kRound + 1 < T::kRounds.count) load_all_twiddles<kRound + 1>(at, args, state);
  }
  /// Twiddles of a round, for each of a thread's groups 2^k of the stage that has as many, k = 0, 1, 2. The
  /// lowest bits of an index are the column's, except where the stages pair the lowest.
  template <unsigned kRound>
  static NTTF_HD void load_twiddles(const Place& at, const Args& args, State& state) {
    if constexpr (radix(kRound) != 0) load_twiddles_of_stages<kRound>(at, args, state);
  }
  template <unsigned kRound>
  static NTTF_HD void load_twiddles_of_stages(const Place& at, const Args& args, State& state) {
    constexpr unsigned kFirst = first(kRound), kRadix = radix(kRound), kRest = kStages - kRadix;
    constexpr bool kColumnsBelow = !T::kRows && T::kRole == (T::kTime ? Role::last : Role::first);
    const Thread thread = thread_of<kRound>(at);
    const unsigned below = kColumnsBelow ? args.log_n - kStages : 0;
    const unsigned column = kColumnsBelow ? column_of(at, args, thread.column) : 0;
    NTTF_GPU_UNROLL
    for (unsigned g = 0; g < T::kPoints >> kRadix; ++g) {
      const unsigned v = group(thread, g);
      // The bits of an index below those of the round, and how many they are.
      constexpr unsigned kBits = T::kTime ? kFirst : kRest - kFirst;
      unsigned low = 0;
      if constexpr (kBits != 0) low = index<kRound>(v, 0) & low_bits(kBits);
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kRadix; ++k) {
        const unsigned half = 1u << (below + kBits + k);
        NTTF_GPU_UNROLL
        for (unsigned i = 0; i < 1u << k; ++i) {
          state.w[slot(kRound)][(g << kRadix) - g + low_bits(k) + i] =
              Arith::load(state.table, half + ((i << kBits | low) << below | column));
        }
      }
    }
  }

  template <unsigned kRound>
  static NTTF_HD void compute(State& state) {
    constexpr unsigned kRadix = radix(kRound);
    NTTF_GPU_UNROLL
    for (unsigned g = 0; g < T::kPoints >> kRadix; ++g)
      stages<kRound, 0>(state.r + (g << kRadix), state.w[slot(kRound)] + (g << kRadix) - g, state.c);
  }
  template <unsigned kRound, unsigned kStage>
  static NTTF_HD void stages(Value* r, const Twiddle* w, const Constants& c) {
    constexpr unsigned kRadix = radix(kRound);
    if constexpr (kStage < kRadix) {
      constexpr unsigned kLog = T::kTime ? kStage : kRadix - 1 - kStage, kDistance = 1u << kLog;
      constexpr bool kReduce = T::kTime && reduces(bound_before(first(kRound) + kStage));
      constexpr unsigned kReduced = T::kTime ? 0 : reduced_sums(kRound, kStage);
      NTTF_GPU_UNROLL
      for (unsigned j = 0; j < 1u << kRadix; ++j) {
        if ((j & kDistance) != 0) continue;
        Value &a = r[j], &b = r[j + kDistance];
        const Twiddle& twiddle = w[low_bits(kLog) + (j & low_bits(kLog))];
        if constexpr (T::kTime) {
          if constexpr (kReduce) a = Arith::halve(a, c);
          Arith::forward(a, b, twiddle, c);
        } else {
          Arith::inverse(a, b, twiddle, c);
          if ((kReduced >> j & 1) != 0) a = Arith::halve(a, c);
        }
      }
      stages<kRound, kStage + 1>(r, w, c);
    }
  }

  /// Values that come in are reduced, or products.
  static constexpr unsigned kBoundAtBegin = T::kRole == Role::last ? 1 : Arith::kGrowth;
  static constexpr bool reduces(unsigned bound) { return bound + Arith::kGrowth > Arith::kLimit; }
  /// Before a stage that multiplies first, values are below this many q.
  static constexpr unsigned bound_before(unsigned stage) {
    unsigned bound = kBoundAtBegin;
    for (unsigned s = 0; s < stage; ++s) bound = (reduces(bound) ? Arith::kHalf : bound) + Arith::kGrowth;
    return bound;
  }
  /// After a stage that multiplies last: a bit for each sum that is reduced, so that no value of a round
  /// exceeds kMost q; as in PassTraits of nttforge/cuda/pass/.
  static constexpr unsigned reduced_sums(unsigned round, unsigned stage) {
    const unsigned radix_log = radix(round);
    unsigned bounds[T::kPoints] = {}, reduced = 0;
    for (unsigned& bound : bounds) bound = first(round) == 0 ? kBoundAtBegin : Arith::kMost;
    for (unsigned s = 0; s <= stage; ++s) {
      reduced = 0;
      for (unsigned k = 0; k < 1u << radix_log; ++k) {
        const unsigned distance = 1u << (radix_log - 1 - s);
        if ((k & distance) != 0) continue;
        const bool reduce = 2 * bounds[k] > Arith::kMost;
        bounds[k] = reduce ? Arith::kHalf : 2 * bounds[k];
        bounds[k + distance] = Arith::kGrowth;
        if (reduce) reduced |= 1u << k;
      }
    }
    return reduced;
  }
  static constexpr unsigned kBoundAtEnd = T::kTime ? bound_before(kStages) : Arith::kMost;
  static_assert(kBoundAtEnd >= Arith::kGrowth);  // products are written too
};

}  // namespace nttforge::cuda::din24
