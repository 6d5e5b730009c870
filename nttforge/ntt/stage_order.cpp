// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/stage_order.hpp"

#include <algorithm>
#include <cstdint>

namespace nttforge {
namespace {

constexpr unsigned kMostStages = 6;  ///< of a transform cut into parts

/// One direction of one transform.
template <class Word>
struct StageRun {
  struct Range {
    std::size_t first, end;
  };

  const PassTable<Word>& passes;
  WalkTables<Word> walk;
  PassSteps steps;
  unsigned top;  ///< stages done on columns before any row; 0: none
  PassConstants constants;

  StageRun(const PassTable<Word>& table, const KernelTables<Word>& tables, const Word* twiddles,
           std::size_t parts, bool product = false)
      : passes(table),
        walk{twiddles, tables.log_n, tables.lazy_input, tables.quotients_alone},
        steps{tables.log_n - table.tail_log, table.tail_log, table.radix_log, table.long_above},
        top(stages_for(parts)) {
    passes.prepare(tables, product, &constants);
  }

  /// The part's columns, whose ranges begin on multiples of four cache lines.
  Range columns(std::size_t part, std::size_t parts) const {
    if (top == 0) return {0, 0};
    const std::size_t t = walk.n() >> top;
    const std::size_t least = std::min(std::max(256 / sizeof(Word), passes.column_words), t);
    return {t / least * part / parts * least, t / least * (part + 1) / parts * least};
  }
  Range rows(std::size_t part, std::size_t parts) const {
    const std::size_t rows = std::size_t{1} << top;
    return {rows * part / parts, rows * (part + 1) / parts};
  }

  /// Stages of the pass that splits a group at 2^log_m; 0 if it fits a block.
  unsigned stages_at(unsigned log_m) const {
    return walk.log_n - log_m > passes.log_block && log_m < last_split() ? steps.step(log_m) : 0;
  }
  /// Enough rows for each part to get its share of them.
  unsigned stages_for(std::size_t parts) const {
    unsigned stages = 0;
    while (parts > 1 && std::size_t{1} << stages < 2 * parts && stages < last_split()) {
      const unsigned more = stages + steps.step(stages);
      if (more > kMostStages || more > last_split()) break;
      stages = more;
    }
    return stages;
  }
  /// Rows keep two codelets, and one lane keeps its reducing pass.
  unsigned last_split() const { return steps.end > passes.kept_log ? steps.end - passes.kept_log : 0; }

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
    forward_passes(in, out, log_m, steps.end, group);
    if (passes.forward_tail != nullptr) {
      const unsigned inner = steps.end - log_m;
      passes.forward_tail(walk, &constants, out, group << inner, std::size_t{1} << inner);
    }
  }

  void inverse_block(const Word* in, Word* out, unsigned log_m, std::size_t group) const {
    if (passes.inverse_tail != nullptr) {
      const unsigned inner = steps.end - log_m;
      passes.inverse_tail(walk, &constants, in, out, group << inner, std::size_t{1} << inner);
    }
    inverse_passes(passes.inverse_tail != nullptr ? out : in, out, log_m, steps.end, group);
  }

  /// Runs a block's stages from 2^log_m to 2^end.
  void forward_passes(const Word* in, Word* out, unsigned log_m, unsigned end, std::size_t group) const {
    for (unsigned at = log_m; at < end; at += steps.step(at)) {
      const std::size_t first = group << (at - log_m), groups = std::size_t{1} << (at - log_m);
      const Word* source = at == log_m ? in : out;
      passes.forward_pass(walk, &constants,
                          whole_groups(walk.n(), source, out, at, steps.step(at), first, groups), at, first);
    }
  }

  void inverse_passes(const Word* in, Word* out, unsigned log_m, unsigned end, std::size_t group) const {
    unsigned at = end;
    while (at > log_m) {
      const Word* source = at == end ? in : out;
      const unsigned step = steps.step_back(at);
      at -= step;
      const std::size_t first = group << (at - log_m), groups = std::size_t{1} << (at - log_m);
      passes.inverse_pass(walk, &constants, whole_groups(walk.n(), source, out, at, step, first, groups), at,
                          first);
    }
  }

  /// Runs the first `stages` stages of a group at 2^log_m, on columns [first, end).
  void forward_columns(const Word* in, Word* out, unsigned log_m, std::size_t group, unsigned stages,
                       std::size_t first, std::size_t end) const {
    for (unsigned done = 0; done < stages;) {
      const unsigned step = steps.step(log_m + done);
      const Area<Word> area =
          columns_area(done == 0 ? in : out, out, log_m, group, stages, done, step, first, end);
      passes.forward_pass(walk, &constants, area, log_m + done, group << done);
      done += step;
    }
  }

