#pragma once

// Stage loops: which butterflies, in which order; the arithmetic is the Butterfly's, the order of passes over
// memory is stage_order.hpp's.
//
// Forward, n = 2^log_n points, L lanes:
//   passes    the first log_n - 2 log L stages, kRadixLog of them per pass (a single one first if they do not
//             divide): a group's 2^kRadixLog rows lie t words apart, kColumns vectors of each row are in
//             flight at once
//   codelets  the last 2 log L stages on L x L points in registers: log L stages between vectors, transpose,
//             log L stages between vectors again, transpose, full reduction (fused)
//
//             memory   |v0|v1|v2|..|        stages over rows v_i, one twiddle per group of vectors
//             transposed: lane g of vector i = point i of row g    stages over i, one twiddle per lane
//
// One lane (L = 1) has no codelets; its last pass reduces. The inverse runs the same steps backwards; its
// last pass multiplies by 1/n and reduces.
//
// Twiddles (value, quotient) lie in the order they are read; see twiddles.hpp.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "nttforge/ntt/butterflies.hpp"
#include "nttforge/ntt/kernels.hpp"

namespace nttforge {

/// radix_log    stages per pass (1 or 2)
/// columns      vectors of each row in flight in a pass
/// codelets     codelets in flight
/// batch        butterflies handed to Butterfly at once; bounded by the registers
/// log_block    log2 of the points worked on to the end at once
template <unsigned radix_log, int columns, int codelets, int batch, unsigned log_block>
struct Shape {
  static constexpr unsigned kRadixLog = radix_log;
  static constexpr int kColumns = columns;
  static constexpr int kCodelets = codelets;
  static constexpr int kBatch = batch;
  static constexpr unsigned kLogBlock = log_block;
};

/// The passes and codelets of one butterfly; stage_order.hpp says in which order they go over memory.
template <class Butterfly, class ShapeType>
class StagePasses {
 public:
  using Lanes = typename Butterfly::Lanes;
  using Word = typename Butterfly::Word;
  using V = typename Butterfly::V;
  using Twiddle = typename Butterfly::Twiddle;
  using Constants = typename Butterfly::Constants;
  using Product = typename Butterfly::Product;
  static constexpr std::size_t kLanes = Lanes::kWidth;
  static constexpr unsigned kLanesLog = static_cast<unsigned>(std::countr_zero(kLanes));
  static constexpr unsigned kRadixLog = ShapeType::kRadixLog;
  static constexpr unsigned kLogBlock = ShapeType::kLogBlock;
  /// Columns of a pass are a multiple of this many words.
  static constexpr std::size_t kColumnWords = kLanes * static_cast<std::size_t>(ShapeType::kColumns);
  /// Stages that a block keeps: rows of two codelets, or the reducing pass.
  static constexpr unsigned kKeptLog = kLanesLog == 0 ? kRadixLog : 1;
  static constexpr bool kSplit = false;
  static constexpr bool kHasTail = kLanesLog != 0;
  /// A pass must be left for 1/n, and two codelets for interleaving.
  static constexpr unsigned kMinLogN = kLanesLog == 0 ? 0 : 2 * kLanesLog + 1;
  static_assert(ShapeType::kLogBlock >= 2 * kLanesLog + 2 &&
                ShapeType::kColumns <= static_cast<int>(kLanes) && ShapeType::kCodelets <= 2);
  static_assert(!Butterfly::kConverts || kLanesLog != 0);  // one lane has no codelets to enter through

  /// Where passes begin and where their twiddles lie. A pass "at m" splits m groups; its first twiddle has
  /// index m.
  struct Walk {
    const Word* table;
    unsigned log_n;

    NTTF_KERNEL std::size_t n() const { return std::size_t{1} << log_n; }
    NTTF_KERNEL unsigned end() const { return log_n - 2 * kLanesLog; }
    NTTF_KERNEL unsigned odd() const { return end() % kRadixLog; }
    NTTF_KERNEL unsigned step(unsigned log_m) const { return log_m == 0 && odd() != 0 ? odd() : kRadixLog; }
    NTTF_KERNEL unsigned step_back(unsigned log_m) const {
      return log_m == odd() && odd() != 0 ? odd() : kRadixLog;
    }
    /// Twiddles of lane vectors come first (aligned), then those of passes and of the codelets' first half.
    NTTF_KERNEL const Word* scalars(unsigned log_m) const {
      const std::size_t vectors = kLanesLog == 0 ? 0 : n() - (n() >> kLanesLog);
      return table + 2 * (vectors + (std::size_t{1} << log_m) - 1);
    }
  };

