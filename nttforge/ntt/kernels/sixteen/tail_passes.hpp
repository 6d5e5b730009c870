// SPDX-License-Identifier: Apache-2.0
#pragma once

// Loops for cores with sixteen vector registers or scalar ones; stage_order.hpp says in which order they go
// over memory, stage_passes.hpp is the counterpart for thirty-two registers.
//
// Such a core holds few points, and looks ahead less than a codelet of L x L points is long. So stages are
// done in short loops:
//
//   passes   all but the last log L stages, radix_log of them per pass (what is left over first). The rows of
//            the last pass are single vectors; `together` groups are in flight there
//   tail     the last log L stages, on L x L points in registers: transposed, so that stages are between
//            vectors, transposed back, full reduction
//
// One lane (L = 1) has a tail of last_log stages that needs no transposition. The inverse runs the steps
// backwards; its last pass multiplies by 1/n and reduces.
//
// A polynomial product does the last forward stages of both factors, the product of their values and the
// first inverse stages unit by unit. A unit is a tail's group of L points, L of them together; for one lane
// 2^kProductLog points, which may begin some stages before the tail.

#include <algorithm>
#include <bit>
#include <cstddef>

#include "nttforge/ntt/kernels/products/block_products.hpp"
#include "nttforge/ntt/kernels/sixteen/strip_passes.hpp"
#include "nttforge/ntt/stage_order.hpp"

namespace nttforge {

template <class ButterflyType, TailShape shape>
class TailPasses {
 public:
  using Butterfly = ButterflyType;
  using Lanes = typename Butterfly::Lanes;
  using Word = typename Butterfly::Word;
  using V = typename Butterfly::V;
  using Twiddle = typename Butterfly::Twiddle;
  using Constants = typename Butterfly::Constants;
  using Product = typename Butterfly::Product;
  using Block = BlockProduct<Butterfly>;
  static constexpr std::size_t kLanes = Lanes::kWidth;
  static constexpr unsigned kLanesLog = static_cast<unsigned>(std::countr_zero(kLanes));
  static constexpr int kTogether = shape.together;
  static constexpr unsigned kTailLog = kLanesLog == 0 ? shape.last_log : kLanesLog;
  using Walk =
      PassWalk<Butterfly,
               WalkShape{.log_lanes = kLanesLog, .radix_log = shape.radix_log, .tail_log = kTailLog}>;
  static constexpr unsigned kRadixLog = shape.radix_log;
  static constexpr unsigned kLogBlock = shape.log_block;
  static constexpr std::size_t kColumnWords = kLanes * static_cast<std::size_t>(shape.columns);
  /// Points of the smallest tail beyond one vector per row, as logarithm: what a block keeps.
  static constexpr unsigned kKeptLog =
      static_cast<unsigned>(std::countr_zero(unsigned(kTogether))) + kLanesLog;
  /// And a pass for 1/n.
  static constexpr unsigned kMinLogN = kTailLog + kKeptLog + (kKeptLog == 0 ? 1 : 0);
  static constexpr unsigned kLongAbove = 0, kQuotientsFrom = 0;
  static constexpr bool kMultipliesValues = false;  ///< by its parts a product takes 1 % less
  static constexpr bool kSigned = false;
  static constexpr LaneTwiddles kLaneTwiddles =
      vectors_of_values<Butterfly> ? LaneTwiddles::vectors_of_values : LaneTwiddles::vectors;
#if defined(__wasm__)
  static constexpr bool kHasProduct = false;  ///< no scheme asks for them, and pages load every byte
#else
  static constexpr bool kHasProduct = Block::kExists;
#endif
  static constexpr unsigned kProductBits = kHasProduct ? Block::kBits + Block::kLog : 0;
  static_assert(kRadixLog <= 2);

 private:
  using Kind = SparseKind;
  using Twiddles = TableTwiddles<Product>;
  static constexpr bool kReducesAlways = reduces_always<Butterfly, shape>;
  static constexpr int kTailRows = 1 << kTailLog;
  static constexpr std::size_t kGroupWords = kTailRows;  ///< L > 1: one vector; else the tail itself
  static constexpr std::size_t kTailGroups = kLanes * kTogether;
  /// Groups of a piece that stays in the first-level cache, where the tail is one loop a stage and one for
  /// what follows.
  static constexpr std::size_t kPieceGroups = 256;
  /// Whole passes that a block reaches into.
  static constexpr unsigned kBlockPasses =
      Block::kLog <= kTailLog ? 0 : (Block::kLog - kTailLog + kRadixLog - 1) / kRadixLog;

