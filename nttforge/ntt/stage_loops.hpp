#pragma once

// Stage loops: which butterflies, in which order, over which memory; the arithmetic is the Butterfly's.
//
// Forward, n = 2^log_n points, L lanes:
//   passes    the first log_n - 2 log L stages, kRadixLog of them per pass over memory (a single one first if
//   they do not
//             divide): a group's 2^kRadixLog rows lie t words apart, kColumns vectors of each row are in
//             flight at once
//   codelets  the last 2 log L stages on L x L points in registers: log L stages between vectors, transpose,
//   log L
//             stages between vectors again, transpose, full reduction (fused)
//
//             memory   |v0|v1|v2|..|        stages over rows v_i, one twiddle per group of vectors
//             transposed: lane g of vector i = point i of row g    stages over i, one twiddle per lane
//
// One lane (L = 1) has no codelets; its last pass reduces. The inverse runs the same steps backwards; its
// last pass multiplies by 1/n and reduces. Once a group fits a block (Shape::kLogBlock), all its remaining
// stages are done before the next group, so that it stays in the first-level cache.
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

template <class Butterfly, class ShapeType>
class StageLoops {
 public:
  using Lanes = typename Butterfly::Lanes;
  using Word = typename Butterfly::Word;
  using V = typename Butterfly::V;
  using Twiddle = typename Butterfly::Twiddle;
  using Constants = typename Butterfly::Constants;
  static constexpr std::size_t kLanes = Lanes::kWidth;
  static constexpr unsigned kLanesLog = static_cast<unsigned>(std::countr_zero(kLanes));
  static constexpr unsigned kRadixLog = ShapeType::kRadixLog;
  /// A pass must be left for 1/n, and two codelets for interleaving.
  static constexpr unsigned kMinLogN = kLanesLog == 0 ? 0 : 2 * kLanesLog + 1;
  static_assert(ShapeType::kLogBlock >= 2 * kLanesLog + 2 &&
                ShapeType::kColumns <= static_cast<int>(kLanes) && ShapeType::kCodelets <= 2);
  static_assert(!Butterfly::kConverts || kLanesLog != 0);  // one lane has no codelets to enter through

  static void forward(const KernelTables<Word>& tables, const Word* in, Word* out) {
    if (kLanesLog == 0 && tables.log_n == 0) {
      out[0] = in[0];
      return;
    }
    const Constants c = Butterfly::Product::constants(tables.q);
    const Walk walk{tables.forward, tables.log_n};
    unsigned log_m = 0;
    while (log_m < walk.end() && walk.log_n - log_m > ShapeType::kLogBlock) {
      forward_pass(walk, c, log_m == 0 ? in : out, out, log_m, 0, std::size_t{1} << log_m);
      log_m += walk.step(log_m);
    }
    for (std::size_t block = 0; block < std::size_t{1} << log_m; ++block) {
      unsigned inner = log_m;
      for (; inner < walk.end(); inner += walk.step(inner)) {
        forward_pass(walk, c, inner == 0 ? in : out, out, inner, block << (inner - log_m),
                     std::size_t{1} << (inner - log_m));
      }
      if constexpr (kLanesLog != 0) {
        forward_codelets(walk, c, out, block << (inner - log_m), std::size_t{1} << (inner - log_m));
      }
    }
  }

