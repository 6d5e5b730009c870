// SPDX-License-Identifier: Apache-2.0
#pragma once

// Polynomial products for sixteen registers or scalar ones: the last forward stages of both factors, the
// product of their values and the first inverse stages, unit by unit. A unit is a tail's group of L points, L
// of them together; for one lane 2^kProductLog points, which may begin some stages before the tail.

#include <algorithm>
#include <cstddef>

#include "nttforge/ntt/kernels/products/block_products.hpp"
#include "nttforge/ntt/kernels/sixteen/tail.hpp"

namespace nttforge {

template <class Butterfly, TailShape shape>
class TailProducts : public TailStages<Butterfly, shape> {
  using Tail = TailStages<Butterfly, shape>;
  using Block = BlockProduct<Butterfly>;

 public:
  using Tail::kLanes;
  using Tail::kLanesLog;
  using Tail::kTailLog;
  using typename Tail::Constants;
  using typename Tail::Lanes;
  using typename Tail::Twiddle;
  using typename Tail::V;
  using typename Tail::Walk;
  using typename Tail::Word;
  static constexpr bool kHasProduct = Block::kExists;
  static constexpr unsigned kProductBits = Block::kBits + Block::kLog;

 private:
  /// Whether factors must be reduced in the stage before.
  static constexpr bool kSmallFactors = [] {
    if constexpr (requires { Block::kSmallFactors; }) return Block::kSmallFactors;
    return false;
  }();
  /// Whole passes that a block reaches into.
  static constexpr unsigned kPasses =
      Block::kLog <= kTailLog ? 0 : (Block::kLog - kTailLog + shape.radix_log - 1) / shape.radix_log;

 public:
  static constexpr unsigned kProductLog = kTailLog + kPasses * shape.radix_log;

  /// Units [first, first + count) of a and b as passes leave them (a == b: squares) -> out, as the first
  /// inverse stages leave them. a and b may be overwritten.
  static void product_units(const Walk& walk, const Walk& back, const Constants& constants, Word q, Word* a,
                            Word* b, Word* out, std::size_t first, std::size_t count) {
    if constexpr (kLanesLog == 0) {
      Block::with_sums(q, [&](const auto& sums) {
        for (std::size_t unit = first; unit < first + count; ++unit) {
          one_unit(walk, back, constants, sums, a, b, out, unit);
        }
      });
    } else if constexpr (kReducesAlways) {
      product_tail<Kind::keep>(walk, back, constants, q, a, b, out, first, count);
    } else if (kSmallFactors || Tail::reduces_in(walk, walk.end(), Tail::growth(kTailLog - Block::kLog))) {
      product_tail<Kind::reduce>(walk, back, constants, q, a, b, out, first, count);
    } else if constexpr (!kSmallFactors) {
      product_tail<Kind::keep>(walk, back, constants, q, a, b, out, first, count);
    }
  }

 protected:
  using Tail::kReducesAlways;
  using typename Tail::Kind;
  using typename Tail::Twiddles;

 private:
  using Tail::kGroupWords;
  using Tail::kPieceGroups;
  using Tail::kTailRows;
  using Tail::tail_twiddles;
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
      Tail::template stage<kProductLog, 1, Kind::keep>(x, s, w, Twiddle{}, c);
      Tail::template stage<kProductLog, 1, Kind::keep>(y, s, w, Twiddle{}, c);
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
        Tail::template stage<kProductLog, 1, Kind::inverse>(x, s - 1, v, Twiddle{}, c);
    store_rows<Lanes>(x, out + at, 1, 0);
  }