  /// Memory of a pass: word k of row i of chunk h of group g is in[g * group + h * chunk + i * row + k].
  struct Place {
    std::size_t group, chunk, row;
  };
  struct Area {
    const Word* in;
    Place from;
    Word* out;
    Place to;
    std::size_t groups, chunks, columns;  ///< columns: a multiple of kColumnWords
  };

  /// Groups [group, group + groups) at m = 2^log_m, each 2^step(log_m) rows t words apart, in place in the
  /// transform's own order.
  static NTTF_KERNEL Area whole_groups(const Walk& walk, const Word* in, Word* out, unsigned log_m,
                                       unsigned step, std::size_t group, std::size_t groups) {
    const std::size_t t = walk.n() >> (log_m + step), size = t << step;
    const Place place{size, 0, t};
    return {in + group * size, place, out + group * size, place, groups, 1, t};
  }

 private:
  template <int count>
  struct Held {  // twiddles of one group, the same for every column
    Twiddle w[count];
    NTTF_KERNEL Twiddle operator()(int i, int) const { return w[i]; }
  };
  struct Broadcast {  // one (value, quotient) per codelet and index
    const Word* table;
    NTTF_KERNEL Twiddle operator()(int i, int codelet) const {
      const Word* p =
          table + 2 * (static_cast<std::size_t>(codelet) * (kLanes - 1) + static_cast<std::size_t>(i));
      return Butterfly::Product::twiddle(Lanes::broadcast(p[0]), Lanes::broadcast(p[1]));
    }
  };
  struct Vectors {  // one vector of values and one of quotients per codelet and index
    const Word* table;
    NTTF_KERNEL Twiddle operator()(int i, int codelet) const {
      const Word* p =
          table +
          2 * kLanes * (static_cast<std::size_t>(codelet) * (kLanes - 1) + static_cast<std::size_t>(i));
      return Butterfly::Product::twiddle(Lanes::load(p), Lanes::load(p + kLanes));
    }
  };

  /// One stage over 2^log rows: 2^s groups of 2^(log - s) rows, `columns` independent columns.
  template <unsigned log, int columns, bool inverted, bool last, class Source>
  static NTTF_KERNEL void stage(V (&r)[1 << log][columns], unsigned s, const Source& source,
                                const Twiddle& scale, const Constants& c) {
    constexpr int kAll = (1 << (log - 1)) * columns;
    constexpr int kBatch = kAll < ShapeType::kBatch ? kAll : ShapeType::kBatch;
    static_assert(kAll % kBatch == 0);
    const int half = 1 << (log - 1 - s);
    NTTF_UNROLL for (int first = 0; first < kAll; first += kBatch) {
      V x[kBatch], y[kBatch];
      Twiddle w[kBatch], scales[kBatch];
      NTTF_UNROLL for (int i = 0; i < kBatch; ++i) {
        const int pair = (first + i) / columns, column = (first + i) % columns;
        const int group = pair / half, row = 2 * group * half + pair % half;
        x[i] = r[row][column];
        y[i] = r[row + half][column];
        w[i] = source((1 << s) - 1 + group, column);
        if constexpr (last) scales[i] = scale;
      }
      if constexpr (last) {
        Butterfly::inverse_last(x, y, w, scales, c);
      } else if constexpr (inverted) {
        Butterfly::inverse(x, y, w, c, s == 0 || (log - s) % 2 == 0);
      } else {
        Butterfly::forward(x, y, w, c, s == 0);
      }
      NTTF_UNROLL for (int i = 0; i < kBatch; ++i) {
        const int pair = (first + i) / columns, column = (first + i) % columns;
        const int group = pair / half, row = 2 * group * half + pair % half;
        r[row][column] = x[i];
        r[row + half][column] = y[i];
      }
    }
  }

  template <unsigned log, int columns, class Source>
  static NTTF_KERNEL void forward_stages(V (&r)[1 << log][columns], const Source& source,
                                         const Constants& c) {
    NTTF_UNROLL for (unsigned s = 0; s < log; ++s)
        stage<log, columns, false, false>(r, s, source, Twiddle{}, c);
  }
  template <unsigned log, int columns, bool last, class Source>
  static NTTF_KERNEL void inverse_stages(V (&r)[1 << log][columns], const Source& source,
                                         const Twiddle& scale, const Constants& c) {
    NTTF_UNROLL for (unsigned s = log - 1; s > 0; --s)
        stage<log, columns, true, false>(r, s, source, scale, c);
    stage<log, columns, true, last>(r, 0, source, scale, c);
  }