  static void inverse(const KernelTables<Word>& tables, const Word* in, Word* out) {
    if (kLanesLog == 0 && tables.log_n == 0) {
      out[0] = in[0];
      return;
    }
    const Constants c = Butterfly::Product::constants(tables.q);
    const Walk walk{tables.inverse, tables.log_n};
    const Twiddle scale =
        Butterfly::Product::twiddle(Lanes::broadcast(tables.scale), Lanes::broadcast(tables.scale_quotient));
    unsigned log_m = 0;  // the same blocks as forward
    while (log_m < walk.end() && walk.log_n - log_m > ShapeType::kLogBlock) log_m += walk.step(log_m);
    for (std::size_t block = 0; block < std::size_t{1} << log_m; ++block) {
      unsigned inner = walk.end();
      if constexpr (kLanesLog != 0) {
        inverse_codelets(walk, c, in, out, block << (inner - log_m), std::size_t{1} << (inner - log_m));
      }
      while (inner > log_m) {
        const Word* source = kLanesLog == 0 && inner == walk.end() ? in : out;
        inner -= walk.step_back(inner);
        inverse_pass(walk, c, scale, source, out, inner, block << (inner - log_m),
                     std::size_t{1} << (inner - log_m));
      }
    }
    while (log_m > 0) {
      log_m -= walk.step_back(log_m);
      inverse_pass(walk, c, scale, out, out, log_m, 0, std::size_t{1} << log_m);
    }
  }

 private:
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

  /// Groups [group, group + groups) of the pass that splits 2^log_m groups by `log` stages.
  template <unsigned log, Mode mode>
  static NTTF_KERNEL void pass(const Walk& walk, const Constants& c, const Twiddle& scale, const Word* in,
                               Word* out, unsigned log_m, std::size_t group, std::size_t groups) {
    constexpr int kRows = 1 << log;
    constexpr int kColumns = ShapeType::kColumns;
    const std::size_t t = walk.n() >> (log_m + log);
    const Word* table = walk.scalars(log_m) + 2 * (kRows - 1) * group;
    for (std::size_t base = group * kRows * t; base < (group + groups) * kRows * t; base += kRows * t) {
      const Held<kRows - 1> twiddles = hold<kRows - 1>(table);
      table += 2 * (kRows - 1);
      for (std::size_t k = 0; k < t; k += kColumns * kLanes) {
        V r[kRows][kColumns];
        NTTF_UNROLL for (int i = 0; i < kRows; ++i) {
          NTTF_UNROLL for (int h = 0; h < kColumns; ++h) {
            r[i][h] = Lanes::load(in + base + k + static_cast<std::size_t>(i) * t +
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
                out + base + k + static_cast<std::size_t>(i) * t + static_cast<std::size_t>(h) * kLanes,
                r[i][h]);
          }
        }
      }
    }
  }

  static void forward_pass(const Walk& walk, const Constants& c, const Word* in, Word* out, unsigned log_m,
                           std::size_t group, std::size_t groups) {
    const unsigned log = walk.step(log_m);
    const Twiddle none{};
    if (kLanesLog == 0 && log_m + log == walk.end()) {
      if (log == kRadixLog) {
        pass<kRadixLog, Mode::forward_last>(walk, c, none, in, out, log_m, group, groups);
      } else {
        pass<1, Mode::forward_last>(walk, c, none, in, out, log_m, group, groups);
      }
    } else if (Butterfly::kConverts && log_m == 0) {
      if (log == kRadixLog) {
        pass<kRadixLog, Mode::forward_first>(walk, c, none, in, out, log_m, group, groups);
      } else {
        pass<1, Mode::forward_first>(walk, c, none, in, out, log_m, group, groups);
      }
    } else if (log == kRadixLog) {
      pass<kRadixLog, Mode::forward>(walk, c, none, in, out, log_m, group, groups);
    } else {
      pass<1, Mode::forward>(walk, c, none, in, out, log_m, group, groups);
    }
  }

  static void inverse_pass(const Walk& walk, const Constants& c, const Twiddle& scale, const Word* in,
                           Word* out, unsigned log_m, std::size_t group, std::size_t groups) {
    const unsigned log = walk.step(log_m);
    if (log_m == 0) {
      if (log == kRadixLog) {
        pass<kRadixLog, Mode::inverse_last>(walk, c, scale, in, out, log_m, group, groups);
      } else {
        pass<1, Mode::inverse_last>(walk, c, scale, in, out, log_m, group, groups);
      }
    } else {
      pass<kRadixLog, Mode::inverse>(walk, c, scale, in, out, log_m, group, groups);
    }
  }

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
};

}  // namespace nttforge
