#pragma once

// Passes for cores with sixteen vector registers or scalar ones; stage_order.hpp says in which order they go
// over memory, stage_loops.hpp is the counterpart for thirty-two registers.
//
// Such a core holds few points, and looks ahead less than a codelet of L x L points is long. So stages are
// split into short loops:
//
//   passes   all but the last log L stages, kRadixLog of them per pass (what is left over first). The rows of
//   the
//            last pass are single vectors; kTogether groups are in flight there
//   tail     the last log L stages: transpose L x L points, stages between vectors, transpose, full reduction
//
// One lane (L = 1) has no tail; its last pass reduces. The inverse runs the same steps backwards; its last
// pass multiplies by 1/n and reduces.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "nttforge/ntt/kernels.hpp"
#include "nttforge/ntt/narrow_butterflies.hpp"
#include "nttforge/ntt/pair_products.hpp"

namespace nttforge {

/// radix_log    stages per pass (1 to 4)
/// columns      vectors of each row in flight in a pass
/// together     groups in flight where rows are single vectors, and squares in the tail
/// batch        butterflies handed to Butterfly at once
/// log_block    log2 of the points worked on to the end at once
/// last_log     stages of the tail if L = 1
template <unsigned radix_log, int columns, int together, int batch, unsigned log_block, unsigned last_log = 2>
struct SplitShape {
  static constexpr unsigned kRadixLog = radix_log;
  static constexpr int kColumns = columns;
  static constexpr int kTogether = together;
  static constexpr int kBatch = batch;
  static constexpr unsigned kLogBlock = log_block;
  static constexpr unsigned kLastLog = last_log;
};

template <class Butterfly, class ShapeType>
class SplitPasses {
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
  static constexpr std::size_t kColumnWords = kLanes * static_cast<std::size_t>(ShapeType::kColumns);
  static constexpr int kTogether = ShapeType::kTogether;
  static constexpr unsigned kTogetherLog = static_cast<unsigned>(std::countr_zero(unsigned(kTogether)));
  static constexpr unsigned kTailLog = kLanesLog == 0 ? ShapeType::kLastLog : kLanesLog;
  /// Points of the smallest tail beyond one vector per row, as logarithm: what a block keeps.
  static constexpr unsigned kKeptLog = kTogetherLog + kLanesLog;
  /// And a pass for 1/n.
  static constexpr unsigned kMinLogN = kTailLog + kKeptLog + (kKeptLog == 0 ? 1 : 0);
  static constexpr bool kSplit = true;
  static constexpr bool kHasTail = true;
  static constexpr bool kExchanged = false;
  static constexpr bool kSigned = false;

  struct Walk {
    const Word* table;
    unsigned log_n;
    const Word* first = nullptr;  ///< twiddles of the pass at 1, if not the table's

    NTTF_KERNEL std::size_t n() const { return std::size_t{1} << log_n; }
    NTTF_KERNEL unsigned end() const { return log_n - kTailLog; }
    NTTF_KERNEL unsigned odd() const { return end() % kRadixLog; }
    NTTF_KERNEL unsigned step(unsigned log_m) const { return log_m == 0 && odd() != 0 ? odd() : kRadixLog; }
    NTTF_KERNEL unsigned step_back(unsigned log_m) const {
      return log_m == odd() && odd() != 0 ? odd() : kRadixLog;
    }
    /// Twiddles of lane vectors come first (aligned), then those of passes.
    NTTF_KERNEL const Word* scalars(unsigned log_m) const {
      if (log_m == 0 && first != nullptr) return first;
      const std::size_t vectors = kLanesLog == 0 ? 0 : n() - (n() >> kLanesLog);
      return table + 2 * (vectors + (std::size_t{1} << log_m) - 1);
    }
    /// Whether forward values must be reduced first in the next `more` stages, log_m stages having been done.
    bool reduces(unsigned log_m, unsigned more) const {
      unsigned grown = 0;
      for (unsigned at = 0; at < log_m; at += step(at)) {
        grown = grown + step(at) > Butterfly::kForwardStages ? step(at) : grown + step(at);
      }
      return grown + more > Butterfly::kForwardStages;
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
    std::size_t groups, chunks, columns;
  };
  static NTTF_KERNEL Area whole_groups(const Walk& walk, const Word* in, Word* out, unsigned log_m,
                                       unsigned step, std::size_t group, std::size_t groups) {
    const std::size_t t = walk.n() >> (log_m + step), size = t << step;
    const Place place{size, 0, t};
    return {in + group * size, place, out + group * size, place, groups, 1, t};
  }

