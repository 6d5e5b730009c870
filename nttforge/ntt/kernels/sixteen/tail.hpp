// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tail of a transform for sixteen registers: the last log L stages, on L x L points in registers, between
// two transpositions, so that stages are between vectors.

#include <algorithm>
#include <cstddef>

#include "nttforge/ntt/kernels/sixteen/strip_passes.hpp"
#include "nttforge/ntt/kernels/thirty_two/pass_walk.hpp"

namespace nttforge {

template <class Butterfly, TailShape shape>
class TailStages : public StripPasses<Butterfly, shape> {
  using Registers = StripPasses<Butterfly, shape>;

 public:
  using Registers::kLanes;
  using Registers::kLanesLog;
  using typename Registers::Constants;
  using typename Registers::Lanes;
  using typename Registers::Twiddle;
  using typename Registers::V;
  using typename Registers::Word;
  static constexpr int kTogether = shape.together;
  static constexpr unsigned kTailLog = kLanesLog == 0 ? shape.last_log : kLanesLog;

  using Walk =
      PassWalk<Butterfly,
               WalkShape{.log_lanes = kLanesLog, .radix_log = shape.radix_log, .tail_log = kTailLog}>;

  /// The tail of groups [first, first + count), as the last pass leaves them; both multiples of what is
  /// together.
  static void forward_codelets(const Walk& walk, const Constants& constants, Word* out, std::size_t first,
                               std::size_t count) {
    if (!kReducesAlways && reduces_in(walk, walk.end(), growth(kTailLog - Butterfly::kFinalReduces))) {
      forward_tail<Kind::final_reduce>(walk, constants, out, first, count);
    } else {
      forward_tail<Kind::final>(walk, constants, out, first, count);
    }
  }

  static void inverse_codelets(const Walk& walk, const Constants& constants, const Word* in, Word* out,
                               std::size_t first, std::size_t count) {
    if constexpr (Butterfly::kConverts) {
      if (walk.lazy_input) return inverse_tail<Entry::lazy>(walk, constants, in, out, first, count);
    }
    inverse_tail<Entry::reduced>(walk, constants, in, out, first, count);
  }

 protected:
  using Registers::kReducesAlways;
  using typename Registers::Entry;

  template <Entry entry>
  static NTTF_KERNEL void inverse_tail(const Walk& walk, const Constants& constants, const Word* in,
                                       Word* out, std::size_t first, std::size_t count) {
    if constexpr (shape.stagewise) {
      for (std::size_t group = first; group < first + count; group += kPieceGroups) {
        const std::size_t end = std::min(group + kPieceGroups, first + count);
        NTTF_UNROLL for (unsigned i = 0; i < kTailLog; ++i)
            inverse_tail_stage<entry>(walk, constants, in, out, group, end, kTailLog - 1 - i);
      }
      return;
    }
    const Constants c = constants;
    for (std::size_t group = first; group < first + count; group += kTailGroups) {
      V r[kTailRows][kTogether];
      load_squares<Lanes>(r, in + group * kGroupWords);
      enter_values<entry>(r, c);
      Registers::template stages<kTailLog, kTogether, Kind::inverse>(r, tail_twiddles(walk, group), Twiddle{},
                                                                     c);
      store_squares<Lanes>(r, out + group * kGroupWords);
    }
  }

  template <Entry entry, int rows, int columns>
  static NTTF_KERNEL void enter_values(V (&r)[rows][columns], const Constants& c) {
    if constexpr (entry == Entry::lazy) {
      each_vector(r, [&](const V& v) NTTF_LAMBDA_INLINE { return Butterfly::enter_lazy(v, c); });
    } else {
      Registers::enter(r);
    }
  }

  /// How many stages of passes a tail that reduces after `stages` stages counts for (docs/bounds/fp64.md).
  static constexpr unsigned growth(unsigned stages) {
    if constexpr (vectors_of_values<Butterfly>) return Butterfly::kTailGrowth;
    return stages;
  }
  /// Whether forward values must be reduced first in the next `more` stages, log_m stages having been done.
  static bool reduces_in(const Walk& walk, unsigned log_m, unsigned more) {
    unsigned grown = 0;
    for (unsigned at = 0; at < log_m; at += walk.step(at)) {
      grown = grown + walk.step(at) > Butterfly::kForwardStages ? walk.step(at) : grown + walk.step(at);
    }
    return grown + more > Butterfly::kForwardStages;
  }
  using typename Registers::Kind;
  using typename Registers::Twiddles;