  static NTTF_KERNEL auto unit_twiddles(const Walk& walk, unsigned log_m, std::size_t unit) {
    constexpr unsigned kMerged = kPasses == 0 ? kTailLog : shape.radix_log;
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
      product_tail<kind, true>(walk, back, constants, q, a, b, out, first, count);
    } else {
      product_tail<kind, false>(walk, back, constants, q, a, b, out, first, count);
    }
  }

  /// Multiplies a piece stage by stage, in place.
  template <Kind kind>
  static void product_piece(const Walk& walk, const Walk& back, const Constants& constants, Word q, Word* a,
                            Word* b, Word* out, std::size_t first, std::size_t end) {
    static_assert(kStages == 1);
    Tail::template tail_stage<kind>(walk, constants, a, first, end, 0);
    if (a == b) {
      blocks<true>(walk, q, a, b, out, first, end);
    } else {
      Tail::template tail_stage<kind>(walk, constants, b, first, end, 0);
      blocks<false>(walk, q, a, b, out, first, end);
    }
    Tail::template inverse_tail_stage<Tail::Entry::reduced>(back, constants, out, out, first, end, 0);
  }

  /// Multiplies blocks that lie in squares, as tail_stage leaves them.
  template <bool square>
  static NTTF_KERNEL void blocks(const Walk& walk, Word q, const Word* a, const Word* b, Word* out,
                                 std::size_t first, std::size_t end) {
    constexpr int kBlocks = kTailRows / kBlock;
    const auto constants = Block::constants(q);
    for (std::size_t group = first; group < end; group += kLanes) {
      const auto w = tail_twiddles(walk, group);
      V x[kTailRows][1], left[kBlock][kBlocks];
      decltype(w(0, 0)) z[kBlocks];
      NTTF_UNROLL for (int i = 0; i < kBlocks; ++i) z[i] = w((kBlocks - 1) / 2 + i / 2, 0);
      load_rows<Lanes>(x, a + group * kGroupWords, kLanes, 0);
      NTTF_UNROLL for (int i = 0; i < kTailRows; ++i) left[i % kBlock][i / kBlock] = x[i][0];
      if constexpr (square) {
        Block::square(left, z, constants);
      } else {
        V right[kBlock][kBlocks];
        load_rows<Lanes>(x, b + group * kGroupWords, kLanes, 0);
        NTTF_UNROLL for (int i = 0; i < kTailRows; ++i) right[i % kBlock][i / kBlock] = x[i][0];
        Block::multiply(left, right, z, constants);
      }
      NTTF_UNROLL for (int i = 0; i < kTailRows; ++i) x[i][0] = left[i % kBlock][i / kBlock];
      store_rows<Lanes>(x, out + group * kGroupWords, kLanes, 0);
    }
  }

  template <Kind kind, bool square>
  static void product_tail(const Walk& walk, const Walk& back, const Constants& constants, Word q,
                           const Word* a, const Word* b, Word* out, std::size_t first, std::size_t count) {
    constexpr int kBlocks = kTailRows / kBlock;
    const Constants c = constants;
    const auto block_constants = Block::constants(q);
    for (std::size_t group = first; group < first + count; group += kLanes) {
      const auto w = tail_twiddles(walk, group), v = tail_twiddles(back, group);
      V x[kTailRows][1], left[kBlock][kBlocks];
      decltype(w(0, 0)) z[kBlocks];
      load_squares<Lanes>(x, a + group * kGroupWords);
      NTTF_UNROLL for (unsigned s = 0; s < kStages; ++s)
          Tail::template stage<kTailLog, 1, kind>(x, s, w, Twiddle{}, c);
      NTTF_UNROLL for (int i = 0; i < kTailRows; ++i) left[i % kBlock][i / kBlock] = x[i][0];
      if constexpr (kStages == 0) {
        z[0] = Twiddles::paired(walk.stage_entry(walk.end() - 1, group / 2));
      } else {
        NTTF_UNROLL for (int i = 0; i < kBlocks; ++i) z[i] = w((kBlocks - 1) / 2 + i / 2, 0);
      }
      if constexpr (square) {
        Block::square(left, z, block_constants);
      } else {
        V y[kTailRows][1], right[kBlock][kBlocks];
        load_squares<Lanes>(y, b + group * kGroupWords);
        NTTF_UNROLL for (unsigned s = 0; s < kStages; ++s)
            Tail::template stage<kTailLog, 1, kind>(y, s, w, Twiddle{}, c);
        NTTF_UNROLL for (int i = 0; i < kTailRows; ++i) right[i % kBlock][i / kBlock] = y[i][0];
        Block::multiply(left, right, z, block_constants);
      }
      NTTF_UNROLL for (int i = 0; i < kTailRows; ++i) x[i][0] = left[i % kBlock][i / kBlock];
      NTTF_UNROLL for (unsigned s = kStages; s > 0; --s)
          Tail::template stage<kTailLog, 1, Kind::inverse>(x, s - 1, v, Twiddle{}, c);
      store_squares<Lanes>(x, out + group * kGroupWords);
    }
  }
};

}  // namespace nttforge