 private:
  enum class Kind { keep, reduce, final, final_reduce, inverse, inverse_last };
  static constexpr bool kReducesAlways = Butterfly::kForwardStages <= kRadixLog;

  /// (value, quotient) pairs, the same for all columns or `stride` pairs apart.
  template <int stride>
  struct Scalars {
    const Word* table;
    NTTF_KERNEL Twiddle operator()(int i, int column) const {
      const Word* p = table + 2 * (column * stride + i);
      return Butterfly::Product::twiddle(Lanes::broadcast(p[0]), Lanes::broadcast(p[1]));
    }
  };
  /// The same, read before the loop over columns.
  template <int count>
  struct Held {
    Twiddle w[count];
    NTTF_KERNEL Twiddle operator()(int i, int) const { return w[i]; }
  };
  struct Vectors {  // one vector of values and one of quotients per square and index
    const Word* table;
    NTTF_KERNEL Twiddle operator()(int i, int square) const {
      const Word* p = table + 2 * kLanes * (static_cast<std::size_t>(square) * (kLanes - 1) + std::size_t(i));
      return Butterfly::Product::twiddle(Lanes::load(p), Lanes::load(p + kLanes));
    }
  };

  template <unsigned log, Kind kind>
  static constexpr bool reduces(unsigned s, int row) {
    if (kind == Kind::inverse) return Butterfly::inverse_reduces(log, s, row);
    if ((kind == Kind::final || kind == Kind::final_reduce) && s == log - 1 && Butterfly::kFinalReduces)
      return true;
    return (kReducesAlways || kind == Kind::reduce || kind == Kind::final_reduce) &&
           s % Butterfly::kForwardStages == 0;
  }

  /// One stage over 2^log rows: 2^s groups of 2^(log - s) rows, `columns` independent columns.
  template <unsigned log, int columns, Kind kind, class Source>
  static NTTF_KERNEL void stage(V (&r)[1 << log][columns], unsigned s, const Source& source,
                                const Twiddle& scale, const Constants& c) {
    constexpr int kAll = (1 << (log - 1)) * columns;
    constexpr int kBatch = kAll < ShapeType::kBatch ? kAll : ShapeType::kBatch;
    static_assert(kAll % kBatch == 0);
    const int half = 1 << (log - 1 - s);
    NTTF_UNROLL for (int first = 0; first < kAll; first += kBatch) {
      V x[kBatch], y[kBatch];
      Twiddle w[kBatch], scales[kBatch];
      bool reduce[kBatch];
      NTTF_UNROLL for (int i = 0; i < kBatch; ++i) {
        const int pair = (first + i) / columns, column = (first + i) % columns;
        const int group = pair / half, row = 2 * group * half + pair % half;
        x[i] = r[row][column];
        y[i] = r[row + half][column];
        w[i] = source((1 << s) - 1 + group, column);
        reduce[i] = reduces<log, kind>(s, row);
        if constexpr (kind == Kind::inverse_last) scales[i] = scale;
      }
      if constexpr (kind == Kind::inverse_last) {
        Butterfly::inverse_last(x, y, w, scales, c);
      } else if constexpr (kind == Kind::inverse) {
        Butterfly::inverse(x, y, w, c, reduce);
      } else {
        Butterfly::forward(x, y, w, c, reduce);
      }
      NTTF_UNROLL for (int i = 0; i < kBatch; ++i) {
        const int pair = (first + i) / columns, column = (first + i) % columns;
        const int group = pair / half, row = 2 * group * half + pair % half;
        r[row][column] = x[i];
        r[row + half][column] = y[i];
      }
    }
  }

  template <unsigned log, int columns, Kind kind, class Source>
  static NTTF_KERNEL void stages(V (&r)[1 << log][columns], const Source& source, const Twiddle& scale,
                                 const Constants& c) {
    if constexpr (kind >= Kind::inverse) {
      NTTF_UNROLL for (unsigned s = log - 1; s > 0; --s)
          stage<log, columns, Kind::inverse>(r, s, source, scale, c);
      stage<log, columns, kind>(r, 0, source, scale, c);
    } else {
      NTTF_UNROLL for (unsigned s = 0; s < log; ++s) stage<log, columns, kind>(r, s, source, scale, c);
    }
  }

