// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "nttforge/cuda/pass/tile.hpp"

// Twiddles of a pass (pass.hpp): from global memory, or fetched to shared memory ahead of use.

namespace nttforge::cuda {

template <class T>
struct PassTwiddles {
  using Word = typename T::Word;
  using Twiddle = typename T::Twiddle;

  /// The twiddles of a group in a round, from global memory.
  template <unsigned kRound>
  struct Twiddles {
    const Word *first, *table;
    unsigned stage;

    template <class Shared>
    NTTF_HD Twiddles(const PassTile<T>& tile, const typename T::Args& args, const Word* from, unsigned group,
                     const Shared&)
        : table(from) {
      constexpr unsigned kFirst = T::kRounds.first[kRound], kSlots = T::slots(kRound);
      stage = first_stage_of<T>(args) + kFirst;
      const unsigned in_stage = (tile.high << kFirst) + group;
      const unsigned entry = (1u << stage) + (T::slot_major(kRound) ? in_stage : in_stage * kSlots);
      first = table + std::size_t{entry} * T::Arith::kEntryWords;
    }
    NTTF_HD Twiddle operator[](unsigned slot) const {
      return T::Arith::load(first, T::slot_major(kRound) ? slot << stage : slot);
    }
    NTTF_HD Twiddle derivation(unsigned slot) const { return T::Arith::load(table, (slot + 1) << stage); }
  };

  /// Twiddles that were fetched to shared memory: the block's part of each round, in the order of the table.
  template <unsigned kRound, class Shared>
  struct FetchedTwiddles {
    const Shared& shared;
    unsigned first;

    NTTF_HD FetchedTwiddles(const PassTile<T>& tile, const typename T::Args&, const Word*, unsigned group,
                            const Shared& from)
        : shared(from) {
      constexpr unsigned kFirst = T::local_first(kRound), kSlots = T::slots(kRound);
      const unsigned local = group - (tile.rank << kFirst);
      first = (1u << kFirst) + (T::slot_major(kRound) ? local : local * kSlots);
    }
    NTTF_HD Twiddle operator[](unsigned slot) const {
      constexpr unsigned kFirst = T::local_first(kRound);
      return shared.template fetched<Twiddle>(first + (T::slot_major(kRound) ? slot << kFirst : slot));
    }
    NTTF_HD Twiddle derivation(unsigned slot) const {
      constexpr unsigned kFirst = T::local_first(kRound);
      return shared.template fetched<Twiddle>((slot + 1) << kFirst);
    }
  };
  template <unsigned kRound, class Shared>
  using Of = std::conditional_t<T::fetched(kRound), FetchedTwiddles<kRound, Shared>, Twiddles<kRound>>;

  /// Twiddles that are in registers already.
  struct AheadTwiddles {
    const Twiddle* values;
    NTTF_HD const Twiddle& operator[](unsigned slot) const { return values[slot]; }
    NTTF_HD const Twiddle& derivation(unsigned slot) const { return values[slot]; }
  };
  template <unsigned kRound, class Shared>
  static NTTF_HD void load_ahead(const PassTile<T>& tile, const typename T::Args& args, const Word* table,
                                 Twiddle* ahead, const Shared& shared) {
    const Twiddles<kRound> twiddles(tile, args, table, position_of<T, kRound>(tile, 0).group, shared);
    NTTF_GPU_UNROLL
    for (unsigned slot = 0; slot < T::slots(kRound); ++slot) {
      const bool kept = (T::kept_slots(kRound) >> slot & 1) != 0;
      ahead[slot] = kept ? twiddles[slot] : twiddles.derivation(slot);
    }
  }

  template <unsigned kRound, class Shared>
  static NTTF_HD void fetch_rounds(const PassTile<T>& tile, const typename T::Args& args, const Word* table,
                                   Shared& shared) {
    if constexpr (kRound < T::kRounds.count) {
      if constexpr (T::fetched(kRound)) fetch_round<kRound>(tile, args, table, shared);
      fetch_rounds<kRound + 1>(tile, args, table, shared);
    }
  }
  template <unsigned kRound, class Shared>
  static NTTF_HD void fetch_round(const PassTile<T>& tile, const typename T::Args& args, const Word* table,
                                  Shared& shared) {
    constexpr unsigned kFirst = T::kRounds.first[kRound], kLocal = T::local_first(kRound);
    constexpr unsigned kSlots = T::slots(kRound), kCount = kSlots << kLocal;
    constexpr unsigned kTurns = (kCount + T::kThreads - 1) / T::kThreads;
    constexpr std::uint32_t kKept = T::kept_slots(kRound);
    const unsigned stage = first_stage_of<T>(args) + kFirst;
    const unsigned group = (tile.high << kFirst) + (tile.rank << kLocal);
    const unsigned first = (1u << stage) + (T::slot_major(kRound) ? group : group * kSlots);
    NTTF_GPU_UNROLL
    for (unsigned turn = 0; turn < kTurns; ++turn) {
      const unsigned i = turn * T::kThreads + tile.thread;
      const unsigned from = T::slot_major(kRound) ? ((i >> kLocal) << stage) + (i & ((1u << kLocal) - 1)) : i;
      if (T::slot_major(kRound) && (kKept >> turn & 1) == 0) {  // turns are slots here
        if (tile.thread == 0) {
          shared.template fetch<Twiddle>((turn + 1) << kLocal,
                                         table + (std::size_t{turn + 1} << stage) * T::Arith::kEntryWords);
        }
      } else if (kCount % T::kThreads == 0 || i < kCount) {
        shared.template fetch<Twiddle>((1u << kLocal) + i,
                                       table + std::size_t{first + from} * T::Arith::kEntryWords);
      }
    }
  }
};

}  // namespace nttforge::cuda
