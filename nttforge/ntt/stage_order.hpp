#pragma once

// The order in which passes and codelets (stage_loops.hpp) go over memory.
//
// A group that fits a block (Shape::kLogBlock, the first-level cache) is finished at once. A larger one is a
// matrix of 2^s rows, the groups it splits into; its first s stages work on columns, one strip of columns at
// a time:
//
//        |<------ t ------>|          the first pass of the s stages reads the strip's rows, t words apart,
//   row 0  ..|strip|.......           into a buffer that stays in the first-level cache, the last one writes
//   row 1  ..|strip|.......           them back: one pass over memory for s stages, and no two rows of the
//   ...                               buffer fall on the same cache set
//
// then each row is a group of its own. So n <= 2^(kLogBlock + kMostStages) takes two passes over memory,
// 2^24 three. The inverse runs backwards. Parts of one transform for several threads are ranges of columns,
// then ranges of rows.

#include <algorithm>
#include <bit>
#include <cstddef>

#include "nttforge/ntt/kernels.hpp"
#include "nttforge/ntt/split_passes.hpp"
#include "nttforge/ntt/stage_loops.hpp"

namespace nttforge {

template <class PassesType>
class StageOrder {
 public:
  using Passes = PassesType;
  using Word = typename Passes::Word;
  static constexpr unsigned kLanesLog = Passes::kLanesLog;
  static constexpr unsigned kRadixLog = Passes::kRadixLog;
  static constexpr unsigned kMinLogN = Passes::kMinLogN;

  static void forward(const KernelTables<Word>& tables, const Word* in, Word* out) {
    forward_part(tables, in, out, 0, 0, 1);
    forward_part(tables, in, out, 1, 0, 1);
  }

  static void inverse(const KernelTables<Word>& tables, const Word* in, Word* out) {
    inverse_part(tables, in, out, 0, 0, 1);
    inverse_part(tables, in, out, 1, 0, 1);
  }

  static void forward_part(const KernelTables<Word>& tables, const Word* in, Word* out, unsigned phase,
                           std::size_t part, std::size_t parts) {
    if (tables.log_n == 0) return one_point(in, out, phase, part);
    const Run run(tables, tables.forward, parts);
    if (phase == 0) {
      const auto [first, end] = run.columns(part, parts);
      run.forward_columns(in, out, 0, 0, run.top, first, end);
    } else {
      const auto [first, end] = run.rows(part, parts);
      for (std::size_t group = first; group < end; ++group) {
        run.forward_group(run.top == 0 ? in : out, out, run.top, group);
      }
    }
  }

  static void inverse_part(const KernelTables<Word>& tables, const Word* in, Word* out, unsigned phase,
                           std::size_t part, std::size_t parts) {
    if (tables.log_n == 0) return one_point(in, out, phase, part);
    const Run run(tables, tables.inverse, parts);
    if (phase == 0) {
      const auto [first, end] = run.rows(part, parts);
      for (std::size_t group = first; group < end; ++group) run.inverse_group(in, out, run.top, group);
    } else {
      const auto [first, end] = run.columns(part, parts);
      run.inverse_columns(out, 0, 0, run.top, first, end);
    }
  }

 private:
  using Lanes = typename Passes::Lanes;
  using Product = typename Passes::Product;
  using Walk = typename Passes::Walk;
  using Area = typename Passes::Area;

  /// Most stages of one strip, and its size: 16 KiB. Rows of it are four cache lines or more, so that whole
  /// lines move.
  static constexpr unsigned kMostStages = 6;
  static constexpr std::size_t kStripWords = std::max<std::size_t>(256 / sizeof(Word), Passes::kColumnWords)
                                             << kMostStages;

  static void one_point(const Word* in, Word* out, unsigned phase, std::size_t part) {
    if (phase == 0 && part == 0) out[0] = in[0];
  }

  struct Range {
    std::size_t first, end;
  };

  struct Run {
    Walk walk;
    typename Passes::Constants c;
    typename Passes::Twiddle scale;
    unsigned top;  ///< stages of the first strips; 0: n fits a block

    NTTF_KERNEL Run(const KernelTables<Word>& tables, const Word* table, std::size_t parts)
        : walk{table, tables.log_n},
          c(Product::constants(tables.q)),
          scale(Product::twiddle(Lanes::broadcast(tables.scale), Lanes::broadcast(tables.scale_quotient))),
          top(std::max(stages_at(0), stages_for(parts))) {}

    /// The part's columns, in whole strips.
    Range columns(std::size_t part, std::size_t parts) const {
      constexpr std::size_t least = kStripWords >> kMostStages;
      const std::size_t t = top == 0 ? 0 : walk.n() >> top, strip = std::min(least, t);
      const std::size_t strips = top == 0 ? 0 : t / strip;
      return {strips * part / parts * strip, strips * (part + 1) / parts * strip};
    }
    Range rows(std::size_t part, std::size_t parts) const {
      const std::size_t rows = std::size_t{1} << top;
      return {rows * part / parts, rows * (part + 1) / parts};
    }

