// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/pass/pass.hpp"

// Key switching without storing transformed digits: the last pass of the digits' forward transforms, and
// where their values are, their products with the two polynomials of a key, which are summed in registers.
//
//   digit 0: global -> round 0 -> shared -> ... -> round R - 1 -> times key 0 -> sums
//   digit 1: the same, and so on; at the end: sums modulo q -> global
//
// A digit's own rows are in values already: they are read where they are, and multiplied at once.

namespace nttforge::cuda {

template <class Word>
struct KeyProductArgs {
  PassArgs<Word> pass;  ///< `in`: digits after the passes before; `out`: sums; batch: elements
  DigitRows rows;
  KeyWords<Word> key;
};

/// kRole is the contiguous last pass of a forward transform. A turn (block/block.hpp) is a digit.
template <class ArithOf, PassRole kRole>
struct KeyProduct {
  using Arith = ArithOf;
  using Forward = Pass<Arith, kRole>;
  using T = typename Forward::T;
  using Word = typename Arith::Word;
  using Value = typename Arith::Value;
  using Sum = typename WideSum<Word>::Sum;
  using Args = KeyProductArgs<Word>;
  using Tile = PassTile<T>;
  using Memory = PassMemory<T>;
  static constexpr unsigned kTogether = Memory::kTogether, kGroups = Memory::kGroups;
  using Words = typename Memory::Words;

  static constexpr unsigned kThreads = T::kThreads, kLogCluster = T::kLogCluster,
                            kSharedWords = T::kSharedWords, kPoints = T::kPoints, kMinBlocks = T::kMinBlocks,
                            kPhases = T::kPhases, kFetchedAfter = kPhases - 2;
  static constexpr std::uint32_t kFetchedBytes = 2 * sizeof(Word) * kPoints * kThreads;
  static constexpr bool kWaitsForCluster = false;
  static_assert(T::kContiguous && !T::kInverse && !T::kFetches && !T::kOneRound && kLogCluster == 0 &&
                T::kLogTileThreads >= 5 && sizeof(Word) == 4);

  /// r holds what the next round 0 begins with, or an own row's values.
  struct State {
    typename Forward::State pass;
    Sum sums[2][T::kPoints];
  };

  static NTTF_HD unsigned turns(const Args& args) { return args.rows.digits; }
  static constexpr Barrier barrier_after(unsigned phase) {
    return phase + 2 >= kPhases ? Barrier::block : T::barrier_after(phase);
  }

  template <class Shared>
  static NTTF_HD void prologue(const Place& at, const Args& args, State& state, Shared& shared) {
    Forward::prologue(at, args.pass, state.pass, shared);
    NTTF_GPU_UNROLL
    for (unsigned i = 0; i < 2 * T::kPoints; ++i) state.sums[i / T::kPoints][i % T::kPoints] = 0;
  }

  template <unsigned kPhase, class Shared>
  static NTTF_HD void phase(const Place& at, const Args& args, State& state, Shared& shared, unsigned digit) {
    const Tile tile(at, args.pass);
    if constexpr (kPhase == 0) {
      if (digit == 0) load(tile, args, 0, state, shared);
      fetch_key(tile, args, digit, shared);
      if (!is_own(tile, args, digit)) run_first_round(tile, args, state, shared);
    } else if constexpr (kPhase + 1 < kPhases) {
      if (!is_own(tile, args, digit)) Forward::template phase<kPhase>(at, args.pass, state.pass, shared);
    } else {
      multiply(tile, args, state, shared, digit);
    }
  }

  static NTTF_HD void finish(const Place& at, const Args& args, State& state) {
    const Tile tile(at, args.pass);
    const ProductModulus<Word>& m = state.pass.limb->product;
    const KeyWords<Word>& key = args.key;
    NTTF_GPU_UNROLL
    for (unsigned part = 0; part < 2; ++part) {
      if (part < key.addend_parts && tile.limb < key.addend_limbs) {
        const Word* const from =
            key.addend + tile.member * key.addend_stride +
            ((std::size_t{part} * key.addend_limbs + tile.limb) << size_of<T>(args.pass));
        NTTF_GPU_UNROLL
        for (unsigned g = 0; g < kGroups; ++g) {
          const Words words = *reinterpret_cast<const Words*>(from + at_group(tile, g));
          NTTF_GPU_UNROLL
          for (unsigned k = 0; k < kTogether; ++k)
            state.sums[part][g * kTogether + k] += Sum{words.words[k]} * key.factors[tile.limb];
        }
      }
      const std::size_t row = std::size_t{2 * tile.member + part} * args.pass.limb_count + tile.limb;
      Word* const to = args.pass.out + (row << size_of<T>(args.pass));
      NTTF_GPU_UNROLL
      for (unsigned g = 0; g < kGroups; ++g) {
        Words words;
        NTTF_GPU_UNROLL
        for (unsigned k = 0; k < kTogether; ++k)
          words.words[k] = reduce_below_30_bits(state.sums[part][g * kTogether + k], m.q, m.ratio);
        *reinterpret_cast<Words*>(to + at_group(tile, g)) = words;
      }
    }
  }

 private:
  static NTTF_HD bool is_own(const Tile& tile, const Args& args, unsigned digit) {
    return tile.limb < args.rows.own_limbs && args.rows.digit_of[tile.limb] == digit;
  }
  /// The first word of a thread's group in its row.
  static NTTF_HD std::uint32_t at_group(const Tile& tile, unsigned group) {
    return tile.word(Memory::place_of_group(tile, group));
  }