 public:
  static constexpr unsigned kProductLog = kTailLog + kBlockPasses * kRadixLog;

  /// Runs the pass at 2^log_m over an area whose first group is `group`.
  static void forward_pass(const Walk& walk, const Constants& c, const Area<Word>& area, unsigned log_m,
                           std::size_t group) {
    const unsigned log = walk.step(log_m);
    const Word* const table = walk.scalars(log_m, log, group);
    if (log == kRadixLog) return forward_pass_of<kRadixLog>(walk, table, c, area, log_m);
    if constexpr (kRadixLog > 1) forward_pass_of<1>(walk, table, c, area, log_m);
  }
  static void inverse_pass(const Walk& walk, const Constants& c, const Twiddle& scale, const Area<Word>& area,
                           unsigned log_m, std::size_t group) {
    const unsigned log = log_m == 0 && walk.odd() != 0 ? walk.odd() : kRadixLog;
    const Word* const table = walk.scalars(log_m, log, group);
    if (log == kRadixLog) return inverse_pass_of<kRadixLog>(table, c, scale, area, log_m);
    if constexpr (kRadixLog > 1) inverse_pass_of<1>(table, c, scale, area, log_m);
  }

  /// The tail of groups [first, first + count), as the last pass leaves them; both multiples of what is
  /// together.
  static void forward_codelets(const Walk& walk, const Constants& constants, Word* out, std::size_t first,
                               std::size_t count) {
    if (!kReducesAlways && reduces_in(walk, walk.end(), growth(kTailLog - Butterfly::kFinalReduces))) {
      forward_tail<Kind::final_reduce>(walk, constants, out, first, count);
    } else {
      forward_tail<Kind::final>(walk, constants, out, first, count);
    }
  }
  static void inverse_codelets(const Walk& walk, const Constants& constants, const Word* in, Word* out,
                               std::size_t first, std::size_t count) {
    if constexpr (Butterfly::kConverts) {
      if (walk.lazy_input) return inverse_tail<Entry::lazy>(walk, constants, in, out, first, count);
    }
    inverse_tail<Entry::reduced>(walk, constants, in, out, first, count);
  }

  /// Units [first, first + count) of a and b as passes leave them (a == b: squares) -> out, as the first
  /// inverse stages leave them. a and b may be overwritten.
  static void product_units(const Walk& walk, const Walk& back, const Constants& constants, Word q, Word* a,
                            Word* b, Word* out, std::size_t first, std::size_t count) {
    if constexpr (kLanesLog == 0) {
      Block::with_sums(q, [&](const auto& sums) {
        for (std::size_t unit = first; unit < first + count; ++unit)
          one_unit(walk, back, constants, sums, a, b, out, unit);
      });
    } else if constexpr (kReducesAlways) {
      product_tail<Kind::keep>(walk, back, constants, q, a, b, out, first, count);
    } else if (kSmallFactors || reduces_in(walk, walk.end(), growth(kTailLog - Block::kLog))) {
      product_tail<Kind::reduce>(walk, back, constants, q, a, b, out, first, count);
    } else if constexpr (!kSmallFactors) {
      product_tail<Kind::keep>(walk, back, constants, q, a, b, out, first, count);
    }
  }

 private:
  /// `table`: the twiddles of the area's first group. Area and constants are copied, so that no store through
  /// `out` makes the compiler load them again.
  template <unsigned log, Kind kind, Entry entry, int columns>
  static NTTF_KERNEL void tile_pass(const Word* table, const Constants constants, const Twiddle scale,
                                    const Area<Word> area) {
    const Constants c = constants;
    each_tile<Butterfly, log, columns>(table, area,
                                       [&](auto& r, const auto& twiddles, std::size_t) NTTF_LAMBDA_INLINE {
                                         enter_rows<Butterfly, entry, true>(r, c);
                                         sparse_stages<Butterfly, shape, kind>(r, twiddles, scale, c);
                                       });
  }

