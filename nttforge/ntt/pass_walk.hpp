// SPDX-License-Identifier: Apache-2.0
#pragma once

// How far a pass over memory goes, where its twiddles lie and its loop over memory: what the passes for
// thirty-two registers (stage_passes.hpp), for sixteen (tail_passes.hpp) and of the DGT (dgt_loops.hpp) have
// in common.

#include <cstddef>

#include "nttforge/ntt/kernels/register_rows.hpp"
#include "nttforge/ntt/twiddles/pass_steps.hpp"
#include "nttforge/ntt/twiddles/table_twiddles.hpp"

namespace nttforge {

/// Whether a butterfly takes lane vectors without quotients (LaneTwiddles::vectors_of_values).
template <class Butterfly>
inline constexpr bool vectors_of_values = requires { requires Butterfly::kVectorsOfValues; };

/// What a walk depends on at run time.
template <class Word>
struct WalkTables {
  const Word* table;
  unsigned log_n;
  bool lazy_input = false;  ///< as KernelTables has it, and the next
  bool bare_quotients = false;
  const Word* first = nullptr;  ///< twiddles of the pass at 1, if not the table's

  NTTF_KERNEL std::size_t n() const { return std::size_t{1} << log_n; }
};

/// What a walk depends on at compile time; the names are those of TwiddleLayout.
struct WalkShape {
  unsigned log_lanes, radix_log, tail_log;
  std::size_t entry_words = 2;  ///< words that a twiddle takes
  unsigned long_above = 0, quotients_from = 0;
};

/// Where passes begin and where their twiddles lie. A pass "at m" splits m groups; its first twiddle has
/// index m. All but the last tail_log stages are done by passes (pass_steps.hpp).
template <class Butterfly, WalkShape shape>
struct PassWalk : WalkTables<typename Butterfly::Word> {
  static_assert(shape.long_above == 0 ||
                (shape.radix_log == 2 && shape.long_above > shape.tail_log + 3));  // a long pass leaves two
  using Word = typename Butterfly::Word;
  using Tables = WalkTables<Word>;
  using Tables::log_n;
  using Tables::n;

  NTTF_KERNEL unsigned end() const { return log_n - shape.tail_log; }
  NTTF_KERNEL unsigned odd() const { return end() % shape.radix_log; }
  NTTF_KERNEL PassSteps steps() const { return {end(), shape.tail_log, shape.radix_log, shape.long_above}; }
  NTTF_KERNEL unsigned step(unsigned log_m) const { return steps().step(log_m); }
  NTTF_KERNEL unsigned step_back(unsigned log_m) const { return steps().step_back(log_m); }
  NTTF_KERNEL bool quotients_alone() const { return shape.quotients_from != 0 && Tables::bare_quotients; }
  /// Words that a twiddle of lane vectors takes.
  NTTF_KERNEL std::size_t lane_words() const {
    return vectors_of_values<Butterfly> || quotients_alone() ? 1 : shape.entry_words;
  }
  /// Twiddles of lane vectors come first (aligned), then those of passes, group by group.
  NTTF_KERNEL const Word* scalars(unsigned log_m, unsigned stages = 0, std::size_t group = 0) const {
    if (log_m == 0 && Tables::first != nullptr) return Tables::first;
    const std::size_t vectors = shape.log_lanes == 0 ? 0 : n() - (n() >> shape.log_lanes);
    return Tables::table + lane_words() * vectors +
           shape.entry_words * ((std::size_t{1} << log_m) - 1 + ((std::size_t{1} << stages) - 1) * group);
  }
  /// The twiddle of group j of stage `stage`, one of a pass.
  NTTF_KERNEL const Word* stage_entry(unsigned stage, std::size_t j) const {
    const unsigned log_m = stage < odd() ? 0 : stage - (stage - odd()) % shape.radix_log, s = stage - log_m;
    return scalars(log_m, step(log_m), j >> s) +
           shape.entry_words * ((std::size_t{1} << s) - 1 + (j & ((std::size_t{1} << s) - 1)));
  }
};

/// Memory of a pass: word k of row i of chunk h of group g is in[g * group + h * chunk + i * row + k], and
/// the same of out.
struct Place {
  std::size_t group, chunk, row;
};
template <class Word>
struct Area {
  const Word* in;
  Word* out;
  Place place;
  std::size_t groups, chunks, columns;
};

/// Groups [group, group + groups) at m = 2^log_m, each 2^step rows t words apart, in place in the transform's
/// own order.
template <class Word>
NTTF_INLINE Area<Word> whole_groups(std::size_t n, const Word* in, Word* out, unsigned log_m, unsigned step,
                                    std::size_t group, std::size_t groups) {
  const std::size_t t = n >> (log_m + step), size = t << step;
  return {in + group * size, out + group * size, {size, 0, t}, groups, 1, t};
}

/// A pass of `log` stages over an area: body(r, twiddles, group) for `columns` vectors of each row of a
/// group, loaded before and stored after. `table`: the twiddles of the area's first group.
template <class Butterfly, unsigned log, int columns, class Word, class Body>
NTTF_KERNEL void each_tile(const Word* table, const Area<Word>& area, const Body& body) {
  using Lanes = typename Butterfly::Lanes;
  constexpr int kRows = 1 << log;
  for (std::size_t group = 0; group < area.groups; ++group) {
    const auto twiddles = TableTwiddles<typename Butterfly::Product>::template hold<kRows - 1>(table);
    table += 2 * (kRows - 1);
    const Word* in = area.in + group * area.place.group;
    Word* out = area.out + group * area.place.group;
    for (std::size_t chunk = 0; chunk < area.chunks; ++chunk) {
      for (std::size_t k = 0; k < area.columns; k += columns * Lanes::kWidth) {
        typename Butterfly::V r[kRows][columns];
        load_rows<Lanes>(r, in + k, area.place.row, Lanes::kWidth);
        body(r, twiddles, group);
        store_rows<Lanes>(r, out + k, area.place.row, Lanes::kWidth);
      }
      in += area.place.chunk;
      out += area.place.chunk;
    }
  }
}

}  // namespace nttforge
