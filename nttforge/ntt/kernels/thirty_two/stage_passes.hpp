// SPDX-License-Identifier: Apache-2.0
#pragma once

// Loops for thirty-two registers: which butterflies, in which order. The arithmetic is the Butterfly's, the
// order of passes over memory is stage_order.hpp's.
//
// Forward, n = 2^log_n points, L lanes:
//   passes    the first log_n - 2 log L stages, radix_log of them per pass (pass_steps.hpp has the
//             exceptions): a group's 2^radix_log rows lie t words apart, `columns` vectors of each row are
//             in flight at once
//   codelets  the last 2 log L stages on L x L points in registers: log L stages between vectors, log L
//             stages between points of a vector, full reduction. Two ways for the latter:
//
//     transposed  lane g of vector i = point i of row g; stages over i, one twiddle per lane; transpose back.
//                 2 log L shuffles a vector
//     exchanged   (lanes that have `exchange`) before each stage the highest lane bit not yet done changes
//                 places with the highest row bit; lane_exchange.hpp. log L + 1 shuffles a vector, and
//                 spread between the stages
//
// One lane (L = 1) has no codelets; its last pass reduces. The inverse runs the steps backwards; its last
// pass multiplies by 1/n and reduces. A polynomial product runs the codelets of both factors up to blocks
// (block_products.hpp), multiplies these, and runs codelets of the inverse from there on.
//
// Twiddles (value, quotient) lie in the order they are read; see twiddles.hpp.

#include <algorithm>
#include <bit>
#include <cstddef>

#include "nttforge/ntt/kernels/products/ifma_block_product.hpp"
#include "nttforge/ntt/kernels/products/ifma_pair_product.hpp"
#include "nttforge/ntt/kernels/thirty_two/stage_registers.hpp"
#include "nttforge/ntt/stage_order.hpp"

namespace nttforge {

struct StageShape {
  unsigned radix_log;           ///< stages per pass (1 or 2)
  int columns;                  ///< vectors of each row in flight in a pass
  int codelets;                 ///< codelets in flight
  int batch;                    ///< butterflies handed to Butterfly at once; bounded by the registers
  unsigned log_block;           ///< log2 of the points worked on to the end at once
  bool long_passes = false;     ///< three stages per pass over groups larger than a block (pass_steps.hpp)
  unsigned quotients_from = 0;  ///< log2 of the n from which tables hold only quotients for lanes; 0: never

  constexpr unsigned long_above() const { return long_passes ? log_block : 0; }
};

template <class ButterflyType, StageShape shape>
class StagePasses {
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
  static constexpr unsigned kTailLog = 2 * kLanesLog;  ///< of a codelet's points
  using Walk = PassWalk<Butterfly, WalkShape{.log_lanes = kLanesLog,
                                             .radix_log = shape.radix_log,
                                             .tail_log = kTailLog,
                                             .long_above = shape.long_above(),
                                             .quotients_from = shape.quotients_from}>;
  static constexpr unsigned kRadixLog = shape.radix_log;
  static constexpr unsigned kLogBlock = shape.log_block;
  static constexpr unsigned kLongAbove = shape.long_above();
  static constexpr unsigned kQuotientsFrom = shape.quotients_from;
  static constexpr bool kSigned = Butterfly::kSigned;
  /// Columns of a pass are a multiple of this many words.
  static constexpr std::size_t kColumnWords = kLanes * static_cast<std::size_t>(shape.columns);
  /// Stages that a block keeps: rows of two codelets, or the reducing pass.
  static constexpr unsigned kKeptLog = kLanesLog == 0 ? kRadixLog : 1;
  static constexpr bool kExchanged = ExchangingLanes<Lanes>;
  static constexpr bool kHasProduct = Block::kExists && kExchanged;
  static constexpr unsigned kProductLog = kTailLog;
  static constexpr unsigned kProductBits = kHasProduct ? Block::kBits + Block::kLog : 0;
  static constexpr bool kMultipliesValues = true;  ///< a product of values between passes is worth while
  static constexpr LaneTwiddles kLaneTwiddles = kExchanged ? LaneTwiddles::exchanged : LaneTwiddles::vectors;
  /// A pass must be left for 1/n, and two codelets for interleaving.
  static constexpr unsigned kMinLogN = kLanesLog == 0 ? 0 : kTailLog + 1;
  static_assert(shape.log_block >= kTailLog + 2 && shape.columns <= static_cast<int>(kLanes) &&
                shape.codelets <= 2 && shape.radix_log <= 2);
  static_assert(!Butterfly::kConverts || kLanesLog != 0);  // one lane has no codelets to enter through