  template <int rows, int columns>
  static NTTF_KERNEL void load(V (&r)[rows][columns], const Word* in, std::size_t row, std::size_t column) {
    NTTF_UNROLL for (int i = 0; i < rows; ++i) {
      NTTF_UNROLL for (int h = 0; h < columns; ++h) r[i][h] =
          Lanes::load(in + std::size_t(i) * row + std::size_t(h) * column);
    }
  }
  template <int rows, int columns>
  static NTTF_KERNEL void store(const V (&r)[rows][columns], Word* out, std::size_t row, std::size_t column) {
    NTTF_UNROLL for (int i = 0; i < rows; ++i) {
      NTTF_UNROLL for (int h = 0; h < columns; ++h)
          Lanes::store(out + std::size_t(i) * row + std::size_t(h) * column, r[i][h]);
    }
  }
  template <int rows, int columns>
  static NTTF_KERNEL void enter(V (&r)[rows][columns]) {
    NTTF_UNROLL for (int i = 0; i < rows; ++i) {
      NTTF_UNROLL for (int h = 0; h < columns; ++h) r[i][h] = Butterfly::enter(r[i][h]);
    }
  }
  template <int rows, int columns>
  static NTTF_KERNEL void finish(V (&r)[rows][columns], const Constants& c) {
    NTTF_UNROLL for (int i = 0; i < rows; ++i) {
      NTTF_UNROLL for (int h = 0; h < columns; ++h) r[i][h] = Butterfly::reduce_forward(r[i][h], c);
    }
  }

  /// `table`: the twiddles of the area's first group.
  template <unsigned log, Kind kind, bool first, int columns>
  static NTTF_KERNEL void pass(const Word* table, const Constants constants, const Twiddle scale,
                               const Area area) {
    constexpr int kRows = 1 << log;
    const Constants c = constants;
    for (std::size_t group = 0; group < area.groups; ++group) {
      Held<kRows - 1> twiddles;
      NTTF_UNROLL for (int i = 0; i < kRows - 1; ++i) twiddles.w[i] = Scalars<0>{table}(i, 0);
      table += 2 * (kRows - 1);
      const Word* in = area.in + group * area.from.group;
      Word* out = area.out + group * area.to.group;
      for (std::size_t chunk = 0; chunk < area.chunks; ++chunk) {
        for (std::size_t k = 0; k < area.columns; k += columns * kLanes) {
          V r[kRows][columns];
          load(r, in + k, area.from.row, kLanes);
          if constexpr (first) enter(r);
          stages<log, columns, kind>(r, twiddles, scale, c);
          store(r, out + k, area.to.row, kLanes);
        }
        in += area.from.chunk;
        out += area.to.chunk;
      }
    }
  }

  /// The pass whose rows are single vectors, kTogether groups at once, in place.
  template <unsigned log, Kind kind>
  static NTTF_KERNEL void narrow_pass(const Word* table, const Constants constants, const Area area) {
    constexpr int kRows = 1 << log;
    const Constants c = constants;
    for (std::size_t group = 0; group < area.groups; group += kTogether) {
      V r[kRows][kTogether];
      load(r, area.in + group * area.from.group, kLanes, kRows * kLanes);
      stages<log, kTogether, kind>(r, Scalars<kRows - 1>{table}, Twiddle{}, c);
      store(r, area.out + group * area.to.group, kLanes, kRows * kLanes);
      table += 2 * (kRows - 1) * kTogether;
    }
  }

  template <unsigned log, Kind kind, bool first>
  static NTTF_KERNEL void pass(const Word* table, const Constants& c, const Twiddle& scale,
                               const Area& area) {
    if (kLanesLog != 0 && !first && kind != Kind::inverse_last && area.columns == kLanes &&
        area.groups % kTogether == 0) {
      if constexpr (kLanesLog != 0 && kind != Kind::inverse_last) narrow_pass<log, kind>(table, c, area);
    } else if (area.columns % kColumnWords == 0) {
      pass<log, kind, first, ShapeType::kColumns>(table, c, scale, area);
    } else {
      pass<log, kind, first, 1>(table, c, scale, area);
    }
  }

  template <unsigned log>
  static void forward_pass_of(const Walk& walk, const Word* table, const Constants& c, const Area& area,
                              unsigned log_m) {
    const Twiddle none{};
    if (Butterfly::kConverts && log_m == 0) {
      if constexpr (Butterfly::kConverts) pass<log, Kind::keep, true>(table, c, none, area);
    } else if (kReducesAlways || !walk.reduces(log_m, log)) {
      pass<log, Kind::keep, false>(table, c, none, area);
    } else {
      if constexpr (!kReducesAlways && log == kRadixLog) pass<log, Kind::reduce, false>(table, c, none, area);
    }
  }