  void inverse_columns(Word* out, unsigned log_m, std::size_t group, unsigned stages, std::size_t first,
                       std::size_t end) const {
    for (unsigned done = stages; done > 0;) {
      const unsigned step = steps.step_back(log_m + done);
      done -= step;
      const Area<Word> area = columns_area(out, out, log_m, group, stages, done, step, first, end);
      passes.inverse_pass(walk, &constants, area, log_m + done, group << done);
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

template <class Word>
void one_point(const Word* in, Word* out, bool mine) {
  if (mine) out[0] = in[0];
}

/// Both directions of a polynomial product.
template <class Word>
struct ProductRun {
  StageRun<Word> forward, inverse;
  Word q;
  const ValueProduct<Word>& values;
  bool units;  ///< by PassTable::product_units

  /// Words whose last forward stages, product of values and first inverse stages are done together.
  static constexpr std::size_t kPiece = 4096 / sizeof(Word);

  /// work and out hold what becomes of a and b; a == b: work alone.
  void group(const Word* a, const Word* b, Word* out, Word* work, unsigned log_m,
             std::size_t group_at) const {
    const unsigned stages = forward.stages_at(log_m);
    if (stages == 0) return block(a, b, out, work, log_m, group_at);
    const std::size_t t = forward.walk.n() >> (log_m + stages);
    const bool square = a == b;
    forward.forward_columns(a, work, log_m, group_at, stages, 0, t);
    if (!square) forward.forward_columns(b, out, log_m, group_at, stages, 0, t);
    for (std::size_t row = group_at << stages; row < (group_at + 1) << stages; ++row)
      group(work, square ? work : out, out, work, log_m + stages, row);
    inverse.inverse_columns(out, log_m, group_at, stages, 0, t);
  }

  void block(const Word* a, const Word* b, Word* out, Word* work, unsigned log_m,
             std::size_t group_at) const {
    const bool square = a == b;
    Word* const y = square ? work : out;
    const unsigned end = units ? forward.walk.log_n - forward.passes.product_log : forward.steps.end;
    forward.forward_passes(a, work, log_m, end, group_at);
    if (!square) forward.forward_passes(b, out, log_m, end, group_at);
    if (units) {
      const unsigned inner = end - log_m;
      forward.passes.product_units(forward.walk, inverse.walk, &forward.constants, q, work, y, out,
                                   group_at << inner, std::size_t{1} << inner);
    } else {
      const std::size_t size = forward.walk.n() >> log_m, first = group_at * size;
      const std::size_t length = std::min(size, kPiece);
      for (std::size_t at = first; at < first + size; at += length) piece(y, out, work, at, length);
    }
    inverse.inverse_passes(out, out, log_m, end, group_at);
  }

  void piece(const Word* y, Word* out, Word* work, std::size_t at, std::size_t length) const {
    const PassTable<Word>& passes = forward.passes;
    const std::size_t first = at >> passes.tail_log, count = length >> passes.tail_log;
    if (passes.forward_tail != nullptr) {
      passes.forward_tail(forward.walk, &forward.constants, work, first, count);
      if (y != work) passes.forward_tail(forward.walk, &forward.constants, out, first, count);
    }
    values(work + at, y + at, out + at, length);
    if (passes.inverse_tail != nullptr)
      passes.inverse_tail(inverse.walk, &inverse.constants, out, out, first, count);
  }
};

}  // namespace

template <class Word>
void PassTable<Word>::forward(const KernelTables<Word>& tables, const Word* in, Word* out, unsigned phase,
                              std::size_t part, std::size_t parts) const {
  if (tables.log_n == 0) return one_point(in, out, phase == kForwardRows && part == 0);
  const StageRun<Word> run(*this, tables, tables.forward, parts);
  if (phase != kForwardRows) {
    const auto [first, end] = run.columns(part, parts);
    run.forward_columns(in, out, 0, 0, run.top, first, end);
  } else {
    const auto [first, end] = run.rows(part, parts);
    for (std::size_t group = first; group < end; ++group)
      run.forward_group(run.top == 0 ? in : out, out, run.top, group);
  }
}

template <class Word>
void PassTable<Word>::inverse(const KernelTables<Word>& tables, const Word* in, Word* out, unsigned phase,
                              std::size_t part, std::size_t parts) const {
  if (tables.log_n == 0) return one_point(in, out, phase == kInverseRows && part == 0);
  const StageRun<Word> run(*this, tables, tables.inverse, parts);
  if (phase == kInverseRows) {
    const auto [first, end] = run.rows(part, parts);
    for (std::size_t group = first; group < end; ++group) run.inverse_group(in, out, run.top, group);
  } else {
    const auto [first, end] = run.columns(part, parts);
    run.inverse_columns(out, 0, 0, run.top, first, end);
  }
}

template <class Word>
void PassTable<Word>::product(const KernelTables<Word>& tables, const ValueProduct<Word>& values,
                              const Word* a, const Word* b, Word* out, Word* work) const {
  if (tables.log_n == 0) return values(a, b, out, 1);
  const bool units = product_units != nullptr && tables.log_n > product_log;
  ProductRun<Word> run{
      {*this, tables, tables.forward, 1}, {*this, tables, tables.inverse, 1, units}, tables.q, values, units};
  Word first[2 << 3];  // the most stages of a pass
  if (units) {
    const Word* const plain = first_twiddles(run.inverse.walk);
    std::copy_n(plain, (std::size_t{2} << run.inverse.steps.step(0)) - 2, first);
    first[0] = tables.product_first[0];
    first[1] = tables.product_first[1];
    run.inverse.walk.first = first;
  }
  run.group(a, b, out, work, 0, 0);
}

template struct PassTable<std::uint64_t>;
template struct PassTable<std::uint32_t>;

}  // namespace nttforge