  /// Runs the pass at 2^log_m over an area whose first group is `group`.
  static void forward_pass(const Walk& walk, const Constants& c, const Area<Word>& area, unsigned log_m,
                           std::size_t group) {
    const Twiddle none{};
    if constexpr (kLanesLog == 0) {
      if (log_m + walk.step(log_m) == walk.end())
        return run<Mode::forward_last>(walk, c, none, area, log_m, group);
    }
    if (log_m != 0 || (walk.lazy_input && !Butterfly::kLazyFirst)) {
      run<Mode::forward>(walk, c, none, area, log_m, group);
    } else {
      run<Mode::forward_first>(walk, c, none, area, log_m, group);
    }
  }
  static void inverse_pass(const Walk& walk, const Constants& c, const Twiddle& scale, const Area<Word>& area,
                           unsigned log_m, std::size_t group) {
    if (log_m == 0) {
      run<Mode::inverse_last>(walk, c, scale, area, log_m, group);
    } else {
      run<Mode::inverse>(walk, c, scale, area, log_m, group);
    }
  }

  /// Codelets [first, first + count); `count` is a multiple of those in flight.
  static void forward_codelets(const Walk& walk, const Constants& c, Word* out, std::size_t first,
                               std::size_t count) {
    with_lanes(walk,
               [&](auto quotients) { forward_all<decltype(quotients)::value>(walk, c, out, first, count); });
  }
  static void inverse_codelets(const Walk& walk, const Constants& c, const Word* in, Word* out,
                               std::size_t first, std::size_t count) {
    with_lanes(walk, [&](auto quotients) {
      constexpr bool kQuotients = decltype(quotients)::value;
      if constexpr (sizeof(Word) == 8) {
        if (walk.lazy_input) return inverse_all<kQuotients, true>(walk, c, in, out, first, count);
      }
      inverse_all<kQuotients, false>(walk, c, in, out, first, count);
    });
  }

  /// forward_codelets on a and b (a == b: squares), product of their values and inverse_codelets: the last
  /// stages as products of short polynomials (block_products.hpp).
  static void product_units(const Walk& walk, const Walk& back, const Constants& c, Word q, const Word* a,
                            const Word* b, Word* out, std::size_t first, std::size_t count) {
    with_lanes(walk, [&](auto quotients) {
      constexpr bool kQuotients = decltype(quotients)::value;
      if (a == b) {
        product_codelets<kQuotients, true>(walk, back, c, q, a, b, out, first, count);
      } else {
        product_codelets<kQuotients, false>(walk, back, c, q, a, b, out, first, count);
      }
    });
  }

 private:
  using Twiddles = TableTwiddles<Product>;
  static constexpr int kRows = 1 << kLanesLog, kBatch = shape.batch;
  static constexpr std::size_t kPoints = kLanes * kLanes;
  static constexpr std::size_t kPieceCodelets = 8;  ///< multiplied, then on their way back, in a fast cache
  enum class Mode { forward_first, forward, forward_last, inverse, inverse_last };

