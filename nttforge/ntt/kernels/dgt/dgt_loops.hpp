// SPDX-License-Identifier: Apache-2.0
#pragma once

// The DGT's loops. n coefficients are m = n/2 numbers of GF(q)[i] whose parts lie m words apart, so folding
// [Bad18b, Alg. 1] costs nothing:
//
//   memory   | re 0 ... m-1 | im 0 ... m-1 |
//
// Twisting by h^j is merged into the twiddles: splitting Y^m - i down to its roots h^(4k+1) needs at group j
// of the stage that splits M groups the one factor h^((1 + 4 bitrev(j)) m / 2M). So the stages are an NTT's,
// and go over memory as stage_loops.hpp describes: passes of radix_log stages, then codelets of L x L points
// in registers with the last 2 log L stages; the inverse backwards, 1/m and the full reduction in its last
// pass. Above a block of 2^log_block points the first passes stride over all of memory.
//
// Twiddles lie in the order they are read, four words each; see dgt_tables.hpp.

#include <bit>
#include <cstddef>

#include "nttforge/ntt/kernels.hpp"
#include "nttforge/ntt/kernels/dgt/dgt_butterflies.hpp"
#include "nttforge/ntt/kernels/register_rows.hpp"
#include "nttforge/ntt/pass_walk.hpp"

namespace nttforge {

/// Sizes of the loops.
struct DgtShape {
  unsigned radix_log;  ///< stages per pass (1 or 2)
  int batch;           ///< butterflies handed to Butterfly at once
  unsigned log_block;  ///< log2 of the points worked on to the end at once
};

template <class Butterfly, DgtShape shape>
class DgtLoops {
 public:
  using Lanes = typename Butterfly::Lanes;
  using Word = typename Butterfly::Word;
  using Part = typename Butterfly::Part;
  using V = typename Butterfly::V;
  using Twiddle = typename Butterfly::Twiddle;
  using Constants = typename Butterfly::Constants;
  static constexpr std::size_t kLanes = Lanes::kWidth;
  static constexpr unsigned kLanesLog = static_cast<unsigned>(std::countr_zero(kLanes));
  static constexpr unsigned kRadixLog = shape.radix_log;
  /// Least log2 n, where n = 2m: one pass must be left to multiply by 1/m.
  static constexpr unsigned kMinLogN = kLanesLog == 0 ? 1 : 2 * kLanesLog + 2;
  static_assert(shape.log_block >= 2 * kLanesLog + 2);

  static void forward(const KernelTables<Word>& tables, const Word* in, Word* out) {
    const Walk walk(tables, tables.forward);
    if (walk.log_n == 0) return copy_point(in, out);
    unsigned log_groups = 0;
    while (log_groups < walk.end() && walk.log_n - log_groups > shape.log_block) {
      forward_pass(walk, log_groups == 0 ? in : out, out, log_groups, 0, std::size_t{1} << log_groups);
      log_groups += walk.step(log_groups);
    }
    for (std::size_t block = 0; block < std::size_t{1} << log_groups; ++block) {
      unsigned inner = log_groups;
      for (; inner < walk.end(); inner += walk.step(inner)) {
        forward_pass(walk, inner == 0 ? in : out, out, inner, block << (inner - log_groups),
                     std::size_t{1} << (inner - log_groups));
      }
      if constexpr (kLanesLog != 0) {
        for (std::size_t i = block << (inner - log_groups); i < (block + 1) << (inner - log_groups); ++i)
          forward_codelet(walk, out, i);
      }
    }
  }

  static void inverse(const KernelTables<Word>& tables, const Word* in, Word* out) {
    const Walk walk(tables, tables.inverse);
    if (walk.log_n == 0) return copy_point(in, out);
    unsigned log_groups = 0;  // the same blocks as forward
    while (log_groups < walk.end() && walk.log_n - log_groups > shape.log_block)
      log_groups += walk.step(log_groups);
    for (std::size_t block = 0; block < std::size_t{1} << log_groups; ++block) {
      unsigned inner = walk.end();
      if constexpr (kLanesLog != 0) {
        for (std::size_t i = block << (inner - log_groups); i < (block + 1) << (inner - log_groups); ++i)
          inverse_codelet(walk, in, out, i);
      }
      while (inner > log_groups) {
        const Word* source = kLanesLog == 0 && inner == walk.end() ? in : out;
        inner -= walk.step_back(inner);
        inverse_pass(walk, source, out, inner, block << (inner - log_groups),
                     std::size_t{1} << (inner - log_groups));
      }
    }
    while (log_groups > 0) {
      log_groups -= walk.step_back(log_groups);
      inverse_pass(walk, out, out, log_groups, 0, std::size_t{1} << log_groups);
    }
  }

 private:
  static constexpr std::size_t kEntry = 4;  ///< words of a twiddle
  static constexpr WalkShape kWalkShape{
      .log_lanes = kLanesLog, .radix_log = kRadixLog, .tail_log = 2 * kLanesLog, .entry_words = kEntry};

