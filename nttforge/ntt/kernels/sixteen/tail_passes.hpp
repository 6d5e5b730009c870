// SPDX-License-Identifier: Apache-2.0
#pragma once

// Passes for cores with sixteen vector registers or scalar ones; stage_run.hpp says in which order they go
// over memory, stage_loops.hpp is the counterpart for thirty-two registers.
//
// Such a core holds few points, and looks ahead less than a codelet of L x L points is long. So stages are
// done in short loops:
//
//   passes   all but the last log L stages, radix_log of them per pass (what is left over first). The rows of
//            the last pass are single vectors; `together` groups are in flight there
//   tail     the last log L stages (tail.hpp): L x L points transposed, stages between vectors,
//            transposed back, full reduction
//
// One lane (L = 1) has no tail; its last pass reduces. The inverse runs the same steps backwards; its last
// pass multiplies by 1/n and reduces.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "nttforge/ntt/kernels.hpp"
#include "nttforge/ntt/kernels/sixteen/tail_products.hpp"

namespace nttforge {

template <class Butterfly, TailShape shape>
class TailPasses : public TailProducts<Butterfly, shape> {
  using Tail = TailProducts<Butterfly, shape>;

 public:
  using Tail::kLanes;
  using Tail::kLanesLog;
  using Tail::kTailLog;
  using Tail::kTogether;
  using typename Tail::Constants;
  using typename Tail::Lanes;
  using typename Tail::Product;
  using typename Tail::Twiddle;
  using typename Tail::V;
  using typename Tail::Walk;
  using typename Tail::Word;
  static constexpr unsigned kRadixLog = shape.radix_log;
  static constexpr unsigned kLogBlock = shape.log_block;
  static constexpr std::size_t kColumnWords = kLanes * static_cast<std::size_t>(shape.columns);
  /// Points of the smallest tail beyond one vector per row, as logarithm: what a block keeps.
  static constexpr unsigned kKeptLog =
      static_cast<unsigned>(std::countr_zero(unsigned(kTogether))) + kLanesLog;
  /// And a pass for 1/n.
  static constexpr unsigned kMinLogN = kTailLog + kKeptLog + (kKeptLog == 0 ? 1 : 0);
  static constexpr unsigned kLongAbove = 0, kQuotientsFrom = 0;
  static constexpr bool kHasTail = true;
  static constexpr bool kMultipliesValues = false;  ///< by its parts a product takes 1 % less
  static constexpr bool kSigned = false;
  static constexpr LaneTwiddles kLaneTwiddles =
      vectors_of_values<Butterfly> ? LaneTwiddles::vectors_of_values : LaneTwiddles::vectors;

 private:
  using Tail::kReducesAlways;
  using typename Tail::Entry;
  using typename Tail::Kind;
  using typename Tail::Twiddles;

  /// `table`: the twiddles of the area's first group.
  template <unsigned log, Kind kind, Entry entry, int columns>
  static NTTF_KERNEL void pass(const Word* table, const Constants constants, const Twiddle scale,
                               const Area<Word> area) {
    constexpr int kRows = 1 << log;
    const Constants c = constants;
    for (std::size_t group = 0; group < area.groups; ++group) {
      const auto twiddles = Twiddles::template hold<kRows - 1>(table);
      table += 2 * (kRows - 1);
      const Word* in = area.in + group * area.place.group;
      Word* out = area.out + group * area.place.group;
      for (std::size_t chunk = 0; chunk < area.chunks; ++chunk) {
        for (std::size_t k = 0; k < area.columns; k += columns * kLanes) {
          V r[kRows][columns];
          load_rows<Lanes>(r, in + k, area.place.row, kLanes);
          if constexpr (entry == Entry::reduced) Tail::enter(r, c);
          if constexpr (entry == Entry::lazy) Tail::enter(r);
          Tail::template stages<log, columns, kind>(r, twiddles, scale, c);
          store_rows<Lanes>(r, out + k, area.place.row, kLanes);
        }
        in += area.place.chunk;
        out += area.place.chunk;
      }
    }
  }

