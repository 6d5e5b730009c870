// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/cuda/pass/memory.hpp"
#include "nttforge/cuda/pass/twiddles.hpp"

// One pass over the data: `stages` neighbouring stages of the product-tree transform
// (ntt/twiddles/twiddles.hpp), in a thread block or a cluster of blocks. An index of the data is
//
//     high (first_stage bits) | the pass's stages | low bits
//
// and a tile is everything with the same high and the same low bits but the last log_columns: it is
// transformed in shared memory, in rounds of up to log_points stages. With log_columns = 0 there are no
// low bits: the pass is the last (forward), and the whole transform if there are no high bits either.
//
//   forward   global -> round 0 -> shared (of all blocks of the cluster) -> round 1 -> ... -> global
//   inverse   the same backwards: the first exchange between blocks becomes the last
//
// In the last round of a contiguous pass a thread has neighbouring points; a warp's points then cross shared
// memory once more, so that global memory sees neighbouring threads at neighbouring words.

namespace nttforge::cuda {

template <class Arith, PassRole kForward>
struct FusedProduct;
template <class Arith, PassRole kRole>
struct KeyProduct;

template <class Arith, PassRole kRole>
struct Pass : PassTraits<Arith, kRole> {
  using T = PassTraits<Arith, kRole>;
  template <class, PassRole>
  friend struct FusedProduct;
  template <class, PassRole>
  friend struct KeyProduct;
  using Word = typename Arith::Word;
  using Value = typename Arith::Value;
  using Twiddle = typename Arith::Twiddle;
  using Constants = typename Arith::Constants;
  using Args = typename T::Args;

  struct State : PassImages<T> {
    Value r[T::kPoints];
    Constants c;
    const CudaLimb<Word>* limb;
    const Word* table;
    Twiddle ahead[T::kPoints - 1];
  };

  static constexpr std::uint32_t clusters(unsigned log_n, std::uint32_t polynomials) {
    return T::kLogTransforms != 0 ? (polynomials + (1u << T::kLogTransforms) - 1) >> T::kLogTransforms
                                  : polynomials << (log_n - T::kLogTile - T::kLogNeighbours);
  }

  /// What does not depend on the data: constants, and twiddles on their way.
  template <class Shared>
  static NTTF_HD void prologue(const Place& at, const Args& args, State& state, Shared& shared) {
    const Tile tile(at, args);
    state.limb = args.limbs + (tile.inside ? tile.limb : 0);
    state.c = Arith::constants(*state.limb);
    state.table = T::kInverse ? state.limb->inverse : state.limb->forward;
    if constexpr (T::kJoined) Memory::find_images(tile, args, state);
    if constexpr (T::kFetches && T::kFetchedBytes != 0)
      PassTwiddles<T>::template fetch_rounds<1>(tile, args, state.table, shared);
    load_ahead<T::ahead_in_prologue()>(tile, args, state, shared);
  }

  template <unsigned kPhase, class Shared>
  static NTTF_HD void phase(const Place& at, const Args& args, State& state, Shared& shared) {
    constexpr unsigned kRound = T::round_of(kPhase);
    const Tile tile(at, args);
    if constexpr (T::kJoined && kPhase == 0) Memory::fetch_joined(tile, args, state, shared);
    if constexpr (kRound == T::kRounds.count && T::kJoined) {
      Memory::join_all(tile, args, state, shared);
    } else if constexpr (kRound == T::kRounds.count) {
      Memory::copy(tile, args, *state.limb, shared);
    } else {
      run_round<kRound>(tile, args, state, shared);
    }
    if constexpr (kPhase + 2 == T::kPhases) load_ahead<T::ahead_of_last()>(tile, args, state, shared);
  }

 private:
  using Tile = PassTile<T>;
  using Position = PassPosition;
  using Memory = PassMemory<T>;