  /// Runs the pass whose rows are single vectors, kTogether groups at once, in place.
  template <unsigned log, Kind kind>
  static NTTF_KERNEL void vector_pass(const Word* table, const Constants constants, const Area<Word> area) {
    constexpr int kRows = 1 << log;
    const Constants c = constants;
    for (std::size_t group = 0; group < area.groups; group += kTogether) {
      V r[kRows][kTogether];
      load_rows<Lanes>(r, area.in + group * area.place.group, kLanes, kRows * kLanes);
      const typename Twiddles::template Scalars<kRows - 1> twiddles{table};
      sparse_stages<Butterfly, shape, kind>(r, twiddles, Twiddle{}, c);
      store_rows<Lanes>(r, area.out + group * area.place.group, kLanes, kRows * kLanes);
      table += 2 * (kRows - 1) * kTogether;
    }
  }

  template <unsigned log, Kind kind, Entry entry>
  static NTTF_KERNEL void pass(const Word* table, const Constants& c, const Twiddle& scale,
                               const Area<Word>& area) {
    if constexpr (shape.stagewise && (entry != Entry::none || kind == Kind::inverse_last)) {
      if (area.columns % strip_words<Lanes> == 0)
        return strip_pass<Butterfly, shape, log, kind, entry>(table, c, scale, area);
    }
    if (kLanesLog != 0 && entry == Entry::none && kind != Kind::inverse_last && area.columns == kLanes &&
        area.groups % kTogether == 0) {
      if constexpr (kLanesLog != 0 && kind != Kind::inverse_last) vector_pass<log, kind>(table, c, area);
    } else if (area.columns % kColumnWords == 0) {
      tile_pass<log, kind, entry, shape.columns>(table, c, scale, area);
    } else {
      tile_pass<log, kind, entry, 1>(table, c, scale, area);
    }
  }

  template <unsigned log>
  static void forward_pass_of(const Walk& walk, const Word* table, const Constants& c, const Area<Word>& area,
                              unsigned log_m) {
    const Twiddle none{};
    if (Butterfly::kConverts && log_m == 0) {
      if constexpr (Butterfly::kConverts) {
        if (walk.lazy_input) return pass<log, Kind::reduce, Entry::lazy>(table, c, none, area);
        pass<log, Kind::keep, Entry::reduced>(table, c, none, area);
      }
    } else if (kReducesAlways || !reduces_in(walk, log_m, log)) {
      pass<log, Kind::keep, Entry::none>(table, c, none, area);
    } else {
      if constexpr (!kReducesAlways && log == kRadixLog)
        pass<log, Kind::reduce, Entry::none>(table, c, none, area);
    }
  }

  template <unsigned log>
  static void inverse_pass_of(const Word* table, const Constants& c, const Twiddle& scale,
                              const Area<Word>& area, unsigned log_m) {
    if (log_m == 0) {
      pass<log, Kind::inverse_last, Entry::none>(table, c, scale, area);
    } else if constexpr (log == kRadixLog) {
      pass<log, Kind::inverse, Entry::none>(table, c, scale, area);
    }
  }

  /// How many stages of passes a tail that reduces after `stages` stages counts for (docs/bounds/fp64.md).
  static constexpr unsigned growth(unsigned stages) {
    if constexpr (vectors_of_values<Butterfly>) return Butterfly::kTailGrowth;
    return stages;
  }
  /// Whether forward values must be reduced first in the next `more` stages, log_m stages having been done.
  static bool reduces_in(const Walk& walk, unsigned log_m, unsigned more) {
    unsigned grown = 0;
    for (unsigned at = 0; at < log_m; at += walk.step(at)) {
      grown = grown + walk.step(at) > Butterfly::kForwardStages ? walk.step(at) : grown + walk.step(at);
    }
    return grown + more > Butterfly::kForwardStages;
  }

  static NTTF_KERNEL auto tail_twiddles(const Walk& walk, std::size_t group) {
    if constexpr (kLanesLog == 0) {
      return typename Twiddles::template Scalars<kTailRows - 1>{walk.scalars(walk.end(), kTailLog, group)};
    } else if constexpr (vectors_of_values<Butterfly>) {
      return typename Twiddles::ValueVectors{walk.table + (kLanes - 1) * group};
    } else {
      return typename Twiddles::Vectors{walk.table + 2 * (kLanes - 1) * group};
    }
  }

