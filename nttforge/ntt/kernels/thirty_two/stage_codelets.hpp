// SPDX-License-Identifier: Apache-2.0
#pragma once

// Codelets: the last 2 log L stages on L x L points in registers, for thirty-two of them: log L stages
// between vectors, log L stages between points of a vector, full reduction (fused). Two ways for the latter:
//
//   transposed  lane g of vector i = point i of row g; stages over i, one twiddle per lane; transpose back.
//               2 log L shuffles a vector
//   exchanged   (lanes that have `exchange`) before each stage the highest lane bit not yet done changes
//               places with the highest row bit; lane_exchange.hpp. log L + 1 shuffles a vector, and spread
//               between the stages

#include <cstddef>

#include "nttforge/ntt/kernels/thirty_two/pass_walk.hpp"
#include "nttforge/ntt/kernels/thirty_two/stage_registers.hpp"
#include "nttforge/ntt/kernels/thirty_two/stage_shape.hpp"

namespace nttforge {

template <class Butterfly, StageShape shape>
class StageCodelets : public StageRegisters<Butterfly, shape.batch> {
  using Registers = StageRegisters<Butterfly, shape.batch>;

 public:
  using Registers::kExchanged;
  using Registers::kLanes;
  using Registers::kLanesLog;
  using Registers::kSigned;
  using typename Registers::Constants;
  using typename Registers::Lanes;
  using typename Registers::Twiddle;
  using typename Registers::V;
  using typename Registers::Word;
  using Walk = PassWalk<Butterfly, WalkShape{.log_lanes = kLanesLog,
                                             .radix_log = shape.radix_log,
                                             .tail_log = 2 * kLanesLog,
                                             .long_above = shape.long_above(),
                                             .quotients_from = shape.quotients_from}>;

  static void forward_codelets(const Walk& walk, const Constants& c, Word* out, std::size_t first,
                               std::size_t count) {
    with_lanes(walk, [&](const auto& lanes) { forward_all(walk, lanes, c, out, first, count); });
  }
  static void inverse_codelets(const Walk& walk, const Constants& c, const Word* in, Word* out,
                               std::size_t first, std::size_t count) {
    with_lanes(walk, [&](const auto& lanes) {
      if constexpr (sizeof(Word) == 8) {
        if (walk.lazy_input) return inverse_all<true>(walk, lanes, c, in, out, first, count);
      }
      inverse_all<false>(walk, lanes, c, in, out, first, count);
    });
  }

 protected:
  using typename Registers::CodeletRole;
  using typename Registers::CodeletSign;
  using typename Registers::Kind;
  using typename Registers::LanesRole;
  using typename Registers::None;
  using typename Registers::Twiddles;
  static constexpr int kCodelets = shape.codelets;  ///< side by side
  static constexpr int kRows = 1 << kLanesLog;
  static constexpr std::size_t kPoints = kLanes * kLanes;

  static NTTF_KERNEL auto scalars(const Walk& walk, std::size_t first) {
    return typename Twiddles::template Scalars<kLanes - 1>{walk.scalars(walk.end(), kLanesLog, first)};
  }
  /// body(how the table holds the twiddles of lanes).
  template <class Body>
  static NTTF_KERNEL void with_lanes(const Walk& walk, const Body& body) {
    if constexpr (Walk::kQuotientsFrom != 0) {
      if (walk.quotients_alone()) return body(LaneQuotients{});
    }
    body(LaneEntries{});
  }

  /// block: 0 for values, else log2 of the coefficients of blocks (stage_products.hpp). lazy: values in [0,
  /// 2q).
  template <int interleaved, unsigned block, bool lazy = false, class LaneTwiddles>
  static NTTF_KERNEL void inverse_codelet(const Walk& walk, const LaneTwiddles& lanes, const Constants& c,
                                          const Word* in, Word* out, std::size_t first) {
    const Twiddle none{};
    V r[kRows][interleaved];
    load_rows<Lanes>(r, in + first * kPoints, kLanes, kPoints);
    if constexpr (block != 0) {
      inverse_from_blocks<block>(r, lanes(walk, c, first), c);
    } else {
      each_vector(r, [&](const V& v) NTTF_LAMBDA_INLINE {
        if constexpr (lazy) {
          return Butterfly::enter_lazy(v, c);
        } else {
          return Butterfly::enter(v);
        }
      });
      if constexpr (kExchanged) {
        inverse_lanes(r, lanes(walk, c, first), c);
      } else {
        transpose_rows<Lanes>(r);
        Registers::template inverse_stages<kLanesLog, interleaved, false>(
            r, typename Twiddles::Vectors{lane_table(walk, first)}, none, Step::first, LanesRole{0}, c);
        transpose_rows<Lanes>(r);
      }
    }
    Registers::template inverse_stages<kLanesLog, interleaved, false>(r, scalars(walk, first), none,
                                                                      Step::keep, CodeletRole{first}, c);
    store_rows<Lanes>(r, out + first * kPoints, kLanes, kPoints);
  }

  /// All but the last `log` stages, whose lane bits then have become the highest row bits: coefficient i of
  /// 2^log is in vectors i L / 2^log and following.
  template <unsigned log, int columns, class Source>
  static NTTF_KERNEL void forward_to_blocks(V (&r)[kLanes][columns], const Source& source,
                                            const Constants& c) {
    NTTF_UNROLL for (unsigned s = 0; s + log < kLanesLog; ++s) {
      exchange<false>(r, s);
      lane_stage<columns, Kind::forward>(r, s, source, Registers::forward_step(s), None{}, c);
    }
    NTTF_UNROLL for (unsigned i = 0; i < log; ++i) exchange<false>(r, kLanesLog - log + i, (kLanes / 2) >> i);
  }