  /// What comes between global or shared memory and the registers in a round. Forward rounds: `enter`
  /// reads what was there before the round, `leave` writes; inverse rounds run the other way.
  static constexpr bool touches_global_first(unsigned round) { return round == 0; }
  static constexpr bool touches_global_last(unsigned round) {
    return round + 1 == T::kRounds.count && !T::kCopies;
  }

  template <unsigned kRound, bool kStore, class Shared>
  static NTTF_HD void first_side(const Tile& tile, const Args& args, const Position& p, Value* r,
                                 Shared& shared, const Constants& c) {
    constexpr unsigned kStride = T::log_stride(kRound), kRadix = 1u << T::kRounds.radix[kRound];
    if constexpr (touches_global_first(kRound)) {
      Memory::template global<kStore, kRadix, kStride>(tile, args, p, r, c);
    } else {
      Memory::template local<kStore, kRound - 1, kRadix, kStride>(tile, p, r, shared);
    }
  }
  template <unsigned kRound, bool kStore, class Shared>
  static NTTF_HD void last_side(const Tile& tile, const Args& args, const Position& p, Value* r,
                                Shared& shared, const Constants& c) {
    constexpr unsigned kStride = T::log_stride(kRound), kRadix = 1u << T::kRounds.radix[kRound];
    if constexpr (touches_global_last(kRound)) {
      Memory::template global<kStore, kRadix, kStride>(tile, args, p, r, c);
    } else if constexpr (kRound == 0 && T::kLogCluster != 0) {
      Memory::template remote<kStore, kRadix>(tile, p, r, shared);
    } else {
      Memory::template local<kStore, kRound, kRadix, kStride>(tile, p, r, shared);
    }
  }
  /// Stage kStage of a round over 2^log_radix registers: group j pairs registers half a group apart.
  template <unsigned kRound, unsigned kStage, class Source>
  static NTTF_HD void stage(Value* r, const Source& twiddles, const Args& args, const CudaLimb<Word>& limb,
                            const Constants& c) {
    constexpr unsigned kRadix = T::kRounds.radix[kRound];
    constexpr unsigned kHalfGroup = 1u << (kRadix - 1 - kStage);
    constexpr unsigned kGlobalStage = T::kRounds.first[kRound] + kStage;
    constexpr bool kReduce = !T::kInverse && T::reduces(T::bound_before(T::kBefore + kGlobalStage));
    // What is multiplied by 1/n is not reduced before.
    constexpr std::uint32_t kReduced =
        T::kInverse && !(T::kScales && kGlobalStage == 0) ? T::reduced_sums(kRound, kStage) : 0;
    const bool scales = T::kInverse && kGlobalStage == 0 && first_stage_of<T>(args) == 0;
    NTTF_GPU_UNROLL
    for (unsigned j = 0; j < 1u << kStage; ++j) {
      constexpr unsigned kSlot = (1u << kStage) - 1;
      constexpr bool kDerives = T::derives(kRound, kStage);
      const Twiddle w = twiddles[kDerives ? kSlot : kSlot + j];
      Twiddle derivation{};
      if (kDerives && j != 0) derivation = twiddles.derivation(kSlot + j);
      NTTF_GPU_UNROLL
      for (unsigned o = 0; o < kHalfGroup; ++o) {
        Value& a = r[2 * j * kHalfGroup + o];
        Value& b = r[(2 * j + 1) * kHalfGroup + o];
        if constexpr (T::kInverse) {
          Arith::inverse(a, b, w, c);
          if (kDerives && j != 0) b = Arith::multiply(b, derivation, c);
          if ((kReduced >> (2 * j * kHalfGroup + o) & 1) != 0) a = Arith::halve(a, c);
        } else {
          if constexpr (kReduce) a = Arith::halve(a, c);
          if (kDerives && j != 0) b = Arith::multiply(b, derivation, c);
          Arith::forward(a, b, w, c);
        }
      }
    }
    if (scales) {
      const Twiddle scale = Arith::load(limb.scale, 0);
      NTTF_GPU_UNROLL
      for (unsigned o = 0; o < kHalfGroup; ++o) r[o] = Arith::multiply(r[o], scale, c);
    }
  }
  template <unsigned kRound, unsigned kStage = 0, class Source>
  static NTTF_HD void stages(Value* r, const Source& twiddles, const Args& args, const CudaLimb<Word>& limb,
                             const Constants& c) {
    if constexpr (kStage < T::kRounds.radix[kRound]) {
      constexpr unsigned kNow = T::kInverse ? T::kRounds.radix[kRound] - 1 - kStage : kStage;
      stage<kRound, kNow>(r, twiddles, args, limb, c);
      stages<kRound, kStage + 1>(r, twiddles, args, limb, c);
    }
  }

