#pragma once

// Stage loops: which butterflies, in which order; the arithmetic is the Butterfly's, the order of passes over
// memory is stage_order.hpp's.
//
// Forward, n = 2^log_n points, L lanes:
//   passes    the first log_n - 2 log L stages, kRadixLog of them per pass (a single one first if they do not
//             divide): a group's 2^kRadixLog rows lie t words apart, kColumns vectors of each row are in
//             flight at once
//   codelets  the last 2 log L stages on L x L points in registers: log L stages between vectors, log L
//             stages between points of a vector, full reduction (fused). Two ways for the latter:
//
//             transposed: lane g of vector i = point i of row g    stages over i, one twiddle per lane;
//             transpose back. 2 log L shuffles a vector exchanged (lanes that have `exchange`): before each
//             stage the highest lane bit not yet done changes places with the highest row bit;
//             lane_exchange.hpp. log L + 1 shuffles a vector, and spread between the stages
//
// One lane (L = 1) has no codelets; its last pass reduces. The inverse runs the same steps backwards; its
// last pass multiplies by 1/n and reduces.
//
// Twiddles (value, quotient) lie in the order they are read; see twiddles.hpp.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "nttforge/ntt/butterflies.hpp"
#include "nttforge/ntt/kernels.hpp"
#include "nttforge/ntt/lane_exchange.hpp"

namespace nttforge {

/// radix_log    stages per pass (1 to 3)
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
  static constexpr bool kExchanged = ExchangingLanes<Lanes>;
  static constexpr bool kSigned = Butterfly::kSigned;

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

  enum class Kind { forward, forward_last, inverse, inverse_last };

  /// What rows carry besides their values if Butterfly::kSigned: before the last forward stage the sign of
  /// each column, after the last inverse stage of a pass the role of each column in the next.
  struct None {
    NTTF_KERNEL int operator()(const Constants&, int) const { return 0; }
  };
  struct GroupRole {
    std::size_t group;
    NTTF_KERNEL auto operator()(const Constants&, int) const { return Butterfly::role_of_group(group); }
  };
  struct CodeletRole {
    std::size_t first;
    NTTF_KERNEL auto operator()(const Constants&, int column) const {
      return Butterfly::role_of_group(first + static_cast<std::size_t>(column));
    }
  };
  struct LanesRole {
    unsigned bit;
    NTTF_KERNEL auto operator()(const Constants&, int) const { return Butterfly::role_of_lanes(bit); }
  };
  struct CodeletSign {
    std::size_t first;
    NTTF_KERNEL unsigned operator()(const Constants&, int column) const {
      return static_cast<unsigned>(std::popcount(first + static_cast<std::size_t>(column)));
    }
  };

  /// The butterflies of one batch. `groups` and `columns`: where each lies.
  template <Kind kind, int K, class Context>
  static NTTF_KERNEL void butterflies(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Twiddle& scale,
                                      const int (&groups)[K], const int (&columns)[K], unsigned s, Step step,
                                      const Context& context, const Constants& c) {
    if constexpr (kind == Kind::inverse_last) {
      Twiddle scales[K];
      NTTF_UNROLL for (int i = 0; i < K; ++i) scales[i] = scale;
      Butterfly::inverse_last(x, y, w, scales, c);
    } else if constexpr (kind == Kind::forward) {
      Butterfly::forward(x, y, w, c, step);
    } else if constexpr (!Butterfly::kSigned && kind == Kind::inverse) {
      Butterfly::inverse(x, y, w, c, step);
    } else if constexpr (!Butterfly::kSigned) {
      Butterfly::forward(x, y, w, c, step);
      NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Butterfly::reduce_forward(x[i], c);
      NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = Butterfly::reduce_forward(y[i], c);
    } else if constexpr (kind == Kind::inverse) {
      typename Butterfly::Role roles[K];
      NTTF_UNROLL for (int i = 0; i < K; ++i) {
        roles[i] = Butterfly::role(c, groups[i] % 2 != 0);
        if constexpr (!std::is_same_v<Context, None>) {
          if (s == 0) roles[i] = context(c, columns[i]);
        }
      }
      Butterfly::inverse(x, y, w, roles, c, step);
    } else {
      unsigned negated[K];
      NTTF_UNROLL for (int i = 0; i < K; ++i) {
        negated[i] = (context(c, columns[i]) + static_cast<unsigned>(std::popcount(unsigned(groups[i])))) % 2;
      }
      Butterfly::forward_last(x, y, w, negated, c);
    }
  }