 private:
  /// The table of lane twiddles, from codelet `first` on.
  static NTTF_KERNEL const Word* lane_table(const Walk& walk, std::size_t first) {
    return walk.table + walk.lane_words() * kLanes * (kLanes - 1) * first;
  }
  struct LaneEntries {
    NTTF_KERNEL auto operator()(const Walk& walk, const Constants&, std::size_t first) const {
      return typename Twiddles::Repeated{lane_table(walk, first)};
    }
  };
  struct LaneQuotients {
    NTTF_KERNEL auto operator()(const Walk& walk, const Constants& c, std::size_t first) const {
      return typename Twiddles::RepeatedQuotients{lane_table(walk, first), c};
    }
  };

  /// Each kind of table has a function of its own: in one, g++ 12 would keep fewer constants in registers.
  template <class LaneTwiddles>
  [[gnu::noinline]] static void forward_all(const Walk& walk, const LaneTwiddles& lanes, const Constants& c,
                                            Word* out, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; i += kCodelets) {
      forward_codelet<kCodelets>(walk, lanes, c, out, i);
    }
  }
  template <bool lazy, class LaneTwiddles>
  [[gnu::noinline]] static void inverse_all(const Walk& walk, const LaneTwiddles& lanes, const Constants& c,
                                            const Word* in, Word* out, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; i += kCodelets) {
      inverse_codelet<kCodelets, 0, lazy>(walk, lanes, c, in, out, i);
    }
  }

  /// Codelets [first, first + interleaved) of L x L points each.
  template <int interleaved, class LaneTwiddles>
  static NTTF_KERNEL void forward_codelet(const Walk& walk, const LaneTwiddles& lanes, const Constants& c,
                                          Word* out, std::size_t first) {
    Word* const x = out + first * kPoints;
    V r[kRows][interleaved];
    load_rows<Lanes>(r, x, kLanes, kPoints);
    Registers::template forward_stages<kLanesLog, interleaved, false>(r, scalars(walk, first), Step::reduce,
                                                                      None{}, c);
    if constexpr (kExchanged) {
      forward_lanes(r, lanes(walk, c, first), first, c);
    } else {
      transpose_rows<Lanes>(r);
      Registers::template forward_stages<kLanesLog, interleaved, true>(
          r, typename Twiddles::Vectors{lane_table(walk, first)}, Step::reduce, CodeletSign{first}, c);
      transpose_rows<Lanes>(r);
    }
    store_rows<Lanes>(r, x, kLanes, kPoints);
  }

  /// The stage between points 2^(log L - 1 - s) apart, on vectors j and j + L/2.
  template <int columns, Kind kind, class Source, class Context>
  static NTTF_KERNEL void lane_stage(V (&r)[kLanes][columns], unsigned s, const Source& source, Step step,
                                     const Context& context, const Constants& c) {
    each_batch<shape.batch, Twiddle, Batches::along>(
        r, 0, [&](const Site& at) NTTF_LAMBDA_INLINE { return source(s, at.row, at.column); },
        [&](auto& x, auto& y, const auto& w, auto& sites) NTTF_LAMBDA_INLINE {
          NTTF_UNROLL for (auto& site : sites) site.group = site.row;
          Registers::template butterflies<kind>(x, y, w, Twiddle{}, sites, 0, step, context, c);
        });
  }

  /// The row bit that changes places is worth `distance`.
  template <bool inverted, int columns>
  static NTTF_KERNEL void exchange(V (&r)[kLanes][columns], unsigned step,
                                   std::size_t distance = kLanes / 2) {
    NTTF_UNROLL for (std::size_t j = 0; j < kLanes / 2; ++j) {
      const std::size_t row = j / distance * 2 * distance + j % distance;
      NTTF_UNROLL for (int g = 0; g < columns; ++g) {
        Lanes::template exchange<inverted>(r[row][g], r[row + distance][g], step);
      }
    }
  }

  template <int columns, class Source>
  static NTTF_KERNEL void forward_lanes(V (&r)[kLanes][columns], const Source& source, std::size_t first,
                                        const Constants& c) {
    forward_to_blocks<1>(r, source, c);
    lane_stage<columns, Kind::forward_last>(r, kLanesLog - 1, source, Registers::forward_step(kLanesLog - 1),
                                            CodeletSign{first}, c);
    exchange<false>(r, kLanesLog);
  }

  template <int columns, class Source>
  static NTTF_KERNEL void inverse_lanes(V (&r)[kLanes][columns], const Source& source, const Constants& c) {
    constexpr unsigned kLast = kLanesLog - 1;
    exchange<true>(r, kLanesLog);
    lane_stage<columns, Kind::inverse>(r, kLast, source, Step::first, LanesRole{kLast}, c);
    inverse_from_blocks<1>(r, source, c);
  }
  /// All but the first `log` of the inverse's stages.
  template <unsigned log, int columns, class Source>
  static NTTF_KERNEL void inverse_from_blocks(V (&r)[kLanes][columns], const Source& source,
                                              const Constants& c) {
    NTTF_UNROLL for (unsigned i = log; i > 0; --i) exchange<true>(r, kLanesLog - log + i - 1, kLanes >> i);
    NTTF_UNROLL for (unsigned s = kLanesLog - 1 - log; s > 0; --s) {
      const Step step = (kLanesLog - s) % 2 == 0 ? Step::reduce : Step::keep;
      lane_stage<columns, Kind::inverse>(r, s, source, step, LanesRole{s}, c);
      exchange<true>(r, s);
    }
    lane_stage<columns, Kind::inverse>(r, 0, source, Step::reduce, None{}, c);
    exchange<true>(r, 0);
  }
};

}  // namespace nttforge