  /// Runs the pass whose rows are single vectors, kTogether groups at once, in place.
  template <unsigned log, Kind kind>
  static NTTF_KERNEL void vector_pass(const Word* table, const Constants constants, const Area<Word> area) {
    constexpr int kRows = 1 << log;
    const Constants c = constants;
    for (std::size_t group = 0; group < area.groups; group += kTogether) {
      V r[kRows][kTogether];
      load_rows<Lanes>(r, area.in + group * area.place.group, kLanes, kRows * kLanes);
      Tail::template stages<log, kTogether, kind>(r, typename Twiddles::template Scalars<kRows - 1>{table},
                                                  Twiddle{}, c);
      store_rows<Lanes>(r, area.out + group * area.place.group, kLanes, kRows * kLanes);
      table += 2 * (kRows - 1) * kTogether;
    }
  }

  template <unsigned log, Kind kind, Entry entry>
  static NTTF_KERNEL void pass(const Word* table, const Constants& c, const Twiddle& scale,
                               const Area<Word>& area) {
    if constexpr (shape.stagewise && (entry != Entry::none || kind == Kind::inverse_last)) {
      if (area.columns % Tail::kStripWords == 0) {
        return Tail::template strip_pass<log, kind, entry>(table, c, scale, area);
      }
    }
    if (kLanesLog != 0 && entry == Entry::none && kind != Kind::inverse_last && area.columns == kLanes &&
        area.groups % kTogether == 0) {
      if constexpr (kLanesLog != 0 && kind != Kind::inverse_last) vector_pass<log, kind>(table, c, area);
    } else if (area.columns % kColumnWords == 0) {
      pass<log, kind, entry, shape.columns>(table, c, scale, area);
    } else {
      pass<log, kind, entry, 1>(table, c, scale, area);
    }
  }

  template <unsigned log>
  static void forward_pass_of(const Walk& walk, const Word* table, const Constants& c, const Area<Word>& area,
                              unsigned log_m) {
    const Twiddle none{};
    if (Butterfly::kConverts && log_m == 0) {
      if constexpr (Butterfly::kConverts) {
        if (walk.lazy_input) return pass<log, Kind::reduce, Entry::lazy>(table, c, none, area);
        pass<log, Kind::keep, Entry::reduced>(table, c, none, area);
      }
    } else if (kReducesAlways || !Tail::reduces_in(walk, log_m, log)) {
      pass<log, Kind::keep, Entry::none>(table, c, none, area);
    } else {
      if constexpr (!kReducesAlways && log == kRadixLog)
        pass<log, Kind::reduce, Entry::none>(table, c, none, area);
    }
  }

  template <unsigned log>
  static void inverse_pass_of(const Word* table, const Constants& c, const Twiddle& scale,
                              const Area<Word>& area, unsigned log_m) {
    if (log_m == 0) {
      pass<log, Kind::inverse_last, Entry::none>(table, c, scale, area);
    } else if constexpr (log == kRadixLog) {
      pass<log, Kind::inverse, Entry::none>(table, c, scale, area);
    }
  }

 public:
  static void forward_pass(const Walk& walk, const Constants& c, const Area<Word>& area, unsigned log_m,
                           std::size_t group) {
    const unsigned log = walk.step(log_m);
    const Word* const table = walk.scalars(log_m, log, group);
    if (log == kRadixLog) return forward_pass_of<kRadixLog>(walk, table, c, area, log_m);
    if constexpr (kRadixLog > 1) {
      if (log == 1) return forward_pass_of<1>(walk, table, c, area, log_m);
    }
    if constexpr (kRadixLog > 2) {
      if (log == 2) return forward_pass_of<2>(walk, table, c, area, log_m);
    }
    if constexpr (kRadixLog > 3) forward_pass_of<3>(walk, table, c, area, log_m);
  }

  static void inverse_pass(const Walk& walk, const Constants& c, const Twiddle& scale, const Area<Word>& area,
                           unsigned log_m, std::size_t group) {
    const unsigned log = log_m == 0 && walk.odd() != 0 ? walk.odd() : kRadixLog;
    const Word* const table = walk.scalars(log_m, log, group);
    if (log == kRadixLog) return inverse_pass_of<kRadixLog>(table, c, scale, area, log_m);
    if constexpr (kRadixLog > 1) {
      if (log == 1) return inverse_pass_of<1>(table, c, scale, area, log_m);
    }
    if constexpr (kRadixLog > 2) {
      if (log == 2) return inverse_pass_of<2>(table, c, scale, area, log_m);
    }
    if constexpr (kRadixLog > 3) inverse_pass_of<3>(table, c, scale, area, log_m);
  }
};

}  // namespace nttforge