  template <int count>
  static NTTF_KERNEL Held<count> hold(const Word* p) {
    Held<count> held;
    NTTF_UNROLL for (int i = 0; i < count; ++i) {
      held.w[i] = Butterfly::Product::twiddle(Lanes::broadcast(p[2 * i]), Lanes::broadcast(p[2 * i + 1]));
    }
    return held;
  }

  enum class Mode { forward_first, forward, forward_last, inverse, inverse_last };

  /// `table`: the twiddles of the area's first group. Area and constants are copied, so that no store through
  /// `out` makes the compiler load them again.
  template <unsigned log, Mode mode>
  static NTTF_KERNEL void pass(const Word* table, const Constants constants, const Twiddle scale,
                               const Area area) {
    constexpr int kRows = 1 << log;
    constexpr int kColumns = ShapeType::kColumns;
    const Constants c = constants;
    const std::size_t in_row = area.from.row, out_row = area.to.row, columns = area.columns;
    for (std::size_t group = 0; group < area.groups; ++group) {
      const Held<kRows - 1> twiddles = hold<kRows - 1>(table);
      table += 2 * (kRows - 1);
      const Word* in = area.in + group * area.from.group;
      Word* out = area.out + group * area.to.group;
      for (std::size_t chunk = 0; chunk < area.chunks; ++chunk) {
        for (std::size_t k = 0; k < columns; k += kColumns * kLanes) {
          V r[kRows][kColumns];
          NTTF_UNROLL for (int i = 0; i < kRows; ++i) {
            NTTF_UNROLL for (int h = 0; h < kColumns; ++h) {
              r[i][h] = Lanes::load(in + k + static_cast<std::size_t>(i) * in_row +
                                    static_cast<std::size_t>(h) * kLanes);
            }
          }
          if constexpr (mode == Mode::forward_first) {
            NTTF_UNROLL for (int i = 0; i < kRows; ++i) {
              NTTF_UNROLL for (int h = 0; h < kColumns; ++h) r[i][h] = Butterfly::enter(r[i][h]);
            }
          }
          if constexpr (mode <= Mode::forward_last) {
            forward_stages<log, kColumns>(r, twiddles, c);
          } else {
            inverse_stages<log, kColumns, mode == Mode::inverse_last>(r, twiddles, scale, c);
          }
          NTTF_UNROLL for (int i = 0; i < kRows; ++i) {
            NTTF_UNROLL for (int h = 0; h < kColumns; ++h) {
              if constexpr (mode == Mode::forward_last) r[i][h] = Butterfly::reduce_forward(r[i][h], c);
              Lanes::store(
                  out + k + static_cast<std::size_t>(i) * out_row + static_cast<std::size_t>(h) * kLanes,
                  r[i][h]);
            }
          }
        }
        in += area.from.chunk;
        out += area.to.chunk;
      }
    }
  }

 public:
  /// The pass at 2^log_m over an area whose first group is `group`.
  static void forward_pass(const Walk& walk, const Constants& c, const Area& area, unsigned log_m,
                           std::size_t group) {
    const unsigned log = walk.step(log_m);
    const Twiddle none{};
    const Word* const table = walk.scalars(log_m) + 2 * ((std::size_t{1} << log) - 1) * group;
    if (kLanesLog == 0 && log_m + log == walk.end()) {
      if (log == kRadixLog) {
        pass<kRadixLog, Mode::forward_last>(table, c, none, area);
      } else {
        pass<1, Mode::forward_last>(table, c, none, area);
      }
    } else if (Butterfly::kConverts && log_m == 0) {
      if (log == kRadixLog) {
        pass<kRadixLog, Mode::forward_first>(table, c, none, area);
      } else {
        pass<1, Mode::forward_first>(table, c, none, area);
      }
    } else if (log == kRadixLog) {
      pass<kRadixLog, Mode::forward>(table, c, none, area);
    } else {
      pass<1, Mode::forward>(table, c, none, area);
    }
  }