  /// log_n is that of the m numbers.
  struct Walk : PassWalk<Butterfly, kWalkShape> {
    Constants c;
    Twiddle scale;

    NTTF_KERNEL Walk(const KernelTables<Word>& tables, const Word* twiddles)
        : PassWalk<Butterfly, kWalkShape>{{twiddles, tables.log_n - 1}},
          c(Butterfly::Product::constants(tables.q)) {
      const Word words[kEntry] = {tables.scale, tables.scale_quotient, 0, 0};
      scale = broadcast(words, c);
    }
  };

  static NTTF_KERNEL Twiddle broadcast(const Word* p, const Constants& c) {
    const Part parts[kEntry] = {Lanes::broadcast(p[0]), Lanes::broadcast(p[1]), Lanes::broadcast(p[2]),
                                Lanes::broadcast(p[3])};
    return Butterfly::Product::twiddle(parts, c);
  }

  template <int count>
  struct Held {  // twiddles of one group
    Twiddle w[count];
    NTTF_KERNEL Twiddle operator()(int i) const { return w[i]; }
  };
  struct Broadcast {  // one entry per index
    const Word* table;
    const Constants& c;
    NTTF_KERNEL Twiddle operator()(int i) const {
      return broadcast(table + kEntry * static_cast<std::size_t>(i), c);
    }
  };
  struct Vectors {  // one vector per index and word of an entry
    const Word* table;
    const Constants& c;
    NTTF_KERNEL Twiddle operator()(int i) const {
      const Word* p = table + kEntry * kLanes * static_cast<std::size_t>(i);
      const Part parts[kEntry] = {Lanes::load(p), Lanes::load(p + kLanes), Lanes::load(p + 2 * kLanes),
                                  Lanes::load(p + 3 * kLanes)};
      return Butterfly::Product::twiddle(parts, c);
    }
  };

  template <unsigned log, bool inverted, bool last, class Source>
  static NTTF_KERNEL void stage(V (&r)[1 << log][1], unsigned s, const Source& source, const Walk& walk) {
    each_batch<shape.batch>(
        r, s, [&](const Site& at) NTTF_LAMBDA_INLINE { return source((1 << s) - 1 + at.group); },
        [&](auto& x, auto& y, const auto& w, const auto&) NTTF_LAMBDA_INLINE {
          if constexpr (last) {
            Butterfly::inverse_last(x, y, w, walk.scale, walk.c);
          } else if constexpr (inverted) {
            Butterfly::inverse(x, y, w, walk.c);
          } else {
            Butterfly::forward(x, y, w, walk.c, s % 2 == 0);
          }
        });
  }

  enum class Mode { forward, inverse, inverse_last };

  template <unsigned log, Mode mode, class Source>
  static NTTF_KERNEL void stages(V (&r)[1 << log][1], const Source& source, const Walk& walk) {
    if constexpr (mode == Mode::forward) {
      NTTF_UNROLL for (unsigned s = 0; s < log; ++s) stage<log, false, false>(r, s, source, walk);
    } else {
      NTTF_UNROLL for (unsigned s = log - 1; s > 0; --s) stage<log, true, false>(r, s, source, walk);
      stage<log, true, mode == Mode::inverse_last>(r, 0, source, walk);
    }
  }

  static NTTF_KERNEL V load(const Word* p, std::size_t m) { return {Lanes::load(p), Lanes::load(p + m)}; }
  static NTTF_KERNEL void store(Word* p, std::size_t m, const V& v) {
    Lanes::store(p, v.re);
    Lanes::store(p + m, v.im);
  }
  static NTTF_KERNEL V enter(const V& v) { return {Butterfly::enter(v.re), Butterfly::enter(v.im)}; }
  static NTTF_KERNEL V leave(const V& v, const Constants& c) {
    return {Butterfly::leave(v.re, c), Butterfly::leave(v.im, c)};
  }
  static void copy_point(const Word* in, Word* out) {
    const Word re = in[0], im = in[1];
    out[0] = re;
    out[1] = im;
  }

  /// Groups [group, group + groups) of the pass at 2^log_groups, `log` stages of each.
  template <unsigned log, Mode mode, bool enters, bool leaves>
  static NTTF_KERNEL void pass(const Walk& outer, const Word* in, Word* out, unsigned log_groups,
                               std::size_t group, std::size_t groups) {
    constexpr std::size_t kRows = std::size_t{1} << log;
    const Walk walk = outer;  // a copy, which no store through `out` can change
    const std::size_t m = walk.n(), t = m >> (log_groups + log);
    const Word* table = walk.scalars(log_groups, log, group);
    for (std::size_t base = group * kRows * t; base < (group + groups) * kRows * t; base += kRows * t) {
      Held<kRows - 1> twiddles;
      NTTF_UNROLL for (std::size_t i = 0; i < kRows - 1; ++i) twiddles.w[i] =
          broadcast(table + kEntry * i, walk.c);
      table += kEntry * (kRows - 1);
      for (std::size_t k = base; k < base + t; k += kLanes) {
        V r[kRows][1];
        NTTF_UNROLL for (std::size_t i = 0; i < kRows; ++i) {
          r[i][0] = load(in + k + i * t, m);
          if constexpr (enters) r[i][0] = enter(r[i][0]);
        }
        stages<log, mode>(r, twiddles, walk);
        NTTF_UNROLL for (std::size_t i = 0; i < kRows; ++i) {
          if constexpr (leaves) r[i][0] = leave(r[i][0], walk.c);
          store(out + k + i * t, m, r[i][0]);
        }
      }
    }
  }