  /// One stage over 2^log rows: 2^s groups of 2^(log - s) rows, `columns` independent columns.
  template <unsigned log, int columns, Kind kind, class Source, class Context>
  static NTTF_KERNEL void stage(V (&r)[1 << log][columns], unsigned s, const Source& source,
                                const Twiddle& scale, Step step, const Context& context, const Constants& c) {
    constexpr int kAll = (1 << (log - 1)) * columns;
    constexpr int kBatch = kAll < ShapeType::kBatch ? kAll : ShapeType::kBatch;
    static_assert(kAll % kBatch == 0);
    const int half = 1 << (log - 1 - s);
    NTTF_UNROLL for (int first = 0; first < kAll; first += kBatch) {
      V x[kBatch], y[kBatch];
      Twiddle w[kBatch];
      int groups[kBatch], places[kBatch];
      NTTF_UNROLL for (int i = 0; i < kBatch; ++i) {
        const int pair = (first + i) / columns, column = (first + i) % columns;
        const int group = pair / half, row = 2 * group * half + pair % half;
        x[i] = r[row][column];
        y[i] = r[row + half][column];
        w[i] = source((1 << s) - 1 + group, column);
        groups[i] = group;
        places[i] = column;
      }
      butterflies<kind>(x, y, w, scale, groups, places, s, step, context, c);
      NTTF_UNROLL for (int i = 0; i < kBatch; ++i) {
        const int pair = (first + i) / columns, column = (first + i) % columns;
        const int group = pair / half, row = 2 * group * half + pair % half;
        r[row][column] = x[i];
        r[row + half][column] = y[i];
      }
    }
  }

  /// Stage s of those that a pass merges.
  static NTTF_KERNEL constexpr Step forward_step(unsigned s) {
    return s % (Butterfly::kKept + 1) == 0 ? Step::reduce : Step::keep;
  }