  template <Kind kind>
  static void forward_tail(const Walk& walk, const Constants& constants, Word* out, std::size_t first,
                           std::size_t count) {
    if constexpr (shape.stagewise) {
      for (std::size_t group = first; group < first + count; group += kPieceGroups) {
        const std::size_t end = std::min(group + kPieceGroups, first + count);
        NTTF_UNROLL for (unsigned s = 0; s < kTailLog; ++s)
            tail_stage<kind>(walk, constants, out, group, end, s);
        reduce_squares(constants, out, group, end);
      }
      return;
    }
    const Constants c = constants;
    for (std::size_t group = first; group < first + count; group += kTailGroups) {
      V r[kTailRows][kTogether];
      load_squares<Lanes>(r, out + group * kGroupWords);
      sparse_stages<Butterfly, shape, kind>(r, tail_twiddles(walk, group), Twiddle{}, c);
      each_vector(r, [&](const V& v) NTTF_LAMBDA_INLINE { return Butterfly::reduce_forward(v, c); });
      store_squares<Lanes>(r, out + group * kGroupWords);
    }
  }

  template <Entry entry>
  static NTTF_KERNEL void inverse_tail(const Walk& walk, const Constants& constants, const Word* in,
                                       Word* out, std::size_t first, std::size_t count) {
    if constexpr (shape.stagewise) {
      for (std::size_t group = first; group < first + count; group += kPieceGroups) {
        const std::size_t end = std::min(group + kPieceGroups, first + count);
        NTTF_UNROLL for (unsigned i = 0; i < kTailLog; ++i)
            inverse_tail_stage<entry>(walk, constants, in, out, group, end, kTailLog - 1 - i);
      }
      return;
    }
    const Constants c = constants;
    for (std::size_t group = first; group < first + count; group += kTailGroups) {
      V r[kTailRows][kTogether];
      load_squares<Lanes>(r, in + group * kGroupWords);
      enter_rows<Butterfly, entry, false>(r, c);
      sparse_stages<Butterfly, shape, Kind::inverse>(r, tail_twiddles(walk, group), Twiddle{}, c);
      store_squares<Lanes>(r, out + group * kGroupWords);
    }
  }

  template <Kind kind>
  static NTTF_KERNEL void tail_stage(const Walk& walk, const Constants& constants, Word* out,
                                     std::size_t first, std::size_t end, unsigned s) {
    const Constants c = constants;
    for (std::size_t group = first; group < end; group += kTailGroups) {
      V r[kTailRows][kTogether];
      Word* const p = out + group * kGroupWords;
      if (s == 0) {
        load_squares<Lanes>(r, p);
      } else {
        load_rows<Lanes>(r, p, kLanes, kTailRows * kLanes);
      }
      sparse_stage<Butterfly, shape, kind>(r, s, tail_twiddles(walk, group), Twiddle{}, c);
      store_rows<Lanes>(r, p, kLanes, kTailRows * kLanes);
    }
  }

  template <Entry entry>
  static NTTF_KERNEL void inverse_tail_stage(const Walk& walk, const Constants& constants, const Word* in,
                                             Word* out, std::size_t first, std::size_t end, unsigned s) {
    const Constants c = constants;
    for (std::size_t group = first; group < end; group += kTailGroups) {
      V r[kTailRows][kTogether];
      Word* const p = out + group * kGroupWords;
      if (s == kTailLog - 1) {
        load_squares<Lanes>(r, in + group * kGroupWords);
        enter_rows<Butterfly, entry, false>(r, c);
      } else {
        load_rows<Lanes>(r, p, kLanes, kTailRows * kLanes);
      }
      sparse_stage<Butterfly, shape, Kind::inverse>(r, s, tail_twiddles(walk, group), Twiddle{}, c);
      if (s > 0) {
        store_rows<Lanes>(r, p, kLanes, kTailRows * kLanes);
      } else {
        store_squares<Lanes>(r, p);
      }
    }
  }

