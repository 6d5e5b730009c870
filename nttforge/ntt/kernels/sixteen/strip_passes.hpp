// SPDX-License-Identifier: Apache-2.0
#pragma once

// A pass as one loop a stage over strips of columns: values go through the first-level cache between stages
// and no chain is longer than a butterfly. Where a pass has more to do than butterflies (conversions, the
// factor 1/n, reductions) its results would otherwise wait for each other in more registers than a core
// renames (docs/lab/avx2-transforms.md). Values and intervals are those of the pass in registers.

#include <algorithm>
#include <cstddef>

#include "nttforge/ntt/kernels/sixteen/sparse_registers.hpp"
#include "nttforge/ntt/kernels/sixteen/tail_shape.hpp"
#include "nttforge/ntt/kernels/thirty_two/pass_walk.hpp"

namespace nttforge {

template <class Butterfly, TailShape shape>
class StripPasses : public SparseRegisters<Butterfly, shape.radix_log, shape.batch> {
  using Registers = SparseRegisters<Butterfly, shape.radix_log, shape.batch>;

 public:
  using Registers::kLanes;
  using typename Registers::Constants;
  using typename Registers::Lanes;
  using typename Registers::Twiddle;
  using typename Registers::V;
  using typename Registers::Word;
  static constexpr std::size_t kStripWords = 4 * kLanes;  ///< columns in flight

 protected:
  using typename Registers::Entry;
  using typename Registers::Kind;
  using typename Registers::Twiddles;

  /// Runs the pass of `log` stages over an area whose columns are a multiple of kStripWords.
  template <unsigned log, Kind kind, Entry entry>
  static NTTF_KERNEL void strip_pass(const Word* table, const Constants& constants, const Twiddle& scale,
                                     const Area<Word>& area) {
    constexpr std::size_t kStrip = 64 * kLanes;
    constexpr std::size_t kTwiddles = (std::size_t{1} << log) - 1;
    for (std::size_t group = 0; group < area.groups; ++group, table += 2 * kTwiddles) {
      for (std::size_t chunk = 0; chunk < area.chunks; ++chunk) {
        const std::size_t corner = group * area.place.group + chunk * area.place.chunk;
        for (std::size_t k = 0; k < area.columns; k += kStrip) {
          const Strip strip{area.in + corner + k, area.out + corner + k, area.place.row,
                            std::min(kStrip, area.columns - k)};
          NTTF_UNROLL for (unsigned i = 0; i < log; ++i) {
            const bool backwards = kind >= Kind::inverse;
            strip_stage<log, kind, entry>(backwards ? log - 1 - i : i, i == 0, table, constants, scale,
                                          strip);
          }
        }
      }
    }
  }

 private:
  struct Strip {
    const Word* in;
    Word* out;
    std::size_t row, columns;
  };

  template <unsigned log, Kind kind, Entry entry>
  static NTTF_KERNEL void strip_stage(unsigned s, bool from_in, const Word* table, const Constants& constants,
                                      const Twiddle& scale_of_all, const Strip& strip) {
    const Constants c = constants;
    const Twiddle scale = scale_of_all;
    const std::size_t half = (strip.row << (log - 1)) >> s;
    NTTF_UNROLL for (int pair = 0; pair < 1 << (log - 1); ++pair) {
      const int rows = (1 << (log - 1)) >> s, group = pair / rows, row = 2 * group * rows + pair % rows;
      const auto w = Twiddles::template hold<1>(table + 2 * ((1 << s) - 1 + group));
      const std::size_t at = static_cast<std::size_t>(row) * strip.row;
      const Word* const in = (from_in ? strip.in : strip.out) + at;
      Word* const out = strip.out + at;
      for (std::size_t k = 0; k < strip.columns; k += kStripWords) {
        V r[2][4];
        load_rows<Lanes>(r, in + k, half, kLanes);
        if (entry == Entry::reduced && from_in) Registers::enter(r, c);
        if (entry == Entry::lazy && from_in) Registers::enter(r);
        NTTF_UNROLL for (int i = 0; i < 4; ++i) {
          V x[1] = {r[0][i]}, y[1] = {r[1][i]};
          const Site site[1] = {{group, row, i}};
          const Twiddle twiddle[1] = {w(0, 0)};
          if (kind == Kind::inverse_last && s != 0) {
            Registers::template butterflies<log, Kind::inverse>(x, y, twiddle, scale, site, s, c);
          } else {
            Registers::template butterflies<log, kind>(x, y, twiddle, scale, site, s, c);
          }
          r[0][i] = x[0];
          r[1][i] = y[0];
        }
        store_rows<Lanes>(r, out + k, half, kLanes);
      }
    }
  }
};

}  // namespace nttforge