  template <Mode mode, bool enters, bool leaves>
  static NTTF_KERNEL void pass_of(unsigned log, const Walk& walk, const Word* in, Word* out,
                                  unsigned log_groups, std::size_t group, std::size_t groups) {
    if (log == kRadixLog) {
      pass<kRadixLog, mode, enters, leaves>(walk, in, out, log_groups, group, groups);
    } else {
      pass<1, mode, enters, leaves>(walk, in, out, log_groups, group, groups);
    }
  }

  static void forward_pass(const Walk& walk, const Word* in, Word* out, unsigned log_groups,
                           std::size_t group, std::size_t groups) {
    const unsigned log = walk.step(log_groups);
    constexpr bool kEnters = kLanesLog != 0;  // one lane's butterflies convert nothing
    if (kLanesLog == 0 && log_groups + log == walk.end()) {
      pass_of<Mode::forward, false, kLanesLog == 0>(log, walk, in, out, log_groups, group, groups);
    } else if (kEnters && log_groups == 0) {
      pass_of<Mode::forward, kEnters, false>(log, walk, in, out, log_groups, group, groups);
    } else {
      pass_of<Mode::forward, false, false>(log, walk, in, out, log_groups, group, groups);
    }
  }

  static void inverse_pass(const Walk& walk, const Word* in, Word* out, unsigned log_groups,
                           std::size_t group, std::size_t groups) {
    const unsigned log = walk.step(log_groups);
    if (log_groups == 0) {
      pass_of<Mode::inverse_last, false, false>(log, walk, in, out, log_groups, group, groups);
    } else {
      pass_of<Mode::inverse, false, false>(log, walk, in, out, log_groups, group, groups);
    }
  }

  static constexpr std::size_t kCodelet = kLanes * kLanes;

  static void forward_codelet(const Walk& walk, Word* out, std::size_t i) {
    Word* const x = out + i * kCodelet;
    const std::size_t m = walk.n();
    V r[kLanes][1];
    NTTF_UNROLL for (std::size_t row = 0; row < kLanes; ++row) r[row][0] = load(x + row * kLanes, m);
    stages<kLanesLog, Mode::forward>(r, first_half(walk, i), walk);
    transpose(r);
    stages<kLanesLog, Mode::forward>(r, second_half(walk, i), walk);
    transpose(r);
    NTTF_UNROLL for (std::size_t row = 0; row < kLanes; ++row)
        store(x + row * kLanes, m, leave(r[row][0], walk.c));
  }

  static void inverse_codelet(const Walk& walk, const Word* in, Word* out, std::size_t i) {
    const std::size_t m = walk.n();
    V r[kLanes][1];
    NTTF_UNROLL for (std::size_t row = 0; row < kLanes; ++row) r[row][0] =
        enter(load(in + i * kCodelet + row * kLanes, m));
    transpose(r);
    stages<kLanesLog, Mode::inverse>(r, second_half(walk, i), walk);
    transpose(r);
    stages<kLanesLog, Mode::inverse>(r, first_half(walk, i), walk);
    NTTF_UNROLL for (std::size_t row = 0; row < kLanes; ++row)
        store(out + i * kCodelet + row * kLanes, m, r[row][0]);
  }

  static NTTF_KERNEL Broadcast first_half(const Walk& walk, std::size_t i) {
    return {walk.scalars(walk.end(), kLanesLog, i), walk.c};
  }
  static NTTF_KERNEL Vectors second_half(const Walk& walk, std::size_t i) {
    return {walk.table + kEntry * kLanes * (kLanes - 1) * i, walk.c};
  }

  static NTTF_KERNEL void transpose(V (&r)[kLanes][1]) {
    Part re[kLanes], im[kLanes];
    NTTF_UNROLL for (std::size_t i = 0; i < kLanes; ++i) re[i] = r[i][0].re;
    NTTF_UNROLL for (std::size_t i = 0; i < kLanes; ++i) im[i] = r[i][0].im;
    Lanes::transpose(re);
    Lanes::transpose(im);
    NTTF_UNROLL for (std::size_t i = 0; i < kLanes; ++i) r[i][0] = {re[i], im[i]};
  }
};

}  // namespace nttforge