  static constexpr int kTailRows = 1 << kTailLog;
  static constexpr std::size_t kGroupWords = kTailRows;  ///< L > 1: one vector; else the tail itself

  static NTTF_KERNEL auto tail_twiddles(const Walk& walk, std::size_t group) {
    if constexpr (kLanesLog == 0) {
      return typename Twiddles::template Scalars<kTailRows - 1>{walk.scalars(walk.end(), kTailLog, group)};
    } else if constexpr (vectors_of_values<Butterfly>) {
      return typename Twiddles::ValueVectors{walk.table + (kLanes - 1) * group};
    } else {
      return typename Twiddles::Vectors{walk.table + 2 * (kLanes - 1) * group};
    }
  }

  static constexpr std::size_t kTailGroups = kLanes * kTogether;

  // The tail as one loop a stage and one for what follows, in pieces that stay in the first-level cache.
  static constexpr std::size_t kPieceGroups = 256;

  template <Kind kind>
  static NTTF_KERNEL void tail_stage(const Walk& walk, const Constants& constants, Word* out,
                                     std::size_t first, std::size_t end, unsigned s) {
    const Constants c = constants;
    for (std::size_t group = first; group < end; group += kTailGroups) {
      V r[kTailRows][kTogether];
      Word* const p = out + group * kGroupWords;
      if (s == 0) {
        load_squares<Lanes>(r, p);
      } else {
        load_rows<Lanes>(r, p, kLanes, kTailRows * kLanes);
      }
      Registers::template stage<kTailLog, kTogether, kind>(r, s, tail_twiddles(walk, group), Twiddle{}, c);
      store_rows<Lanes>(r, p, kLanes, kTailRows * kLanes);
    }
  }

  template <Entry entry>
  static NTTF_KERNEL void inverse_tail_stage(const Walk& walk, const Constants& constants, const Word* in,
                                             Word* out, std::size_t first, std::size_t end, unsigned s) {
    const Constants c = constants;
    for (std::size_t group = first; group < end; group += kTailGroups) {
      V r[kTailRows][kTogether];
      Word* const p = out + group * kGroupWords;
      if (s == kTailLog - 1) {
        load_squares<Lanes>(r, in + group * kGroupWords);
        enter_values<entry>(r, c);
      } else {
        load_rows<Lanes>(r, p, kLanes, kTailRows * kLanes);
      }
      Registers::template stage<kTailLog, kTogether, Kind::inverse>(r, s, tail_twiddles(walk, group),
                                                                    Twiddle{}, c);
      if (s > 0) {
        store_rows<Lanes>(r, p, kLanes, kTailRows * kLanes);
      } else {
        store_squares<Lanes>(r, p);
      }
    }
  }

 private:
  static NTTF_KERNEL void reduce_squares(const Constants& constants, Word* out, std::size_t first,
                                         std::size_t end) {
    const Constants c = constants;
    for (std::size_t group = first; group < end; group += kTailGroups) {
      V r[kTailRows][kTogether];
      Word* const p = out + group * kGroupWords;
      load_rows<Lanes>(r, p, kLanes, kTailRows * kLanes);
      each_vector(r, [&](const V& v) NTTF_LAMBDA_INLINE { return Butterfly::reduce_forward(v, c); });
      store_squares<Lanes>(r, p);
    }
  }

  template <Kind kind>
  static void forward_tail(const Walk& walk, const Constants& constants, Word* out, std::size_t first,
                           std::size_t count) {
    if constexpr (shape.stagewise) {
      for (std::size_t group = first; group < first + count; group += kPieceGroups) {
        const std::size_t end = std::min(group + kPieceGroups, first + count);
        NTTF_UNROLL for (unsigned s = 0; s < kTailLog; ++s)
            tail_stage<kind>(walk, constants, out, group, end, s);
        reduce_squares(constants, out, group, end);
      }
      return;
    }
    const Constants c = constants;
    for (std::size_t group = first; group < first + count; group += kTailGroups) {
      V r[kTailRows][kTogether];
      load_squares<Lanes>(r, out + group * kGroupWords);
      Registers::template stages<kTailLog, kTogether, kind>(r, tail_twiddles(walk, group), Twiddle{}, c);
      each_vector(r, [&](const V& v) NTTF_LAMBDA_INLINE { return Butterfly::reduce_forward(v, c); });
      store_squares<Lanes>(r, out + group * kGroupWords);
    }
  }
};

}  // namespace nttforge