  static NTTF_KERNEL void reduce_squares(const Constants& constants, Word* out, std::size_t first,
                                         std::size_t end) {
    const Constants c = constants;
    for (std::size_t group = first; group < end; group += kTailGroups) {
      V r[kTailRows][kTogether];
      Word* const p = out + group * kGroupWords;
      load_rows<Lanes>(r, p, kLanes, kTailRows * kLanes);
      each_vector(r, [&](const V& v) NTTF_LAMBDA_INLINE { return Butterfly::reduce_forward(v, c); });
      store_squares<Lanes>(r, p);
    }
  }

  /// Whether factors must be reduced in the stage before the blocks.
  static constexpr bool kSmallFactors = [] {
    if constexpr (requires { Block::kSmallFactors; }) return Block::kSmallFactors;
    return false;
  }();
  static constexpr int kUnit = 1 << kProductLog, kBlock = 1 << Block::kLog;
  static constexpr unsigned kStages = kProductLog - Block::kLog;  ///< before and after the blocks

  /// Multiplies 2^kStages blocks, of alternating sign, in one lane.
  template <class Sums>
  static void one_unit(const Walk& walk, const Walk& back, const Constants& c, const Sums& sums,
                       const Word* a, const Word* b, Word* out, std::size_t unit) {
    const std::size_t at = unit << kProductLog;
    const unsigned log_m = walk.log_n - kProductLog;
    const auto w = unit_twiddles(walk, log_m, unit), v = unit_twiddles(back, log_m, unit);
    V x[kUnit][1], y[kUnit][1];
    load_rows<Lanes>(x, a + at, 1, 0);
    load_rows<Lanes>(y, b + at, 1, 0);
    NTTF_UNROLL for (unsigned s = 0; s < kStages; ++s) {
      sparse_stage<Butterfly, shape, Kind::keep>(x, s, w, Twiddle{}, c);
      sparse_stage<Butterfly, shape, Kind::keep>(y, s, w, Twiddle{}, c);
    }
    if constexpr (kStages == 0) {
      const Word* const entry = walk.stage_entry(log_m - 1, unit / 2);
      const Twiddle z = typename Twiddles::template Scalars<0>{entry}(0, 0);
      if (unit % 2 != 0) {
        Block::template multiply<true>(x[0], x[0], y[0], z, c, sums);
      } else {
        Block::template multiply<false>(x[0], x[0], y[0], z, c, sums);
      }
    } else {
      NTTF_UNROLL for (int i = 0; i < 1 << kStages; i += 2) {
        const Twiddle z = w((1 << (kStages - 1)) - 1 + i / 2, 0);
        V* const p = x[i * kBlock];
        Block::template multiply<false>(p, p, y[i * kBlock], z, c, sums);
        Block::template multiply<true>(p + kBlock, p + kBlock, y[(i + 1) * kBlock], z, c, sums);
      }
    }
    NTTF_UNROLL for (unsigned s = kStages; s > 0; --s)
        sparse_stage<Butterfly, shape, Kind::inverse>(x, s - 1, v, Twiddle{}, c);
    store_rows<Lanes>(x, out + at, 1, 0);
  }

  static NTTF_KERNEL auto unit_twiddles(const Walk& walk, unsigned log_m, std::size_t unit) {
    constexpr unsigned kMerged = kBlockPasses == 0 ? kTailLog : kRadixLog;
    return typename Twiddles::template Scalars<0>{walk.scalars(log_m, kMerged, unit)};
  }

  template <Kind kind>
  static void product_tail(const Walk& walk, const Walk& back, const Constants& constants, Word q, Word* a,
                           Word* b, Word* out, std::size_t first, std::size_t count) {
    if constexpr (shape.stagewise) {
      for (std::size_t group = first; group < first + count; group += kPieceGroups) {
        const std::size_t end = std::min(group + kPieceGroups, first + count);
        product_piece<kind>(walk, back, constants, q, a, b, out, group, end);
      }
    } else if (a == b) {
      product_groups<kind, true>(walk, back, constants, q, a, b, out, first, count);
    } else {
      product_groups<kind, false>(walk, back, constants, q, a, b, out, first, count);
    }
  }