    /// How many stages to do on columns of the groups at 2^log_m; 0 if they fit a block. Strips of about
    /// equal height if one does not suffice. Only whole passes.
    unsigned stages_at(unsigned log_m) const {
      const unsigned above =
          walk.log_n - log_m > Passes::kLogBlock ? walk.log_n - log_m - Passes::kLogBlock : 0;
      const unsigned strips = (above + kMostStages - 1) / kMostStages;
      unsigned stages = 0;
      while (stages < above && log_m + stages < last_split()) {
        const unsigned more = stages + walk.step(log_m + stages);
        if (stages != 0 && (more > kMostStages || (strips > 1 && more > (above + strips - 1) / strips)))
          break;
        stages = more;
      }
      return stages;
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
      unsigned at = log_m;
      for (; at < walk.end(); at += walk.step(at)) {
        const std::size_t first = group << (at - log_m), groups = std::size_t{1} << (at - log_m);
        const Word* source = at == log_m ? in : out;
        Passes::forward_pass(
            walk, c, Passes::whole_groups(walk, source, out, at, walk.step(at), first, groups), at, first);
      }
      if constexpr (Passes::kHasTail) {
        Passes::forward_codelets(walk, c, out, group << (at - log_m), std::size_t{1} << (at - log_m));
      }
    }

    void inverse_block(const Word* in, Word* out, unsigned log_m, std::size_t group) const {
      unsigned at = walk.end();
      if constexpr (Passes::kHasTail) {
        Passes::inverse_codelets(walk, c, in, out, group << (at - log_m), std::size_t{1} << (at - log_m));
      }
      while (at > log_m) {
        const Word* source = !Passes::kHasTail && at == walk.end() ? in : out;
        const unsigned step = walk.step_back(at);
        at -= step;
        const std::size_t first = group << (at - log_m), groups = std::size_t{1} << (at - log_m);
        Passes::inverse_pass(walk, c, scale, Passes::whole_groups(walk, source, out, at, step, first, groups),
                             at, first);
      }
    }

    /// The first `stages` stages of a group at 2^log_m, on columns [first, end).
    void forward_columns(const Word* in, Word* out, unsigned log_m, std::size_t group, unsigned stages,
                         std::size_t first, std::size_t end) const {
      if (stages == 0) return;
      const std::size_t t = walk.n() >> (log_m + stages), base = group * (t << stages);
      if (walk.step(log_m) == stages) {
        const Area area{in + base + first, {0, 0, t}, out + base + first, {0, 0, t}, 1, 1, end - first};
        return Passes::forward_pass(walk, c, area, log_m, group);
      }
      const std::size_t width = std::min(kStripWords >> stages, t);
      alignas(64) Word buffer[kStripWords];
      for (std::size_t strip = base + first, columns; strip < base + end; strip += columns) {
        columns = std::min(width, base + end - strip);
        for (unsigned done = 0; done < stages;) {
          const unsigned step = walk.step(log_m + done);
          const Area area =
              strip_area(done == 0 ? in + strip : nullptr, done + step == stages ? out + strip : nullptr,
                         buffer, t, columns, done, step, stages);
          Passes::forward_pass(walk, c, area, log_m + done, group << done);
          done += step;
        }
      }
    }

    void inverse_columns(Word* out, unsigned log_m, std::size_t group, unsigned stages, std::size_t first,
                         std::size_t end) const {
      if (stages == 0) return;
      const std::size_t t = walk.n() >> (log_m + stages), base = group * (t << stages);
      if (walk.step(log_m) == stages) {
        const Area area{out + base + first, {0, 0, t}, out + base + first, {0, 0, t}, 1, 1, end - first};
        return Passes::inverse_pass(walk, c, scale, area, log_m, group);
      }
      const std::size_t width = std::min(kStripWords >> stages, t);
      alignas(64) Word buffer[kStripWords];
      for (std::size_t strip = base + first, columns; strip < base + end; strip += columns) {
        columns = std::min(width, base + end - strip);
        for (unsigned done = stages; done > 0;) {
          const unsigned step = walk.step_back(log_m + done);
          done -= step;
          const Area area =
              strip_area(done + step == stages ? out + strip : nullptr, done == 0 ? out + strip : nullptr,
                         buffer, t, columns, done, step, stages);
          Passes::inverse_pass(walk, c, scale, area, log_m + done, group << done);
        }
      }
    }

    /// One pass over a strip, `done` stages below the group's first. nullptr: from or to the buffer, whose
    /// rows are as wide as the strip.
    static Area strip_area(const Word* in, Word* out, Word* buffer, std::size_t t, std::size_t width,
                           unsigned done, unsigned step, unsigned stages) {
      const unsigned inner = stages - done - step;  // a row of this pass is 2^inner rows of the matrix
      const auto place = [&](std::size_t row) {
        return typename Passes::Place{row << (inner + step), row, row << inner};
      };
      return {in != nullptr ? in : buffer,
              place(in != nullptr ? t : width),
              out != nullptr ? out : buffer,
              place(out != nullptr ? t : width),
              std::size_t{1} << done,
              std::size_t{1} << inner,
              width};
    }
  };
};

template <class Butterfly, class ShapeType>
using StageLoops = StageOrder<StagePasses<Butterfly, ShapeType>>;
template <class Butterfly, class ShapeType>
using SplitLoops = StageOrder<SplitPasses<Butterfly, ShapeType>>;

}  // namespace nttforge
