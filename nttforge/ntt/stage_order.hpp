#pragma once

// The order in which passes and codelets (stage_loops.hpp) go over memory.
//
// A group that fits a block (Shape::kLogBlock, the first-level cache) is finished at once. A larger one is
// split by one pass, then each of its parts is done to the end before the next one: depth first. So a pass
// over memory is paid only for groups that no longer fit a cache, whatever the sizes of the caches. The
// inverse runs backwards. (Several stages over narrow strips of columns, copied to a small buffer, pass
// memory fewer times and gained nothing but on one kernel of one core; docs/decisions/explorer.md.)
//
// For several threads one transform is a matrix of 2^s rows, the groups of its first s stages: threads take
// ranges of columns for those stages, then ranges of rows.
//
// A polynomial product does the columns of both factors, then row by row: forward, product of the values and
// inverse, the last stages and the product in pieces of kPiece words that stay in the first-level cache; then
// the columns backwards. So the values never travel.

#include <algorithm>
#include <bit>
#include <cstddef>

#include "nttforge/ntt/kernels.hpp"
#include "nttforge/ntt/row_ops.hpp"
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
    if (tables.log_n == 0) return one_point(in, out, 0, 0);
    const Run run(tables, tables.forward, 1);
    run.forward_group(in, out, 0, 0);
  }

  static void inverse(const KernelTables<Word>& tables, const Word* in, Word* out) {
    if (tables.log_n == 0) return one_point(in, out, 0, 0);
    const Run run(tables, tables.inverse, 1);
    run.inverse_group(in, out, 0, 0);
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

  static constexpr bool kHasProduct = [] {
    if constexpr (requires { Passes::kHasProduct; }) return Passes::kHasProduct;
    return false;
  }();

  static constexpr unsigned kProductBits = [] {
    if constexpr (kHasProduct) return Passes::kProductBits;
    return 0u;
  }();

  static void product(const KernelTables<Word>& tables, const ValueProduct<Word>& values, const Word* a,
                      const Word* b, Word* out, Word* work) {
    if (tables.log_n == 0) return values(a, b, out, 1);
    Both runs{Run(tables, tables.forward, 1), Run(tables, tables.inverse, 1), tables.q, values};
    if constexpr (kHasProduct) {
      if (tables.log_n > Passes::kProductLog) {
        Word first[2 << 3];  // the most stages of a pass
        const Word* const plain = runs.inverse.walk.scalars(0);
        for (std::size_t i = 2; i + 2 < std::size_t{2} << runs.inverse.walk.step(0); ++i) first[i] = plain[i];
        first[0] = tables.product_first[0];
        first[1] = tables.product_first[1];
        runs.inverse.walk.first = first;
        runs.inverse.scale = Product::twiddle(Lanes::broadcast(tables.product_scale[0]),
                                              Lanes::broadcast(tables.product_scale[1]));
        return runs.template product_group<true>(a, b, out, work, 0, 0);
      }
    }
    runs.template product_group<false>(a, b, out, work, 0, 0);
  }

 private:
  using Lanes = typename Passes::Lanes;
  using Product = typename Passes::Product;
  using Walk = typename Passes::Walk;

  /// Ranges of columns begin on multiples of four cache lines.
  static constexpr std::size_t kLeastColumns =
      std::max<std::size_t>(256 / sizeof(Word), Passes::kColumnWords);
  static constexpr unsigned kMostStages = 6;  ///< of a transform cut into parts

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
    unsigned top;  ///< stages done on columns before any row; 0: none

    NTTF_KERNEL Run(const KernelTables<Word>& tables, const Word* table, std::size_t parts)
        : walk{table, tables.log_n},
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

    /// A block's stages from 2^log_m to 2^end.
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

    /// The first `stages` stages of a group at 2^log_m, on columns [first, end).
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

  struct Both {
    Run forward, inverse;
    Word q;
    const ValueProduct<Word>& values;

    /// Words whose last forward stages, product of values and first inverse stages are done together.
    static constexpr std::size_t kPiece = 4096 / sizeof(Word);

    /// work and out hold what becomes of a and b; a == b: work alone. units: by Passes::product_units.
    template <bool units>
    void product_group(const Word* a, const Word* b, Word* out, Word* work, unsigned log_m,
                       std::size_t group) const {
      const unsigned stages = forward.stages_at(log_m);
      if (stages == 0) return product_block<units>(a, b, out, work, log_m, group);
      const std::size_t t = forward.walk.n() >> (log_m + stages);
      const bool square = a == b;
      forward.forward_columns(a, work, log_m, group, stages, 0, t);
      if (!square) forward.forward_columns(b, out, log_m, group, stages, 0, t);
      for (std::size_t row = group << stages; row < (group + 1) << stages; ++row) {
        product_group<units>(work, square ? work : out, out, work, log_m + stages, row);
      }
      inverse.inverse_columns(out, log_m, group, stages, 0, t);
    }

    template <bool units>
    void product_block(const Word* a, const Word* b, Word* out, Word* work, unsigned log_m,
                       std::size_t group) const {
      const bool square = a == b;
      Word* const y = square ? work : out;
      unsigned end = forward.walk.end();
      if constexpr (units) end = forward.walk.log_n - Passes::kProductLog;
      forward.forward_passes(a, work, log_m, end, group);
      if (!square) forward.forward_passes(b, out, log_m, end, group);
      if constexpr (units) {
        const unsigned inner = end - log_m;
        Passes::product_units(forward.walk, inverse.walk, forward.c, q, work, y, out, group << inner,
                              std::size_t{1} << inner);
      } else {
        const std::size_t size = forward.walk.n() >> log_m, first = group * size;
        const std::size_t piece = std::min(size, kPiece);
        for (std::size_t at = first; at < first + size; at += piece) product_piece(y, out, work, at, piece);
      }
      inverse.inverse_passes(out, out, log_m, end, group);
    }

    void product_piece(const Word* y, Word* out, Word* work, std::size_t at, std::size_t piece) const {
      if constexpr (Passes::kHasTail) {
        const unsigned unit = forward.walk.log_n - forward.walk.end();  // log2 of a codelet's points
        Passes::forward_codelets(forward.walk, forward.c, work, at >> unit, piece >> unit);
        if (y != work) Passes::forward_codelets(forward.walk, forward.c, out, at >> unit, piece >> unit);
        values(work + at, y + at, out + at, piece);
        Passes::inverse_codelets(inverse.walk, inverse.c, out, out, at >> unit, piece >> unit);
      } else {
        values(work + at, y + at, out + at, piece);
      }
    }
  };
};

template <class Butterfly, class ShapeType>
using StageLoops = StageOrder<StagePasses<Butterfly, ShapeType>>;
template <class Butterfly, class ShapeType>
using SplitLoops = StageOrder<SplitPasses<Butterfly, ShapeType>>;

}  // namespace nttforge