  template <unsigned log>
  static void inverse_pass_of(const Word* table, const Constants& c, const Twiddle& scale, const Area& area,
                              unsigned log_m) {
    if (log_m == 0) {
      pass<log, Kind::inverse_last, false>(table, c, scale, area);
    } else if constexpr (log == kRadixLog) {
      pass<log, Kind::inverse, false>(table, c, scale, area);
    }
  }

 public:
  static void forward_pass(const Walk& walk, const Constants& c, const Area& area, unsigned log_m,
                           std::size_t group) {
    const unsigned log = walk.step(log_m);
    const Word* const table = walk.scalars(log_m) + 2 * ((std::size_t{1} << log) - 1) * group;
    if (log == kRadixLog) return forward_pass_of<kRadixLog>(walk, table, c, area, log_m);
    if constexpr (kRadixLog > 1) {
      if (log == 1) return forward_pass_of<1>(walk, table, c, area, log_m);
    }
    if constexpr (kRadixLog > 2) {
      if (log == 2) return forward_pass_of<2>(walk, table, c, area, log_m);
    }
    if constexpr (kRadixLog > 3) forward_pass_of<3>(walk, table, c, area, log_m);
  }

  static void inverse_pass(const Walk& walk, const Constants& c, const Twiddle& scale, const Area& area,
                           unsigned log_m, std::size_t group) {
    const unsigned log = log_m == 0 && walk.odd() != 0 ? walk.odd() : kRadixLog;
    const Word* const table = walk.scalars(log_m) + 2 * ((std::size_t{1} << log) - 1) * group;
    if (log == kRadixLog) return inverse_pass_of<kRadixLog>(table, c, scale, area, log_m);
    if constexpr (kRadixLog > 1) {
      if (log == 1) return inverse_pass_of<1>(table, c, scale, area, log_m);
    }
    if constexpr (kRadixLog > 2) {
      if (log == 2) return inverse_pass_of<2>(table, c, scale, area, log_m);
    }
    if constexpr (kRadixLog > 3) inverse_pass_of<3>(table, c, scale, area, log_m);
  }

  /// The tail of groups [first, first + count), as the last pass leaves them; both multiples of what is
  /// together.
  static void forward_codelets(const Walk& walk, const Constants& constants, Word* out, std::size_t first,
                               std::size_t count) {
    if (!kReducesAlways && walk.reduces(walk.end(), kTailLog - Butterfly::kFinalReduces)) {
      forward_tail<Kind::final_reduce>(walk, constants, out, first, count);
    } else {
      forward_tail<Kind::final>(walk, constants, out, first, count);
    }
  }

  static void inverse_codelets(const Walk& walk, const Constants& constants, const Word* in, Word* out,
                               std::size_t first, std::size_t count) {
    const Constants c = constants;
    for (std::size_t group = first; group < first + count; group += kTailGroups) {
      V r[kTailRows][kTogether];
      load(r, in + group * kGroupWords, kLanes, kTailRows * kLanes);
      enter(r);
      transpose(r);
      stages<kTailLog, kTogether, Kind::inverse>(r, tail_twiddles(walk, group), Twiddle{}, c);
      transpose(r);
      store(r, out + group * kGroupWords, kLanes, kTailRows * kLanes);
    }
  }

  static constexpr unsigned kProductBits = PairProduct<Butterfly>::kBits;
  static constexpr bool kHasProduct = PairProduct<Butterfly>::kExists && kTailLog >= 2;

  /// forward_codelets on a and b (a == b: squares), product of their values and inverse_codelets: the last
  /// stage as products of linear polynomials (pair_products.hpp), between the other stages of the transposed
  /// squares.
  static void product_codelets(const Walk& walk, const Walk& back, const Constants& constants, Word q,
                               const Word* a, const Word* b, Word* out, std::size_t first,
                               std::size_t count) {
    if (kReducesAlways || !walk.reduces(walk.end(), kTailLog - 1)) {
      product_tail<Kind::keep>(walk, back, constants, q, a, b, out, first, count);
    } else if constexpr (!kReducesAlways) {
      product_tail<Kind::reduce>(walk, back, constants, q, a, b, out, first, count);
    }
  }

 private:
  static constexpr int kTailRows = 1 << kTailLog;
  static constexpr std::size_t kGroupWords = kTailRows;  ///< L > 1: one vector; else the tail itself
  static constexpr std::size_t kTailGroups = kLanes * kTogether;

