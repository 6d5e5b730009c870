// SPDX-License-Identifier: Apache-2.0
#pragma once

// What kernels do: transforms in the order of stage_run.hpp, whole or in parts, and polynomial products.
//
// For several threads one transform is a matrix of 2^s rows, the groups of its first s stages: threads take
// ranges of columns for those stages, then ranges of rows.
//
// A polynomial product does the columns of both factors, then row by row: forward, product of the values and
// inverse, the last stages and the product in pieces of kPiece words that stay in the first-level cache; then
// the columns backwards. So the values never travel.

#include <algorithm>
#include <cstddef>

#include "nttforge/ntt/kernels.hpp"
#include "nttforge/ntt/kernels/sixteen/tail_passes.hpp"
#include "nttforge/ntt/kernels/thirty_two/stage_loops.hpp"
#include "nttforge/ntt/kernels/thirty_two/stage_run.hpp"
#include "nttforge/ntt/row_ops.hpp"

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
  using Run = StageRun<Passes>;

  static void one_point(const Word* in, Word* out, unsigned phase, std::size_t part) {
    if (phase == 0 && part == 0) out[0] = in[0];
  }

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

template <class Butterfly, StageShape shape>
using StageLoops = StageOrder<StagePasses<Butterfly, shape>>;
template <class Butterfly, TailShape shape>
using TailLoops = StageOrder<TailPasses<Butterfly, shape>>;

}  // namespace nttforge
