// SPDX-License-Identifier: Apache-2.0
#pragma once

// One direction of one transform: the order in which its passes and codelets (stage_loops.hpp,
// tail_passes.hpp) go over memory.
//
// A group that fits a block (log_block of its shape, the first-level cache) is finished at once. A larger one
// is split by one pass, then each of its parts is done to the end before the next one: depth first. So a pass
// over memory is paid only for groups that no longer fit a cache, whatever the sizes of the caches. The
// inverse runs backwards. (Several stages over narrow strips of columns, copied to a small buffer, pass
// memory fewer times and gained nothing but on one kernel of one core; docs/decisions/explorer.md.)

#include <algorithm>
#include <cstddef>

#include "nttforge/ntt/kernels.hpp"
#include "nttforge/ntt/kernels/products/products.hpp"
#include "nttforge/ntt/kernels/thirty_two/pass_walk.hpp"

namespace nttforge {

template <class Passes>
struct StageRun {
  using Word = typename Passes::Word;
  using Lanes = typename Passes::Lanes;
  using Product = typename Passes::Product;
  struct Range {
    std::size_t first, end;
  };
  /// Ranges of columns begin on multiples of four cache lines.
  static constexpr std::size_t kLeastColumns =
      std::max<std::size_t>(256 / sizeof(Word), Passes::kColumnWords);
  static constexpr unsigned kMostStages = 6;  ///< of a transform cut into parts

  typename Passes::Walk walk;
  typename Passes::Constants c;
  typename Passes::Twiddle scale;
  unsigned top;  ///< stages done on columns before any row; 0: none

  NTTF_KERNEL StageRun(const KernelTables<Word>& tables, const Word* table, std::size_t parts)
      : walk{table, tables.log_n, tables.lazy_input, tables.quotients_alone},
        c(Product::constants(tables.q)),
        scale(Product::twiddle(Lanes::broadcast(tables.scale), Lanes::broadcast(tables.scale_quotient))),
        top(stages_for(parts)) {}

  /// The part's columns.
  Range columns(std::size_t part, std::size_t parts) const {
    if (top == 0) return {0, 0};
    const std::size_t t = walk.n() >> top, least = std::min(kLeastColumns, t);
    return {t / least * part / parts * least, t / least * (part + 1) / parts * least};
  }
  Range rows(std::size_t part, std::size_t parts) const {
    const std::size_t rows = std::size_t{1} << top;
    return {rows * part / parts, rows * (part + 1) / parts};
  }

  /// Stages of the pass that splits a group at 2^log_m; 0 if it fits a block.
  unsigned stages_at(unsigned log_m) const {
    return walk.log_n - log_m > Passes::kLogBlock && log_m < last_split() ? walk.step(log_m) : 0;
  }
  /// Enough rows for each part to get its share of them.
  unsigned stages_for(std::size_t parts) const {
    unsigned stages = 0;
    while (parts > 1 && std::size_t{1} << stages < 2 * parts && stages < last_split()) {
      const unsigned more = stages + walk.step(stages);
      if (more > kMostStages || more > last_split()) break;
      stages = more;
    }
    return stages;
  }
  /// Rows keep two codelets, and one lane keeps its reducing pass.
  unsigned last_split() const { return walk.end() > Passes::kKeptLog ? walk.end() - Passes::kKeptLog : 0; }

  void forward_group(const Word* in, Word* out, unsigned log_m, std::size_t group) const {
    const unsigned stages = stages_at(log_m);
    if (stages == 0) return forward_block(in, out, log_m, group);
    forward_columns(in, out, log_m, group, stages, 0, walk.n() >> (log_m + stages));
    for (std::size_t row = group << stages; row < (group + 1) << stages; ++row) {
      forward_group(out, out, log_m + stages, row);
    }
  }

  void inverse_group(const Word* in, Word* out, unsigned log_m, std::size_t group) const {
    const unsigned stages = stages_at(log_m);
    if (stages == 0) return inverse_block(in, out, log_m, group);
    for (std::size_t row = group << stages; row < (group + 1) << stages; ++row) {
      inverse_group(in, out, log_m + stages, row);
    }
    inverse_columns(out, log_m, group, stages, 0, walk.n() >> (log_m + stages));
  }

  void forward_block(const Word* in, Word* out, unsigned log_m, std::size_t group) const {
    forward_passes(in, out, log_m, walk.end(), group);
    if constexpr (Passes::kHasTail) {
      const unsigned inner = walk.end() - log_m;
      Passes::forward_codelets(walk, c, out, group << inner, std::size_t{1} << inner);
    }
  }

  void inverse_block(const Word* in, Word* out, unsigned log_m, std::size_t group) const {
    if constexpr (Passes::kHasTail) {
      const unsigned inner = walk.end() - log_m;
      Passes::inverse_codelets(walk, c, in, out, group << inner, std::size_t{1} << inner);
    }
    inverse_passes(Passes::kHasTail ? out : in, out, log_m, walk.end(), group);
  }

  /// Runs a block's stages from 2^log_m to 2^end.
  void forward_passes(const Word* in, Word* out, unsigned log_m, unsigned end, std::size_t group) const {
    for (unsigned at = log_m; at < end; at += walk.step(at)) {
      const std::size_t first = group << (at - log_m), groups = std::size_t{1} << (at - log_m);
      const Word* source = at == log_m ? in : out;
      Passes::forward_pass(walk, c, whole_groups(walk, source, out, at, walk.step(at), first, groups), at,
                           first);
    }
  }

  void inverse_passes(const Word* in, Word* out, unsigned log_m, unsigned end, std::size_t group) const {
    unsigned at = end;
    while (at > log_m) {
      const Word* source = at == end ? in : out;
      const unsigned step = walk.step_back(at);
      at -= step;
      const std::size_t first = group << (at - log_m), groups = std::size_t{1} << (at - log_m);
      Passes::inverse_pass(walk, c, scale, whole_groups(walk, source, out, at, step, first, groups), at,
                           first);
    }
  }

  /// Runs the first `stages` stages of a group at 2^log_m, on columns [first, end).
  void forward_columns(const Word* in, Word* out, unsigned log_m, std::size_t group, unsigned stages,
                       std::size_t first, std::size_t end) const {
    for (unsigned done = 0; done < stages;) {
      const unsigned step = walk.step(log_m + done);
      const Area<Word> area =
          columns_area(done == 0 ? in : out, out, log_m, group, stages, done, step, first, end);
      Passes::forward_pass(walk, c, area, log_m + done, group << done);
      done += step;
    }
  }

  void inverse_columns(Word* out, unsigned log_m, std::size_t group, unsigned stages, std::size_t first,
                       std::size_t end) const {
    for (unsigned done = stages; done > 0;) {
      const unsigned step = walk.step_back(log_m + done);
      done -= step;
      const Area<Word> area = columns_area(out, out, log_m, group, stages, done, step, first, end);
      Passes::inverse_pass(walk, c, scale, area, log_m + done, group << done);
    }
  }

  /// Columns of one pass, `done` stages below the group's first: the group is a matrix of 2^stages rows, of
  /// which 2^inner make a row of the pass.
  Area<Word> columns_area(const Word* in, Word* out, unsigned log_m, std::size_t group, unsigned stages,
                          unsigned done, unsigned step, std::size_t first, std::size_t end) const {
    const unsigned inner = stages - done - step;
    const std::size_t t = walk.n() >> (log_m + stages), at = group * (t << stages) + first;
    return {in + at,
            out + at,
            {t << (inner + step), t, t << inner},
            std::size_t{1} << done,
            std::size_t{1} << inner,
            end - first};
  }
};

}  // namespace nttforge
