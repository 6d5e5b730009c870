// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stages in registers, for thirty-two of them: the butterflies of one stage after the other over rows of
// vectors (register_rows.hpp), `batch` of them handed to Butterfly at once, and what rows carry from stage to
// stage besides their values.

#include <bit>
#include <cstddef>

#include "nttforge/ntt/kernels/butterflies.hpp"
#include "nttforge/ntt/kernels/register_rows.hpp"
#include "nttforge/ntt/kernels/thirty_two/lane_exchange.hpp"

namespace nttforge {

enum class StageKind { forward, forward_last, inverse, inverse_last };

/// What decides signs and roles of rows if Butterfly::kSigned: before the last forward stage the sign of each
/// column, after the last inverse stage of a pass the role of each column in the next. Nothing decides ...
struct NoGroup {};
/// ... or the group of the column: one for all columns, or one after the other ...
struct ColumnGroups {
  std::size_t first;
  bool alike;
  NTTF_KERNEL std::size_t operator()(int column) const {
    return alike ? first : first + static_cast<std::size_t>(column);
  }
  template <class Butterfly>
  NTTF_KERNEL auto role(int column) const {
    return Butterfly::role_of_group((*this)(column));
  }
};
/// ... or a bit of the lane's number.
struct LaneGroups {
  unsigned bit;
  template <class Butterfly>
  NTTF_KERNEL auto role(int) const {
    return Butterfly::role_of_lanes(bit);
  }
};

/// The butterflies of one batch, of stage s.
template <class Butterfly, StageKind kind, int K, class V, class Twiddle, class Groups, class Constants>
NTTF_KERNEL void butterflies(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Twiddle& scale,
                             const Site (&sites)[K], unsigned s, Step step, const Groups& groups,
                             const Constants& c) {
  if constexpr (kind == StageKind::inverse_last) {
    Twiddle scales[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) scales[i] = scale;
    Butterfly::inverse_last(x, y, w, scales, c);
  } else if constexpr (kind == StageKind::forward) {
    Butterfly::forward(x, y, w, c, step);
  } else if constexpr (!Butterfly::kSigned && kind == StageKind::inverse) {
    Butterfly::inverse(x, y, w, c, step);
  } else if constexpr (!Butterfly::kSigned) {
    Butterfly::forward_last(x, y, w, c);
  } else if constexpr (kind == StageKind::inverse) {
    typename Butterfly::Role roles[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) {
      roles[i] = Butterfly::role(c, sites[i].group % 2 != 0);
      if constexpr (requires { groups.template role<Butterfly>(0); }) {
        if (s == 0) roles[i] = groups.template role<Butterfly>(sites[i].column);
      }
    }
    Butterfly::inverse(x, y, w, roles, c, step);
  } else {
    unsigned negated[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) {
      const int ones = std::popcount(groups(sites[i].column)) + std::popcount(unsigned(sites[i].group));
      negated[i] = static_cast<unsigned>(ones) % 2;
    }
    Butterfly::forward_last(x, y, w, negated, c);
  }
}

template <class Butterfly, int batch, StageKind kind, int rows, int columns, class V, class Source,
          class Twiddle, class Groups, class Constants>
NTTF_KERNEL void stage(V (&r)[rows][columns], unsigned s, const Source& source, const Twiddle& scale,
                       Step step, const Groups& groups, const Constants& c) {
  each_batch<batch, Batches::along>(
      r, s, [&](const Site& at) NTTF_LAMBDA_INLINE { return source((1 << s) - 1 + at.group, at.column); },
      [&](auto& x, auto& y, const auto& w, const auto& sites)
          NTTF_LAMBDA_INLINE { butterflies<Butterfly, kind>(x, y, w, scale, sites, s, step, groups, c); });
}

/// The step of stage s of those that a pass merges.
template <class Butterfly>
NTTF_KERNEL constexpr Step forward_step(unsigned s) {
  return s % (Butterfly::kKept + 1) == 0 ? Step::reduce : Step::keep;
}

/// `last`: the transform ends here, with words in [0, q).
template <class Butterfly, int batch, bool last, int rows, int columns, class V, class Source, class Groups,
          class Constants>
NTTF_KERNEL void forward_stages(V (&r)[rows][columns], const Source& source, Step first, const Groups& groups,
                                const Constants& c) {
  constexpr auto kLog = static_cast<unsigned>(std::countr_zero(unsigned{rows}));
  const typename Butterfly::Twiddle none{};
  NTTF_UNROLL for (unsigned s = 0; s + 1 < kLog; ++s) {
    stage<Butterfly, batch, StageKind::forward>(r, s, source, none,
                                                s == 0 ? first : forward_step<Butterfly>(s), groups, c);
  }
  stage<Butterfly, batch, last ? StageKind::forward_last : StageKind::forward>(
      r, kLog - 1, source, none, kLog == 1 ? first : forward_step<Butterfly>(kLog - 1), groups, c);
}
/// Values are reduced in every second stage and in the last one.
template <class Butterfly, int batch, bool last, int rows, int columns, class V, class Source, class Twiddle,
          class Groups, class Constants>
NTTF_KERNEL void inverse_stages(V (&r)[rows][columns], const Source& source, const Twiddle& scale, Step first,
                                const Groups& groups, const Constants& c) {
  constexpr auto kLog = static_cast<unsigned>(std::countr_zero(unsigned{rows}));
  NTTF_UNROLL for (unsigned s = kLog - 1; s > 0; --s) {
    const Step step = (kLog - s) % 2 == 0 ? Step::reduce : s == kLog - 1 ? first : Step::keep;
    stage<Butterfly, batch, StageKind::inverse>(r, s, source, scale, step, groups, c);
  }
  stage<Butterfly, batch, last ? StageKind::inverse_last : StageKind::inverse>(r, 0, source, scale,
                                                                               Step::reduce, groups, c);
}

/// The stage between points 2^(log L - 1 - s) apart, on vectors j and j + L/2, once the lanes have been
/// exchanged (lane_exchange.hpp).
template <class Butterfly, int batch, StageKind kind, int rows, int columns, class V, class Source,
          class Groups, class Constants>
NTTF_KERNEL void lane_stage(V (&r)[rows][columns], unsigned s, const Source& source, Step step,
                            const Groups& groups, const Constants& c) {
  using Twiddle = typename Butterfly::Twiddle;
  each_batch<batch, Batches::along>(
      r, 0, [&](const Site& at) NTTF_LAMBDA_INLINE { return source(s, at.row, at.column); },
      [&](auto& x, auto& y, const auto& w, auto& sites) NTTF_LAMBDA_INLINE {
        NTTF_UNROLL for (auto& site : sites) site.group = site.row;
        butterflies<Butterfly, kind>(x, y, w, Twiddle{}, sites, 0, step, groups, c);
      });
}

/// Exchanges lanes of all pairs of rows; the row bit that changes places is worth `distance`.
template <class Lanes, bool inverted, int rows, int columns, class V>
NTTF_KERNEL void exchange_rows(V (&r)[rows][columns], unsigned step, int distance = rows / 2) {
  NTTF_UNROLL for (int j = 0; j < rows / 2; ++j) {
    const int row = j / distance * 2 * distance + j % distance;
    NTTF_UNROLL for (int g = 0; g < columns; ++g)
        Lanes::template exchange<inverted>(r[row][g], r[row + distance][g], step);
  }
}

/// The stages between lanes but the last `log`, whose lane bits then have become the highest row bits:
/// coefficient i of 2^log is in vectors i L / 2^log and following.
template <class Butterfly, int batch, unsigned log, int rows, int columns, class V, class Source,
          class Constants>
NTTF_KERNEL void forward_to_blocks(V (&r)[rows][columns], const Source& source, const Constants& c) {
  using Lanes = typename Butterfly::Lanes;
  constexpr auto kLog = static_cast<unsigned>(std::countr_zero(unsigned{rows}));
  NTTF_UNROLL for (unsigned s = 0; s + log < kLog; ++s) {
    exchange_rows<Lanes, false>(r, s);
    lane_stage<Butterfly, batch, StageKind::forward>(r, s, source, forward_step<Butterfly>(s), NoGroup{}, c);
  }
  NTTF_UNROLL for (unsigned i = 0; i < log; ++i)
      exchange_rows<Lanes, false>(r, kLog - log + i, (rows / 2) >> i);
}
/// All but the first `log` of the inverse's stages between lanes.
template <class Butterfly, int batch, unsigned log, int rows, int columns, class V, class Source,
          class Constants>
NTTF_KERNEL void inverse_from_blocks(V (&r)[rows][columns], const Source& source, const Constants& c) {
  using Lanes = typename Butterfly::Lanes;
  constexpr auto kLog = static_cast<unsigned>(std::countr_zero(unsigned{rows}));
  NTTF_UNROLL for (unsigned i = log; i > 0; --i) exchange_rows<Lanes, true>(r, kLog - log + i - 1, rows >> i);
  NTTF_UNROLL for (unsigned s = kLog - 1 - log; s > 0; --s) {
    const Step step = (kLog - s) % 2 == 0 ? Step::reduce : Step::keep;
    lane_stage<Butterfly, batch, StageKind::inverse>(r, s, source, step, LaneGroups{s}, c);
    exchange_rows<Lanes, true>(r, s);
  }
  lane_stage<Butterfly, batch, StageKind::inverse>(r, 0, source, Step::reduce, NoGroup{}, c);
  exchange_rows<Lanes, true>(r, 0);
}

}  // namespace nttforge
