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

#include "nttforge/ntt/pass_walk.hpp"
#include "nttforge/ntt/stage_registers.hpp"

namespace nttforge {

/// codelets: how many are in flight.
template <class Butterfly, unsigned radix_log, int codelets, int batch>
class StageCodelets : public StageRegisters<Butterfly, batch> {
  using Registers = StageRegisters<Butterfly, batch>;

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
  using Walk = PassWalk<Butterfly, kLanesLog, radix_log, 2 * kLanesLog>;

  static void forward_codelets(const Walk& walk, const Constants& c, Word* out, std::size_t first,
                               std::size_t count) {
    for (std::size_t i = first; i < first + count; i += codelets) {
      forward_codelet<codelets>(walk, c, out, i);
    }
  }
  static void inverse_codelets(const Walk& walk, const Constants& c, const Word* in, Word* out,
                               std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; i += codelets) {
      inverse_codelet<codelets>(walk, c, in, out, i);
    }
  }

 protected:
  using typename Registers::CodeletRole;
  using typename Registers::CodeletSign;
  using typename Registers::Kind;
  using typename Registers::LanesRole;
  using typename Registers::None;
  using typename Registers::Twiddles;

 private:
  static constexpr int kRows = 1 << kLanesLog;
  static constexpr std::size_t kPoints = kLanes * kLanes;

  static NTTF_KERNEL auto scalars(const Walk& walk, std::size_t first) {
    return typename Twiddles::template Scalars<kLanes - 1>{walk.scalars(walk.end(), kLanesLog, first)};
  }
  /// Those of lanes, by codelet.
  static NTTF_KERNEL const Word* lane_table(const Walk& walk, std::size_t first) {
    return walk.table + 2 * kLanes * (kLanes - 1) * first;
  }

  /// Codelets [first, first + interleaved) of L x L points each.
  template <int interleaved>
  static NTTF_KERNEL void forward_codelet(const Walk& walk, const Constants& c, Word* out,
                                          std::size_t first) {
    Word* const x = out + first * kPoints;
    V r[kRows][interleaved];
    load_rows<Lanes>(r, x, kLanes, kPoints);
    Registers::template forward_stages<kLanesLog, interleaved, false>(r, scalars(walk, first), Step::reduce,
                                                                      None{}, c);
    if constexpr (kExchanged) {
      forward_lanes(r, walk, first, c);
    } else {
      transpose_rows<Lanes>(r);
      Registers::template forward_stages<kLanesLog, interleaved, true>(
          r, typename Twiddles::Vectors{lane_table(walk, first)}, Step::reduce, CodeletSign{first}, c);
      transpose_rows<Lanes>(r);
    }
    store_rows<Lanes>(r, x, kLanes, kPoints);
  }

  template <int interleaved>
  static NTTF_KERNEL void inverse_codelet(const Walk& walk, const Constants& c, const Word* in, Word* out,
                                          std::size_t first) {
    const Twiddle none{};
    V r[kRows][interleaved];
    load_rows<Lanes>(r, in + first * kPoints, kLanes, kPoints);
    each_vector(r, [](const V& v) NTTF_LAMBDA_INLINE { return Butterfly::enter(v); });
    if constexpr (kExchanged) {
      inverse_lanes(r, walk, first, c);
    } else {
      transpose_rows<Lanes>(r);
      Registers::template inverse_stages<kLanesLog, interleaved, false>(
          r, typename Twiddles::Vectors{lane_table(walk, first)}, none, Step::first, LanesRole{0}, c);
      transpose_rows<Lanes>(r);
    }
    Registers::template inverse_stages<kLanesLog, interleaved, false>(r, scalars(walk, first), none,
                                                                      Step::keep, CodeletRole{first}, c);
    store_rows<Lanes>(r, out + first * kPoints, kLanes, kPoints);
  }

  using Repeated = typename Twiddles::Repeated;

  /// The stage between points 2^(log L - 1 - s) apart, on vectors j and j + L/2.
  template <int columns, Kind kind, class Context>
  static NTTF_KERNEL void lane_stage(V (&r)[kLanes][columns], unsigned s, const Repeated& source, Step step,
                                     const Context& context, const Constants& c) {
    each_batch<batch, Twiddle>(
        r, 0, [&](const Site& at) NTTF_LAMBDA_INLINE { return source(s, at.row, at.column); },
        [&](auto& x, auto& y, const auto& w, auto& sites) NTTF_LAMBDA_INLINE {
          NTTF_UNROLL for (auto& site : sites) site.group = site.row;
          Registers::template butterflies<kind>(x, y, w, Twiddle{}, sites, 0, step, context, c);
        });
  }

  template <bool inverted, int columns>
  static NTTF_KERNEL void exchange(V (&r)[kLanes][columns], unsigned step) {
    NTTF_UNROLL for (std::size_t j = 0; j < kLanes / 2; ++j) {
      NTTF_UNROLL for (int g = 0; g < columns; ++g) {
        Lanes::template exchange<inverted>(r[j][g], r[j + kLanes / 2][g], step);
      }
    }
  }

  template <int columns>
  static NTTF_KERNEL void forward_lanes(V (&r)[kLanes][columns], const Walk& walk, std::size_t first,
                                        const Constants& c) {
    const Repeated source{lane_table(walk, first)};
    NTTF_UNROLL for (unsigned s = 0; s + 1 < kLanesLog; ++s) {
      exchange<false>(r, s);
      lane_stage<columns, Kind::forward>(r, s, source, Registers::forward_step(s), None{}, c);
    }
    exchange<false>(r, kLanesLog - 1);
    lane_stage<columns, Kind::forward_last>(r, kLanesLog - 1, source, Registers::forward_step(kLanesLog - 1),
                                            CodeletSign{first}, c);
    exchange<false>(r, kLanesLog);
  }

  template <int columns>
  static NTTF_KERNEL void inverse_lanes(V (&r)[kLanes][columns], const Walk& walk, std::size_t first,
                                        const Constants& c) {
    const Repeated source{lane_table(walk, first)};
    exchange<true>(r, kLanesLog);
    NTTF_UNROLL for (unsigned s = kLanesLog - 1; s > 0; --s) {
      const Step step = (kLanesLog - s) % 2 == 0 ? Step::reduce
                        : s == kLanesLog - 1     ? Step::first
                                                 : Step::keep;
      lane_stage<columns, Kind::inverse>(r, s, source, step, LanesRole{s}, c);
      exchange<true>(r, s);
    }
    lane_stage<columns, Kind::inverse>(r, 0, source, Step::reduce, None{}, c);
    exchange<true>(r, 0);
  }
};

}  // namespace nttforge
