// SPDX-License-Identifier: Apache-2.0
#pragma once

// A pass as one loop a stage over strips of columns: values go through the first-level cache between stages
// and no chain is longer than a butterfly. Where a pass has more to do than butterflies (conversions, the
// factor 1/n, reductions) its results would otherwise wait for each other in more registers than a core
// renames (docs/lab/avx2-transforms.md). Values and intervals are those of the pass in registers.

#include <algorithm>
#include <cstddef>

#include "nttforge/ntt/kernels/sixteen/sparse_registers.hpp"
#include "nttforge/ntt/pass_walk.hpp"

namespace nttforge {

/// Columns in flight.
template <class Lanes>
inline constexpr std::size_t strip_words = 4 * Lanes::kWidth;

template <class Word>
struct Strip {
  const Word* in;
  Word* out;
  std::size_t row, columns;
};

/// Stage s of `log`, the first one of the pass if from_in.
template <class Butterfly, TailShape shape, unsigned log, SparseKind kind, Entry entry, class Word>
NTTF_KERNEL void strip_stage(unsigned s, bool from_in, const Word* table,
                             const typename Butterfly::Constants& constants,
                             const typename Butterfly::Twiddle& scale_of_all, const Strip<Word>& strip) {
  using Lanes = typename Butterfly::Lanes;
  using V = typename Butterfly::V;
  using Twiddle = typename Butterfly::Twiddle;
  const auto c = constants;
  const Twiddle scale = scale_of_all;
  const std::size_t half = (strip.row << (log - 1)) >> s;
  NTTF_UNROLL for (int pair = 0; pair < 1 << (log - 1); ++pair) {
    const int rows = (1 << (log - 1)) >> s, group = pair / rows, row = 2 * group * rows + pair % rows;
    const auto w =
        TableTwiddles<typename Butterfly::Product>::template hold<1>(table + 2 * ((1 << s) - 1 + group));
    const std::size_t at = static_cast<std::size_t>(row) * strip.row;
    const Word* const in = (from_in ? strip.in : strip.out) + at;
    Word* const out = strip.out + at;
    for (std::size_t k = 0; k < strip.columns; k += strip_words<Lanes>) {
      V r[2][4];
      load_rows<Lanes>(r, in + k, half, Lanes::kWidth);
      if (from_in) enter_rows<Butterfly, entry, true>(r, c);
      NTTF_UNROLL for (int i = 0; i < 4; ++i) {
        V x[1] = {r[0][i]}, y[1] = {r[1][i]};
        const Site site[1] = {{group, row, i}};
        const Twiddle twiddle[1] = {w(0, 0)};
        if (kind == SparseKind::inverse_last && s != 0) {
          sparse_butterflies<Butterfly, shape, SparseKind::inverse>(x, y, twiddle, scale, site, log, s, c);
        } else {
          sparse_butterflies<Butterfly, shape, kind>(x, y, twiddle, scale, site, log, s, c);
        }
        r[0][i] = x[0];
        r[1][i] = y[0];
      }
      store_rows<Lanes>(r, out + k, half, Lanes::kWidth);
    }
  }
}

/// Runs the pass of `log` stages over an area whose columns are a multiple of strip_words.
template <class Butterfly, TailShape shape, unsigned log, SparseKind kind, Entry entry, class Word>
NTTF_KERNEL void strip_pass(const Word* table, const typename Butterfly::Constants& c,
                            const typename Butterfly::Twiddle& scale, const Area<Word>& area) {
  constexpr std::size_t kStrip = 64 * Butterfly::Lanes::kWidth;
  constexpr std::size_t kTwiddles = (std::size_t{1} << log) - 1;
  for (std::size_t group = 0; group < area.groups; ++group, table += 2 * kTwiddles) {
    for (std::size_t chunk = 0; chunk < area.chunks; ++chunk) {
      const std::size_t corner = group * area.place.group + chunk * area.place.chunk;
      for (std::size_t k = 0; k < area.columns; k += kStrip) {
        const Strip<Word> strip{area.in + corner + k, area.out + corner + k, area.place.row,
                                std::min(kStrip, area.columns - k)};
        NTTF_UNROLL for (unsigned i = 0; i < log; ++i) {
          const unsigned s = kind >= SparseKind::inverse ? log - 1 - i : i;
          strip_stage<Butterfly, shape, log, kind, entry>(s, i == 0, table, c, scale, strip);
        }
      }
    }
  }
}

}  // namespace nttforge