  /// Multiplies a piece stage by stage, in place.
  template <Kind kind>
  static void product_piece(const Walk& walk, const Walk& back, const Constants& constants, Word q, Word* a,
                            Word* b, Word* out, std::size_t first, std::size_t end) {
    static_assert(kStages == 1);
    tail_stage<kind>(walk, constants, a, first, end, 0);
    if (a == b) {
      blocks<true>(walk, q, a, b, out, first, end);
    } else {
      tail_stage<kind>(walk, constants, b, first, end, 0);
      blocks<false>(walk, q, a, b, out, first, end);
    }
    inverse_tail_stage<Entry::reduced>(back, constants, out, out, first, end, 0);
  }

  /// Multiplies blocks that lie in squares, as tail_stage leaves them.
  template <bool square>
  static NTTF_KERNEL void blocks(const Walk& walk, Word q, const Word* a, const Word* b, Word* out,
                                 std::size_t first, std::size_t end) {
    const auto constants = Block::constants(q);
    for (std::size_t group = first; group < end; group += kLanes) {
      V x[kTailRows][1], y[kTailRows][1];
      load_rows<Lanes>(x, a + group * kGroupWords, kLanes, 0);
      if constexpr (!square) load_rows<Lanes>(y, b + group * kGroupWords, kLanes, 0);
      multiply_blocks<square>(x, y, walk, tail_twiddles(walk, group), group, constants);
      store_rows<Lanes>(x, out + group * kGroupWords, kLanes, 0);
    }
  }

  template <Kind kind, bool square>
  static void product_groups(const Walk& walk, const Walk& back, const Constants& constants, Word q,
                             const Word* a, const Word* b, Word* out, std::size_t first, std::size_t count) {
    const Constants c = constants;
    const auto block_constants = Block::constants(q);
    for (std::size_t group = first; group < first + count; group += kLanes) {
      const auto w = tail_twiddles(walk, group), v = tail_twiddles(back, group);
      V x[kTailRows][1], y[kTailRows][1];
      load_squares<Lanes>(x, a + group * kGroupWords);
      NTTF_UNROLL for (unsigned s = 0; s < kStages; ++s)
          sparse_stage<Butterfly, shape, kind>(x, s, w, Twiddle{}, c);
      if constexpr (!square) {
        load_squares<Lanes>(y, b + group * kGroupWords);
        NTTF_UNROLL for (unsigned s = 0; s < kStages; ++s)
            sparse_stage<Butterfly, shape, kind>(y, s, w, Twiddle{}, c);
      }
      multiply_blocks<square>(x, y, walk, w, group, block_constants);
      NTTF_UNROLL for (unsigned s = kStages; s > 0; --s)
          sparse_stage<Butterfly, shape, Kind::inverse>(x, s - 1, v, Twiddle{}, c);
      store_squares<Lanes>(x, out + group * kGroupWords);
    }
  }

  /// x = x y, or x x if square: the blocks of a square, which lie one after the other.
  template <bool square, class Source, class BlockConstants>
  static NTTF_KERNEL void multiply_blocks(V (&x)[kTailRows][1], const V (&y)[kTailRows][1], const Walk& walk,
                                          const Source& w, std::size_t group, const BlockConstants& c) {
    constexpr int kBlocks = kTailRows / kBlock;
    V left[kBlock][kBlocks], right[kBlock][kBlocks];
    decltype(w(0, 0)) z[kBlocks];
    NTTF_UNROLL for (int i = 0; i < kTailRows; ++i) left[i % kBlock][i / kBlock] = x[i][0];
    if constexpr (kStages == 0) {
      z[0] = Twiddles::paired(walk.stage_entry(walk.end() - 1, group / 2));
    } else {
      NTTF_UNROLL for (int i = 0; i < kBlocks; ++i) z[i] = w((kBlocks - 1) / 2 + i / 2, 0);
    }
    if constexpr (square) {
      Block::square(left, z, c);
    } else {
      NTTF_UNROLL for (int i = 0; i < kTailRows; ++i) right[i % kBlock][i / kBlock] = y[i][0];
      Block::multiply(left, right, z, c);
    }
    NTTF_UNROLL for (int i = 0; i < kTailRows; ++i) x[i][0] = left[i % kBlock][i / kBlock];
  }
};

template <class Butterfly, TailShape shape>
using TailLoops = StageOrder<TailPasses<Butterfly, shape>>;

}  // namespace nttforge