  /// `table`: the twiddles of the area's first group. Area and constants are copied, so that no store through
  /// `out` makes the compiler load them again.
  template <unsigned log, Mode mode>
  static NTTF_KERNEL void pass(const Word* table, const Constants constants, const Twiddle scale,
                               const Area<Word> area, [[maybe_unused]] std::size_t first_group) {
    constexpr int kColumns = kLongAbove != 0 && log == 3 ? shape.columns / 2 : shape.columns;
    const Constants c = constants;
    each_tile<Butterfly, log, kColumns>(
        table, area,
        [&](auto& r, const auto& twiddles, [[maybe_unused]] std::size_t group) NTTF_LAMBDA_INLINE {
          if constexpr (mode == Mode::forward_first)
            each_vector(r, [](const V& v) NTTF_LAMBDA_INLINE { return Butterfly::enter(v); });
          if constexpr (mode <= Mode::forward_last) {
            forward_stages<Butterfly, kBatch, mode == Mode::forward_last>(
                r, twiddles, mode == Mode::forward_first ? Step::first : Step::reduce, NoGroup{}, c);
          } else {
            inverse_stages<Butterfly, kBatch, mode == Mode::inverse_last>(
                r, twiddles, scale, Step::keep, ColumnGroups{first_group + group, true}, c);
          }
        });
  }

  /// Only the first pass and, in scalar code, the last one may merge fewer stages than kRadixLog.
  template <Mode mode>
  static NTTF_KERNEL void run(const Walk& walk, const Constants& c, const Twiddle& scale,
                              const Area<Word>& area, unsigned log_m, std::size_t group) {
    constexpr bool kAny =
        mode == Mode::forward ? sizeof(Word) == 8 && !Butterfly::kLazyFirst : mode != Mode::inverse;
    const unsigned log = kAny || kLongAbove != 0 ? walk.step(log_m) : kRadixLog;
    const Word* const table = walk.scalars(log_m, log, group);
    if constexpr (kLongAbove != 0) {
      if (log == 3) return pass<3, mode>(table, c, scale, area, group);
    }
    if (!kAny || log == kRadixLog) return pass<kRadixLog, mode>(table, c, scale, area, group);
    if constexpr (kAny) pass<1, mode>(table, c, scale, area, group);
  }

  static NTTF_KERNEL auto row_twiddles(const Walk& walk, std::size_t first) {
    return typename Twiddles::template Scalars<kLanes - 1>{walk.scalars(walk.end(), kLanesLog, first)};
  }
  /// Twiddles of the stages between lanes, from codelet `first` on.
  template <bool quotients>
  static NTTF_KERNEL auto lane_twiddles(const Walk& walk, [[maybe_unused]] const Constants& c,
                                        std::size_t first) {
    const Word* const table = walk.table + walk.lane_words() * kLanes * (kLanes - 1) * first;
    if constexpr (!kExchanged) {
      return typename Twiddles::Vectors{table};
    } else if constexpr (quotients) {
      return typename Twiddles::RepeatedQuotients{table, c};
    } else {
      return typename Twiddles::Repeated{table};
    }
  }
  /// body(whether the table holds quotients alone for the stages between lanes).
  template <class Body>
  static NTTF_KERNEL void with_lanes(const Walk& walk, const Body& body) {
    if constexpr (kQuotientsFrom != 0) {
      if (walk.quotients_alone()) return body(std::true_type{});
    }
    body(std::false_type{});
  }