  template <unsigned kRound, class Shared>
  static NTTF_HD void load_ahead(const Tile& tile, const Args& args, State& state, const Shared& shared) {
    if constexpr (kRound != T::kNone) {
      PassTwiddles<T>::template load_ahead<kRound>(tile, args, state.table, state.ahead, shared);
    }
  }

  template <unsigned kRound, class Shared>
  static NTTF_HD void run_round(const Tile& tile, const Args& args, State& state, Shared& shared) {
    constexpr unsigned kRadix = 1u << T::kRounds.radix[kRound];
    NTTF_GPU_UNROLL
    for (unsigned m = 0; m < T::kPoints / kRadix; ++m) {
      const PassPosition p = position_of<T, kRound>(tile, m);
      Value* r = state.r + m * kRadix;
      if constexpr (kRound == T::ahead_in_prologue() || kRound == T::ahead_of_last()) {
        run_group<kRound>(tile, args, p, r, typename PassTwiddles<T>::AheadTwiddles{state.ahead}, state,
                          shared);
      } else {
        const typename PassTwiddles<T>::template Of<kRound, Shared> twiddles(tile, args, state.table, p.group,
                                                                             shared);
        run_group<kRound>(tile, args, p, r, twiddles, state, shared);
      }
    }
  }
  /// The last round of a forward pass whose results stay in the registers.
  template <class Shared>
  static NTTF_HD void run_last_round(const Tile& tile, const Args& args, State& state, Shared& shared) {
    constexpr unsigned kRound = T::kRounds.count - 1;
    const PassPosition p = position_of<T, kRound>(tile, 0);
    first_side<kRound, false>(tile, args, p, state.r, shared, state.c);
    if constexpr (kRound == T::ahead_of_last()) {
      stages<kRound>(state.r, typename PassTwiddles<T>::AheadTwiddles{state.ahead}, args, *state.limb,
                     state.c);
    } else {
      const typename PassTwiddles<T>::template Of<kRound, Shared> twiddles(tile, args, state.table, p.group,
                                                                           shared);
      stages<kRound>(state.r, twiddles, args, *state.limb, state.c);
    }
  }
  template <unsigned kRound, class Source, class Shared>
  static NTTF_HD void run_group(const Tile& tile, const Args& args, const PassPosition& p, Value* r,
                                const Source& twiddles, const State& state, Shared& shared) {
    const CudaLimb<Word>& limb = *state.limb;
    const Constants& c = state.c;
    if constexpr (T::kInverse) {
      last_side<kRound, false>(tile, args, p, r, shared, c);
      stages<kRound>(r, twiddles, args, limb, c);
      first_side<kRound, true>(tile, args, p, r, shared, c);
    } else {
      first_side<kRound, false>(tile, args, p, r, shared, c);
      stages<kRound>(r, twiddles, args, limb, c);
      if constexpr (T::kJoined && touches_global_last(kRound)) {
        Memory::join_all(tile, args, state, shared);
      } else {
        last_side<kRound, true>(tile, args, p, r, shared, c);
      }
    }
  }
};

}  // namespace nttforge::cuda