  /// `last`: the transform ends here, with words in [0, q).
  template <unsigned log, int columns, bool last, class Source, class Context>
  static NTTF_KERNEL void forward_stages(V (&r)[1 << log][columns], const Source& source, Step first,
                                         const Context& context, const Constants& c) {
    const Twiddle none{};
    NTTF_UNROLL for (unsigned s = 0; s + 1 < log; ++s) {
      stage<log, columns, Kind::forward>(r, s, source, none, s == 0 ? first : forward_step(s), context, c);
    }
    stage<log, columns, last ? Kind::forward_last : Kind::forward>(
        r, log - 1, source, none, log == 1 ? first : forward_step(log - 1), context, c);
  }
  /// Values are reduced in every second stage and in the last one.
  template <unsigned log, int columns, bool last, class Source, class Context>
  static NTTF_KERNEL void inverse_stages(V (&r)[1 << log][columns], const Source& source,
                                         const Twiddle& scale, Step first, const Context& context,
                                         const Constants& c) {
    NTTF_UNROLL for (unsigned s = log - 1; s > 0; --s) {
      const Step step = (log - s) % 2 == 0 ? Step::reduce : s == log - 1 ? first : Step::keep;
      stage<log, columns, Kind::inverse>(r, s, source, scale, step, context, c);
    }
    stage<log, columns, last ? Kind::inverse_last : Kind::inverse>(r, 0, source, scale, Step::reduce, context,
                                                                   c);
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
                               const Area area, [[maybe_unused]] std::size_t first_group) {
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
            forward_stages<log, kColumns, mode == Mode::forward_last>(
                r, twiddles, mode == Mode::forward_first ? Step::first : Step::reduce, None{}, c);
          } else if constexpr (Butterfly::kSigned && mode == Mode::inverse) {
            inverse_stages<log, kColumns, false>(r, twiddles, scale, Step::keep,
                                                 GroupRole{first_group + group}, c);
          } else {
            inverse_stages<log, kColumns, mode == Mode::inverse_last>(r, twiddles, scale, Step::keep, None{},
                                                                      c);
          }
          NTTF_UNROLL for (int i = 0; i < kRows; ++i) {
            NTTF_UNROLL for (int h = 0; h < kColumns; ++h) {
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

  static NTTF_KERNEL const Word* table_at(const Walk& walk, unsigned log_m, std::size_t group) {
    return walk.scalars(log_m) + 2 * ((std::size_t{1} << walk.step(log_m)) - 1) * group;
  }

  /// The passes that may have fewer stages than the others: the one at 1, and one lane's last, which may be
  /// it.
  template <Mode mode>
  static NTTF_KERNEL void run(const Walk& walk, const Constants& c, const Twiddle& scale, const Area& area,
                              unsigned log_m, std::size_t group) {
    const Word* const table = table_at(walk, log_m, group);
    const unsigned log = walk.step(log_m);
    if (log == kRadixLog) {
      pass<kRadixLog, mode>(table, c, scale, area, group);
    } else if (kRadixLog == 3 && log == 2) {
      pass<2, mode>(table, c, scale, area, group);
    } else {
      pass<1, mode>(table, c, scale, area, group);
    }
  }

 public:
  /// The pass at 2^log_m over an area whose first group is `group`.
  static void forward_pass(const Walk& walk, const Constants& c, const Area& area, unsigned log_m,
                           std::size_t group) {
    const Twiddle none{};
    if (kLanesLog == 0 && log_m + walk.step(log_m) == walk.end()) {
      run<Mode::forward_last>(walk, c, none, area, log_m, group);
    } else if (log_m == 0) {
      run<Mode::forward_first>(walk, c, none, area, log_m, group);
    } else {
      pass<kRadixLog, Mode::forward>(table_at(walk, log_m, group), c, none, area, group);
    }
  }

  static void inverse_pass(const Walk& walk, const Constants& c, const Twiddle& scale, const Area& area,
                           unsigned log_m, std::size_t group) {
    if (log_m == 0) {
      run<Mode::inverse_last>(walk, c, scale, area, log_m, group);
    } else {
      pass<kRadixLog, Mode::inverse>(table_at(walk, log_m, group), c, scale, area, group);
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
    forward_stages<kLanesLog, interleaved, false>(
        r, Broadcast{walk.scalars(walk.end()) + 2 * (kLanes - 1) * first}, Step::reduce, None{}, c);
    const Vectors vectors{walk.table + 2 * kLanes * (kLanes - 1) * first};
    if constexpr (kExchanged) {
      forward_lanes(r, walk, first, c);
    } else if constexpr (Butterfly::kSigned) {
      transpose(r);
      forward_stages<kLanesLog, interleaved, true>(r, vectors, Step::reduce, CodeletSign{first}, c);
      transpose(r);
    } else {
      transpose(r);
      forward_stages<kLanesLog, interleaved, true>(r, vectors, Step::reduce, None{}, c);
      transpose(r);
    }
    NTTF_UNROLL for (int i = 0; i < kRows; ++i) {
      NTTF_UNROLL for (int g = 0; g < interleaved; ++g) {
        Lanes::store(x + static_cast<std::size_t>(g) * kPoints + static_cast<std::size_t>(i) * kLanes,
                     r[i][g]);
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
    const Vectors vectors{walk.table + 2 * kLanes * (kLanes - 1) * first};
    const Broadcast scalars{walk.scalars(walk.end()) + 2 * (kLanes - 1) * first};
    if constexpr (kExchanged) {
      inverse_lanes(r, walk, first, c);
    } else {
      transpose(r);
      if constexpr (Butterfly::kSigned) {
        inverse_stages<kLanesLog, interleaved, false>(r, vectors, none, Step::first, LanesRole{0}, c);
      } else {
        inverse_stages<kLanesLog, interleaved, false>(r, vectors, none, Step::first, None{}, c);
      }
      transpose(r);
    }
    if constexpr (Butterfly::kSigned) {
      inverse_stages<kLanesLog, interleaved, false>(r, scalars, none, Step::keep, CodeletRole{first}, c);
    } else {
      inverse_stages<kLanesLog, interleaved, false>(r, scalars, none, Step::keep, None{}, c);
    }
    NTTF_UNROLL for (int i = 0; i < kRows; ++i) {
      NTTF_UNROLL for (int g = 0; g < interleaved; ++g) {
        Lanes::store(out + first * kPoints + static_cast<std::size_t>(g) * kPoints +
                         static_cast<std::size_t>(i) * kLanes,
                     r[i][g]);
      }
    }
  }

  struct Repeated {  // the 2^(s + 1) twiddles of vector pair j, repeated over the lanes
    const Word* table;
    NTTF_KERNEL Twiddle operator()(unsigned s, int j, int codelet) const {
      const std::size_t per_stage = std::size_t{2} << s;
      const Word* p = table + 2 * kLanes * (kLanes - 1) * static_cast<std::size_t>(codelet) +
                      kLanes * (per_stage - 2) + 2 * per_stage * static_cast<std::size_t>(j);
      if (s == 0) return load<2>(p);
      if (s == 1) return load<4>(p);
      if (s == 2) return load<8>(p);
      return load<16>(p);
    }
    template <std::size_t count>
    static NTTF_KERNEL Twiddle load(const Word* p) {
      constexpr std::size_t kCount = count < kLanes ? count : kLanes;
      return Butterfly::Product::twiddle(Lanes::template load_repeated<kCount>(p),
                                         Lanes::template load_repeated<kCount>(p + kCount));
    }
  };

  /// The stage between points 2^(log L - 1 - s) apart, on vectors j and j + L/2.
  template <int columns, Kind kind, class Context>
  static NTTF_KERNEL void lane_stage(V (&r)[kLanes][columns], unsigned s, const Repeated& source, Step step,
                                     const Context& context, const Constants& c) {
    constexpr int kHalf = static_cast<int>(kLanes / 2), kAll = kHalf * columns;
    constexpr int kBatch = kAll < ShapeType::kBatch ? kAll : ShapeType::kBatch;
    NTTF_UNROLL for (int first = 0; first < kAll; first += kBatch) {
      V x[kBatch], y[kBatch];
      Twiddle w[kBatch];
      int groups[kBatch], places[kBatch];
      NTTF_UNROLL for (int i = 0; i < kBatch; ++i) {
        const int j = (first + i) / columns, column = (first + i) % columns;
        x[i] = r[j][column];
        y[i] = r[j + kHalf][column];
        w[i] = source(s, j, column);
        groups[i] = j;
        places[i] = column;
      }
      butterflies<kind>(x, y, w, Twiddle{}, groups, places, 0, step, context, c);
      NTTF_UNROLL for (int i = 0; i < kBatch; ++i) {
        const int j = (first + i) / columns, column = (first + i) % columns;
        r[j][column] = x[i];
        r[j + kHalf][column] = y[i];
      }
    }
  }

  template <bool inverted, int columns>
  static NTTF_KERNEL void exchange(V (&r)[kLanes][columns], unsigned step) {
    NTTF_UNROLL for (std::size_t j = 0; j < kLanes / 2; ++j) {
      NTTF_UNROLL for (int g = 0; g < columns; ++g) {
        Lanes::template exchange<inverted>(r[j][g], r[j + kLanes / 2][g], step);
      }
    }
  }

  template <int columns>
  static NTTF_KERNEL void forward_lanes(V (&r)[kLanes][columns], const Walk& walk, std::size_t first,
                                        const Constants& c) {
    const Repeated source{walk.table + 2 * kLanes * (kLanes - 1) * first};
    NTTF_UNROLL for (unsigned s = 0; s + 1 < kLanesLog; ++s) {
      exchange<false>(r, s);
      lane_stage<columns, Kind::forward>(r, s, source, forward_step(s), None{}, c);
    }
    exchange<false>(r, kLanesLog - 1);
    if constexpr (Butterfly::kSigned) {
      lane_stage<columns, Kind::forward_last>(r, kLanesLog - 1, source, forward_step(kLanesLog - 1),
                                              CodeletSign{first}, c);
    } else {
      lane_stage<columns, Kind::forward_last>(r, kLanesLog - 1, source, forward_step(kLanesLog - 1), None{},
                                              c);
    }
    exchange<false>(r, kLanesLog);
  }

  template <int columns>
  static NTTF_KERNEL void inverse_lanes(V (&r)[kLanes][columns], const Walk& walk, std::size_t first,
                                        const Constants& c) {
    const Repeated source{walk.table + 2 * kLanes * (kLanes - 1) * first};
    exchange<true>(r, kLanesLog);
    NTTF_UNROLL for (unsigned s = kLanesLog - 1; s > 0; --s) {
      const Step step = (kLanesLog - s) % 2 == 0 ? Step::reduce
                        : s == kLanesLog - 1     ? Step::first
                                                 : Step::keep;
      if constexpr (Butterfly::kSigned) {
        lane_stage<columns, Kind::inverse>(r, s, source, step, LanesRole{s}, c);
      } else {
        lane_stage<columns, Kind::inverse>(r, s, source, step, None{}, c);
      }
      exchange<true>(r, s);
    }
    lane_stage<columns, Kind::inverse>(r, 0, source, Step::reduce, None{}, c);
    exchange<true>(r, 0);
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