  /// Each kind of table has a function of its own: in one, g++ 12 would keep fewer constants in registers.
  template <bool quotients>
  [[gnu::noinline]] static void forward_all(const Walk& walk, const Constants& c, Word* out,
                                            std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; i += shape.codelets)
      forward_codelet(walk, lane_twiddles<quotients>(walk, c, i), c, out, i);
  }
  template <bool quotients, bool lazy>
  [[gnu::noinline]] static void inverse_all(const Walk& walk, const Constants& c, const Word* in, Word* out,
                                            std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; i += shape.codelets)
      inverse_codelet<0, lazy>(walk, lane_twiddles<quotients>(walk, c, i), c, in, out, i);
  }

  template <class Source>
  static NTTF_KERNEL void forward_codelet(const Walk& walk, const Source& lanes, const Constants& c,
                                          Word* out, std::size_t first) {
    Word* const x = out + first * kPoints;
    V r[kRows][shape.codelets];
    load_rows<Lanes>(r, x, kLanes, kPoints);
    forward_stages<Butterfly, kBatch, false>(r, row_twiddles(walk, first), Step::reduce, NoGroup{}, c);
    if constexpr (kExchanged) {
      constexpr unsigned kLast = kLanesLog - 1;
      forward_to_blocks<Butterfly, kBatch, 1>(r, lanes, c);
      lane_stage<Butterfly, kBatch, StageKind::forward_last>(r, kLast, lanes, forward_step<Butterfly>(kLast),
                                                             ColumnGroups{first, false}, c);
      exchange_rows<Lanes, false>(r, kLanesLog);
    } else {
      transpose_rows<Lanes>(r);
      forward_stages<Butterfly, kBatch, true>(r, lanes, Step::reduce, ColumnGroups{first, false}, c);
      transpose_rows<Lanes>(r);
    }
    store_rows<Lanes>(r, x, kLanes, kPoints);
  }

  /// block: 0 for values, else log2 of the coefficients of blocks. lazy: values in [0, 2q).
  template <unsigned block, bool lazy, class Source>
  static NTTF_KERNEL void inverse_codelet(const Walk& walk, const Source& lanes, const Constants& c,
                                          const Word* in, Word* out, std::size_t first) {
    const Twiddle none{};
    V r[kRows][shape.codelets];
    load_rows<Lanes>(r, in + first * kPoints, kLanes, kPoints);
    if constexpr (block != 0) {
      inverse_from_blocks<Butterfly, kBatch, block>(r, lanes, c);
    } else {
      each_vector(r, [&](const V& v) NTTF_LAMBDA_INLINE {
        if constexpr (lazy) {
          return Butterfly::enter_lazy(v, c);
        } else {
          return Butterfly::enter(v);
        }
      });
      if constexpr (kExchanged) {
        constexpr unsigned kLast = kLanesLog - 1;
        exchange_rows<Lanes, true>(r, kLanesLog);
        lane_stage<Butterfly, kBatch, StageKind::inverse>(r, kLast, lanes, Step::first, LaneGroups{kLast}, c);
        inverse_from_blocks<Butterfly, kBatch, 1>(r, lanes, c);
      } else {
        transpose_rows<Lanes>(r);
        inverse_stages<Butterfly, kBatch, false>(r, lanes, none, Step::first, LaneGroups{0}, c);
        transpose_rows<Lanes>(r);
      }
    }
    inverse_stages<Butterfly, kBatch, false>(r, row_twiddles(walk, first), none, Step::keep,
                                             ColumnGroups{first, false}, c);
    store_rows<Lanes>(r, out + first * kPoints, kLanes, kPoints);
  }

  /// The blocks' way back to values between passes, in a function of its own: squares share it.
  template <bool quotients>
  [[gnu::noinline]] static void inverse_blocks(const Walk& back, const Constants& c, Word* out,
                                               std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; i += shape.codelets)
      inverse_codelet<Block::kLog, false>(back, lane_twiddles<quotients>(back, c, i), c, out, out, i);
  }

  template <bool quotients, bool square>
  static void product_codelets(const Walk& walk, const Walk& back, const Constants& constants, Word q,
                               const Word* a, const Word* b, Word* out, std::size_t first,
                               std::size_t count) {
    const Constants c = constants;
    const auto block = Block::constants(q);
    for (std::size_t piece = first; piece < first + count; piece += kPieceCodelets) {
      const std::size_t end = std::min(piece + kPieceCodelets, first + count);
      for (std::size_t codelet = piece; codelet < end; ++codelet) {
        const auto lanes = lane_twiddles<quotients>(walk, c, codelet);
        const typename Twiddles::template Scalars<0> rows = {row_twiddles(walk, codelet).table};
        const std::size_t at = codelet * kPoints;
        const auto shared = [&](unsigned s, int j, int) NTTF_LAMBDA_INLINE { return lanes(s, j, 0); };
        V x[2][kRows];
        if constexpr (square) {
          forward_blocks<1>({x[0]}, {a + at}, rows, shared, c);
        } else if constexpr (kRows <= 8) {
          forward_blocks<2>({x[0], x[1]}, {a + at, b + at}, rows, shared, c);
        } else {  // too many for the registers: one after the other
          forward_blocks<1>({x[0]}, {a + at}, rows, shared, c);
          forward_blocks<1>({x[1]}, {b + at}, rows, shared, c);
        }
        multiply_blocks<square>(x[0], x[square ? 0 : 1], lanes, block, out + at);
      }
      inverse_blocks<quotients>(back, constants, out, piece, end);
    }
  }

  /// A codelet of each factor up to its blocks. Factors share twiddles.
  template <int factors, class Rows, class Source>
  static NTTF_KERNEL void forward_blocks(V* const (&x)[factors], const Word* const (&in)[factors],
                                         const Rows& rows, const Source& lanes, const Constants& c) {
    V r[kRows][factors];
    NTTF_UNROLL for (int i = 0; i < kRows; ++i) {
      NTTF_UNROLL for (int f = 0; f < factors; ++f) r[i][f] =
          Lanes::load(in[f] + static_cast<std::size_t>(i) * kLanes);
    }
    forward_stages<Butterfly, kBatch, false>(r, rows, Step::reduce, NoGroup{}, c);
    forward_to_blocks<Butterfly, kBatch, Block::kLog>(r, lanes, c);
    NTTF_UNROLL for (int i = 0; i < kRows; ++i) {
      NTTF_UNROLL for (int f = 0; f < factors; ++f) x[f][i] = r[i][f];
    }
  }

  /// Two pairs at a time, or one block of four: their products need many registers.
  template <bool square, class Source, class BlockConstants>
  static NTTF_KERNEL void multiply_blocks(const V (&x)[kRows], const V (&y)[kRows], const Source& lanes,
                                          const BlockConstants& block, Word* out) {
    constexpr int kSize = 1 << Block::kLog, kBlocks = kRows / kSize, kTogether = 4 / kSize;
    NTTF_UNROLL for (int first = 0; first < kBlocks; first += kTogether) {
      V left[kSize][kTogether], right[kSize][kTogether];
      Twiddle z[kTogether];  // of the stage before the blocks
      NTTF_UNROLL for (int i = 0; i < kSize * kTogether; ++i) {
        const int row = first + i % kTogether + i / kTogether * kBlocks;
        left[i / kTogether][i % kTogether] = x[row];
        right[i / kTogether][i % kTogether] = y[row];
      }
      NTTF_UNROLL for (int i = 0; i < kTogether; ++i) {
        if constexpr (Block::kLog == 1) {
          z[i] = lanes(kLanesLog - 2, first + i, 0);
        } else {
          z[i] = lanes.joined(first + i);
        }
      }
      if constexpr (square) {
        Block::square(left, z, block);
      } else {
        Block::multiply(left, right, z, block);
      }
      NTTF_UNROLL for (int i = 0; i < kSize * kTogether; ++i) {
        const int row = first + i % kTogether + i / kTogether * kBlocks;
        Lanes::store(out + static_cast<std::size_t>(row) * kLanes, left[i / kTogether][i % kTogether]);
      }
    }
  }
};

template <class Butterfly, StageShape shape>
using StageLoops = StageOrder<StagePasses<Butterfly, shape>>;

}  // namespace nttforge
