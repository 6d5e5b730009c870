// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stages in registers, for sixteen vector registers or scalar ones: which x each butterfly reduces is decided
// stage by stage and row by row (sparse_butterflies.hpp).

#include <bit>
#include <cstddef>

#include "nttforge/ntt/kernels/register_rows.hpp"
#include "nttforge/ntt/kernels/sixteen/sparse_butterflies.hpp"

namespace nttforge {

struct TailShape {
  unsigned radix_log;     ///< stages per pass (1 or 2)
  int columns;            ///< vectors of each row in flight in a pass
  int together;           ///< groups in flight where rows are single vectors, and squares in the tail
  int batch;              ///< butterflies handed to Butterfly at once
  unsigned log_block;     ///< log2 of the points worked on to the end at once
  unsigned last_log = 2;  ///< stages of the tail if a vector is one word
  bool stagewise =
      false;  ///< first forward pass, last inverse one and tail stage by stage (strip_passes.hpp)
};

/// What words are when they are loaded: as the loops hold them, the caller's in [0, q), or lazy ones of the
/// caller, in [0, 4q) forward and [0, 2q) inverse.
enum class Entry { none, reduced, lazy };
enum class SparseKind { keep, reduce, final, final_reduce, inverse, inverse_last };

/// Whether every pass reduces, so that none has to be told.
template <class Butterfly, TailShape shape>
inline constexpr bool reduces_always = Butterfly::kForwardStages <= shape.radix_log;

/// Whether stage s of 2^log rows reduces the x in `row`.
template <class Butterfly, TailShape shape, SparseKind kind>
NTTF_KERNEL constexpr bool reduces(unsigned log, unsigned s, int row) {
  constexpr bool kFinal = kind == SparseKind::final || kind == SparseKind::final_reduce;
  if (kind == SparseKind::inverse) return Butterfly::inverse_reduces(log, s, row);
  if (kFinal && s == log - 1 && Butterfly::kFinalReduces) return true;
  return (reduces_always<Butterfly, shape> || kind == SparseKind::reduce ||
          kind == SparseKind::final_reduce) &&
         s % Butterfly::kForwardStages == 0;
}

/// The butterflies of one batch, of stage s of `log`.
template <class Butterfly, TailShape shape, SparseKind kind, int K, class V, class AnyTwiddle,
          class Constants>
NTTF_KERNEL void sparse_butterflies(V (&x)[K], V (&y)[K], const AnyTwiddle (&w)[K],
                                    const typename Butterfly::Twiddle& scale, const Site (&sites)[K],
                                    unsigned log, unsigned s, const Constants& c) {
  if constexpr (kind == SparseKind::inverse_last) {
    typename Butterfly::Twiddle scales[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) scales[i] = scale;
    Butterfly::inverse_last(x, y, w, scales, c);
  } else {
    bool reduce[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) reduce[i] = reduces<Butterfly, shape, kind>(log, s, sites[i].row);
    if constexpr (kind == SparseKind::inverse) {
      Butterfly::inverse(x, y, w, c, reduce);
    } else {
      Butterfly::forward(x, y, w, c, reduce);
    }
  }
}

template <class Butterfly, TailShape shape, SparseKind kind, int rows, int columns, class V, class Source,
          class Constants>
NTTF_KERNEL void sparse_stage(V (&r)[rows][columns], unsigned s, const Source& source,
                              const typename Butterfly::Twiddle& scale, const Constants& c) {
  constexpr auto kLog = static_cast<unsigned>(std::countr_zero(unsigned{rows}));
  each_batch<shape.batch>(
      r, s, [&](const Site& at) NTTF_LAMBDA_INLINE { return source((1 << s) - 1 + at.group, at.column); },
      [&](auto& x, auto& y, const auto& w, const auto& sites) NTTF_LAMBDA_INLINE {
        sparse_butterflies<Butterfly, shape, kind>(x, y, w, scale, sites, kLog, s, c);
      });
}

template <class Butterfly, TailShape shape, SparseKind kind, int rows, int columns, class V, class Source,
          class Constants>
NTTF_KERNEL void sparse_stages(V (&r)[rows][columns], const Source& source,
                               const typename Butterfly::Twiddle& scale, const Constants& c) {
  constexpr auto kLog = static_cast<unsigned>(std::countr_zero(unsigned{rows}));
  if constexpr (kind >= SparseKind::inverse) {
    NTTF_UNROLL for (unsigned s = kLog - 1; s > 0; --s)
        sparse_stage<Butterfly, shape, SparseKind::inverse>(r, s, source, scale, c);
    sparse_stage<Butterfly, shape, kind>(r, 0, source, scale, c);
  } else {
    NTTF_UNROLL for (unsigned s = 0; s < kLog; ++s)
        sparse_stage<Butterfly, shape, kind>(r, s, source, scale, c);
  }
}

/// Words of the caller as the loops hold them; `factors`: before the first forward stage, where reduced rows
/// of the second half are only multiplied.
template <class Butterfly, Entry entry, bool factors, int rows, int columns, class V, class Constants>
NTTF_KERNEL void enter_rows(V (&r)[rows][columns], [[maybe_unused]] const Constants& c) {
  constexpr bool kFactors =
      factors && entry == Entry::reduced && requires(V v) { Butterfly::enter_factor(v, c); };
  NTTF_UNROLL for (int i = 0; i < rows; ++i) {
    NTTF_UNROLL for (int h = 0; h < columns; ++h) {
      if constexpr (kFactors) {
        r[i][h] = i < rows / 2 ? Butterfly::enter(r[i][h]) : Butterfly::enter_factor(r[i][h], c);
      } else if constexpr (!factors && entry == Entry::lazy) {
        r[i][h] = Butterfly::enter_lazy(r[i][h], c);
      } else if constexpr (entry != Entry::none) {
        r[i][h] = Butterfly::enter(r[i][h]);
      }
    }
  }
}

}  // namespace nttforge