  template <class Shared>
  static NTTF_HD void load(const Tile& tile, const Args& args, unsigned digit, State& state, Shared& shared) {
    Value* const r = state.pass.r;
    if (is_own(tile, args, digit)) {
      const Word* const row = args.key.own + tile.member * args.key.own_stride +
                              (std::size_t{tile.limb} << size_of<T>(args.pass));
      NTTF_GPU_UNROLL
      for (unsigned g = 0; g < kGroups; ++g) {
        const Words words = *reinterpret_cast<const Words*>(row + at_group(tile, g));
        NTTF_GPU_UNROLL
        for (unsigned k = 0; k < kTogether; ++k) r[g * kTogether + k] = words.words[k];
      }
      return;
    }
    PassArgs<Word> pass = args.pass;
    const std::size_t polynomials = std::size_t{tile.member} * (args.rows.digits - 1) + digit;
    pass.in += polynomials * pass.limb_count << size_of<T>(pass);
    constexpr unsigned kRadix = 1u << T::kRounds.radix[0];
    NTTF_GPU_UNROLL
    for (unsigned m = 0; m < kPoints / kRadix; ++m)
      Forward::template first_side<0, false>(tile, pass, position_of<T, 0>(tile, m), r + m * kRadix, shared,
                                             state.pass.c);
  }
  template <class Shared>
  static NTTF_HD void run_first_round(const Tile& tile, const Args& args, State& state, Shared& shared) {
    constexpr unsigned kRadix = 1u << T::kRounds.radix[0];
    // What is ahead in the first turn is there in the others too, unless the last round takes its place.
    constexpr bool kAhead = T::ahead_in_prologue() == 0 && T::ahead_of_last() == T::kNone;
    NTTF_GPU_UNROLL
    for (unsigned m = 0; m < kPoints / kRadix; ++m) {
      const PassPosition p = position_of<T, 0>(tile, m);
      Value* const r = state.pass.r + m * kRadix;
      if constexpr (kAhead) {
        Forward::template stages<0>(r, typename PassTwiddles<T>::AheadTwiddles{state.pass.ahead}, args.pass,
                                    *state.pass.limb, state.pass.c);
      } else {
        const typename PassTwiddles<T>::template Twiddles<0> twiddles(tile, args.pass, state.pass.table,
                                                                      p.group, shared);
        Forward::template stages<0>(r, twiddles, args.pass, *state.pass.limb, state.pass.c);
      }
      Forward::template last_side<0, true>(tile, args.pass, p, r, shared, state.pass.c);
    }
    if constexpr (kPhases == 2)
      Forward::template load_ahead<T::ahead_of_last()>(tile, args.pass, state.pass, shared);
  }

  /// A thread fetches the words of the key that it multiplies by.
  template <class Shared>
  static NTTF_HD void fetch_key(const Tile& tile, const Args& args, unsigned digit, Shared& shared) {
    const KeyWords<Word>& key = args.key;
    const std::uint32_t limbs = args.pass.limb_count, log_n = size_of<T>(args.pass);
    const std::uint32_t row =
        tile.limb + key.special < limbs ? tile.limb + key.first : tile.limb + key.limbs - limbs;
    NTTF_GPU_UNROLL
    for (unsigned part = 0; part < 2; ++part) {
      const Word* const factors = key.key + ((std::size_t{2 * digit + part} * key.limbs + row) << log_n);
      NTTF_GPU_UNROLL
      for (unsigned g = 0; g < kGroups; ++g)
        shared.template fetch_once<Words>(Memory::slot(tile, g, part), factors + at_group(tile, g));
    }
  }

  /// Adds the digit's products; what the next digit begins with is loaded meanwhile.
  template <class Shared>
  static NTTF_HD void multiply(const Tile& tile, const Args& args, State& state, Shared& shared,
                               unsigned digit) {
    Words x[kGroups];
    const bool own = is_own(tile, args, digit);
    if constexpr (!T::kCopies) {
      if (!own) Forward::run_last_round(tile, args.pass, state.pass, shared);
    }
    NTTF_GPU_UNROLL
    for (unsigned g = 0; g < kGroups; ++g) {
      Value values[kTogether];
      if (T::kCopies && !own) {
        Memory::load_group(tile, g, shared, values);
      } else {
        NTTF_GPU_UNROLL
        for (unsigned k = 0; k < kTogether; ++k) values[k] = state.pass.r[g * kTogether + k];
      }
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kTogether; ++k)
        x[g].words[k] = own ? values[k] : Memory::below_2q(values[k], state.pass.c);
    }
    if (digit + 1 < args.rows.digits) load(tile, args, digit + 1, state, shared);
    NTTF_GPU_UNROLL
    for (unsigned part = 0; part < 2; ++part) {
      NTTF_GPU_UNROLL
      for (unsigned g = 0; g < kGroups; ++g) {
        const auto y = shared.template fetched<Words>(Memory::slot(tile, g, part));
        NTTF_GPU_UNROLL
        for (unsigned k = 0; k < kTogether; ++k)
          state.sums[part][g * kTogether + k] += Sum{x[g].words[k]} * y.words[k];
      }
    }
  }
};

}  // namespace nttforge::cuda