  static NTTF_KERNEL auto tail_twiddles(const Walk& walk, std::size_t group) {
    if constexpr (kLanesLog == 0) {
      return Scalars<kTailRows - 1>{walk.scalars(walk.end()) + 2 * (kTailRows - 1) * group};
    } else {
      return Vectors{walk.table + 2 * (kLanes - 1) * group};
    }
  }

  template <Kind kind>
  static void product_tail(const Walk& walk, const Walk& back, const Constants& constants, Word q,
                           const Word* a, const Word* b, Word* out, std::size_t first, std::size_t count) {
    if (a == b) {
      product_tail<kind, true>(walk, back, constants, q, a, b, out, first, count);
    } else {
      product_tail<kind, false>(walk, back, constants, q, a, b, out, first, count);
    }
  }

  template <Kind kind, bool square>
  static void product_tail(const Walk& walk, const Walk& back, const Constants& constants, Word q,
                           const Word* a, const Word* b, Word* out, std::size_t first, std::size_t count) {
    constexpr unsigned kStages = kTailLog - 1;  // the last one is the pair products
    const Constants c = constants;
    const auto pair_constants = PairProduct<Butterfly>::constants(q);
    for (std::size_t group = first; group < first + count; group += kLanes) {
      const auto w = tail_twiddles(walk, group), v = tail_twiddles(back, group);
      V x[kTailRows][1];
      load(x, a + group * kGroupWords, kLanes, 0);
      transpose(x);
      NTTF_UNROLL for (unsigned s = 0; s < kStages; ++s) stage<kTailLog, 1, kind>(x, s, w, Twiddle{}, c);
      constexpr int kPairs = kTailRows / 2;
      V left[2][kPairs];
      Twiddle z[kPairs];
      NTTF_UNROLL for (int i = 0; i < kPairs; ++i) {
        left[0][i] = x[2 * i][0];
        left[1][i] = x[2 * i + 1][0];
        z[i] = w((kPairs - 1) / 2 + i / 2, 0);
      }
      if constexpr (square) {
        PairProduct<Butterfly>::square(left, z, pair_constants);
      } else {
        V y[kTailRows][1], right[2][kPairs];
        load(y, b + group * kGroupWords, kLanes, 0);
        transpose(y);
        NTTF_UNROLL for (unsigned s = 0; s < kStages; ++s) stage<kTailLog, 1, kind>(y, s, w, Twiddle{}, c);
        NTTF_UNROLL for (int i = 0; i < kPairs; ++i) {
          right[0][i] = y[2 * i][0];
          right[1][i] = y[2 * i + 1][0];
        }
        PairProduct<Butterfly>::multiply(left, right, z, pair_constants);
      }
      NTTF_UNROLL for (int i = 0; i < kPairs; ++i) {
        x[2 * i][0] = left[0][i];
        x[2 * i + 1][0] = left[1][i];
      }
      NTTF_UNROLL for (unsigned s = kStages; s > 0; --s)
          stage<kTailLog, 1, Kind::inverse>(x, s - 1, v, Twiddle{}, c);
      transpose(x);
      store(x, out + group * kGroupWords, kLanes, 0);
    }
  }

  template <Kind kind>
  static void forward_tail(const Walk& walk, const Constants& constants, Word* out, std::size_t first,
                           std::size_t count) {
    const Constants c = constants;
    for (std::size_t group = first; group < first + count; group += kTailGroups) {
      V r[kTailRows][kTogether];
      load(r, out + group * kGroupWords, kLanes, kTailRows * kLanes);
      transpose(r);
      stages<kTailLog, kTogether, kind>(r, tail_twiddles(walk, group), Twiddle{}, c);
      transpose(r);
      finish(r, c);
      store(r, out + group * kGroupWords, kLanes, kTailRows * kLanes);
    }
  }

  template <int rows, int columns>
  static NTTF_KERNEL void transpose(V (&r)[rows][columns]) {
    if constexpr (kLanesLog == 0) return;
    NTTF_UNROLL for (int g = 0; g < columns; ++g) {
      V column[rows];
      NTTF_UNROLL for (int i = 0; i < rows; ++i) column[i] = r[i][g];
      if constexpr (kLanesLog != 0) Lanes::transpose(column);
      NTTF_UNROLL for (int i = 0; i < rows; ++i) r[i][g] = column[i];
    }
  }
};

}  // namespace nttforge