  static void inverse_pass(const Walk& walk, const Constants& c, const Twiddle& scale, const Area& area,
                           unsigned log_m, std::size_t group) {
    const unsigned log = walk.step(log_m);
    const Word* const table = walk.scalars(log_m) + 2 * ((std::size_t{1} << log) - 1) * group;
    if (log_m == 0) {
      if (log == kRadixLog) {
        pass<kRadixLog, Mode::inverse_last>(table, c, scale, area);
      } else {
        pass<1, Mode::inverse_last>(table, c, scale, area);
      }
    } else {
      pass<kRadixLog, Mode::inverse>(table, c, scale, area);
    }
  }

  static void forward_codelets(const Walk& walk, const Constants& c, Word* out, std::size_t first,
                               std::size_t count) {
    for (std::size_t i = first; i < first + count; i += ShapeType::kCodelets) {
      forward_codelet<ShapeType::kCodelets>(walk, c, out, i);
    }
  }
  static void inverse_codelets(const Walk& walk, const Constants& c, const Word* in, Word* out,
                               std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; i += ShapeType::kCodelets) {
      inverse_codelet<ShapeType::kCodelets>(walk, c, in, out, i);
    }
  }

 private:
  /// Codelets [first, first + count) of L x L points each.
  template <int interleaved>
  static NTTF_KERNEL void forward_codelet(const Walk& walk, const Constants& c, Word* out,
                                          std::size_t first) {
    constexpr int kRows = 1 << kLanesLog;
    constexpr std::size_t kPoints = kLanes * kLanes;
    Word* const x = out + first * kPoints;
    V r[kRows][interleaved];
    NTTF_UNROLL for (int i = 0; i < kRows; ++i) {
      NTTF_UNROLL for (int g = 0; g < interleaved; ++g) {
        r[i][g] =
            Lanes::load(x + static_cast<std::size_t>(g) * kPoints + static_cast<std::size_t>(i) * kLanes);
      }
    }
    forward_stages<kLanesLog, interleaved>(r, Broadcast{walk.scalars(walk.end()) + 2 * (kLanes - 1) * first},
                                           c);
    transpose(r);
    forward_stages<kLanesLog, interleaved>(r, Vectors{walk.table + 2 * kLanes * (kLanes - 1) * first}, c);
    transpose(r);
    NTTF_UNROLL for (int i = 0; i < kRows; ++i) {
      NTTF_UNROLL for (int g = 0; g < interleaved; ++g) {
        Lanes::store(x + static_cast<std::size_t>(g) * kPoints + static_cast<std::size_t>(i) * kLanes,
                     Butterfly::reduce_forward(r[i][g], c));
      }
    }
  }

  template <int interleaved>
  static NTTF_KERNEL void inverse_codelet(const Walk& walk, const Constants& c, const Word* in, Word* out,
                                          std::size_t first) {
    constexpr int kRows = 1 << kLanesLog;
    constexpr std::size_t kPoints = kLanes * kLanes;
    V r[kRows][interleaved];
    NTTF_UNROLL for (int i = 0; i < kRows; ++i) {
      NTTF_UNROLL for (int g = 0; g < interleaved; ++g) {
        r[i][g] = Butterfly::enter(Lanes::load(in + first * kPoints + static_cast<std::size_t>(g) * kPoints +
                                               static_cast<std::size_t>(i) * kLanes));
      }
    }
    const Twiddle none{};
    transpose(r);
    inverse_stages<kLanesLog, interleaved, false>(r, Vectors{walk.table + 2 * kLanes * (kLanes - 1) * first},
                                                  none, c);
    transpose(r);
    inverse_stages<kLanesLog, interleaved, false>(
        r, Broadcast{walk.scalars(walk.end()) + 2 * (kLanes - 1) * first}, none, c);
    NTTF_UNROLL for (int i = 0; i < kRows; ++i) {
      NTTF_UNROLL for (int g = 0; g < interleaved; ++g) {
        Lanes::store(out + first * kPoints + static_cast<std::size_t>(g) * kPoints +
                         static_cast<std::size_t>(i) * kLanes,
                     r[i][g]);
      }
    }
  }

  template <int rows, int columns>
  static NTTF_KERNEL void transpose(V (&r)[rows][columns]) {
    NTTF_UNROLL for (int g = 0; g < columns; ++g) {
      V column[rows];
      NTTF_UNROLL for (int i = 0; i < rows; ++i) column[i] = r[i][g];
      Lanes::transpose(column);
      NTTF_UNROLL for (int i = 0; i < rows; ++i) r[i][g] = column[i];
    }
  }
};

}  // namespace nttforge
