// SPDX-License-Identifier: Apache-2.0
#pragma once

// Radix 2^k down the product tree of X^n + 1 or X^n - 1 (ntt/twiddles/twiddles.hpp): k stages per pass over
// memory on 2^k points in registers. The engine's own scheme without its vectors and lazy ranges; [Kim20, V]
// for GPUs.
//
// Natural -> bit-reversed order, in place, merged twiddles: no twisting. Tree stage d = 1 ... log n splits
// m = 2^(d-1) groups of 2h = n / m points; group j, i < h:
//   x[2hj + i], x[2hj + h + i]  <-  u + w v, u - w v,   w = W[m + j]
// The inverse undoes the stages from the last on: u + v, (u - v) w^-1. The first pass takes log n mod k
// stages if that is not 0, every other one k; a trace has the values after each pass.
//
// Twiddles of the last stages may be made on the fly [Kim20, VII]: w v = high (low v) with two factors from
// tables of about base and n / base entries. Not in [Din24].

#include "nttforge/ntt/algorithms/stage.hpp"

namespace nttforge::algorithms {

template <unsigned radix_log>
struct RadixR {
  template <class Ring, class Word = typename Ring::Word>
  static Word* forward(const Ring& ring, const Tables<Word>& tables, Word* x, Word*,
                       StageValues<Word>* values) {
    unsigned pass = 0;
    for (unsigned log_m = 0; log_m < tables.log_n;) {
      const unsigned stages = first_stages(tables.log_n, log_m);
      with_stages<radix_log>(stages, [&]<unsigned log>() { passes<log, false>(ring, tables, log_m, x); });
      log_m += stages;
      report(values, ++pass, x);
    }
    return x;
  }

  template <class Ring, class Word = typename Ring::Word>
  static Word* inverse(const Ring& ring, const Tables<Word>& tables, Word* x, Word*,
                       StageValues<Word>* values) {
    unsigned pass = 0;
    for (unsigned end = tables.log_n; end > 0;) {
      const unsigned stages = end < radix_log ? end : radix_log;
      end -= stages;
      with_stages<radix_log>(stages, [&]<unsigned log>() { passes<log, true>(ring, tables, end, x); });
      report(values, ++pass, x);
    }
    return x;
  }

 private:
  static unsigned first_stages(unsigned log_n, unsigned log_m) {
    return log_m == 0 && log_n % radix_log != 0 ? log_n % radix_log : radix_log;
  }

  /// body<stages>() for stages in 1 ... most.
  template <unsigned most, class Body>
  static void with_stages(unsigned stages, const Body& body) {
    if (stages == most) {
      body.template operator()<most>();
    } else if constexpr (most > 1) {
      with_stages<most - 1>(stages, body);
    }
  }

  template <class Word>
  struct FromTable {
    const Tables<Word>& tables;
    template <class Ring>
    NTTF_INLINE Word mul(const Ring& ring, Word v, std::size_t m, std::size_t j) const {
      return ring.mul(v, tables.tree[m + j]);
    }
  };
  template <class Word>
  struct OnTheFly {
    const Tables<Word>& tables;
    template <class Ring>
    NTTF_INLINE Word mul(const Ring& ring, Word v, std::size_t m, std::size_t j) const {
      const std::size_t k = tables.cyclic ? j : m + j;
      const Word partly = ring.mul(v, tables.low[k >> tables.high_bits]);
      return ring.mul(partly, tables.high[k & ((std::size_t{1} << tables.high_bits) - 1)]);
    }
  };

  /// Runs the pass that splits 2^log_m groups by `log` stages, on every group.
  template <unsigned log, bool inverted, class Ring, class Word = typename Ring::Word>
  static void passes(const Ring& ring, const Tables<Word>& tables, unsigned log_m, Word* x) {
    constexpr std::size_t kRows = std::size_t{1} << log;
    const std::size_t t = (std::size_t{1} << tables.log_n) >> (log_m + log);
    const unsigned first = tables.log_n - tables.on_the_fly;  // first tree stage (from 0) without a table
    for (std::size_t group = 0; group < std::size_t{1} << log_m; ++group) {
      Word* const base = x + group * kRows * t;
      for (std::size_t i = 0; i < t; ++i) {
        Word r[kRows];
        for (std::size_t row = 0; row < kRows; ++row) r[row] = base[row * t + i];
        for (unsigned step = 0; step < log; ++step) {
          const unsigned s = inverted ? log - 1 - step : step;
          if (log_m + s < first) {
            stage<log, inverted>(ring, FromTable<Word>{tables}, log_m, s, group, r);
          } else {
            stage<log, inverted>(ring, OnTheFly<Word>{tables}, log_m, s, group, r);
          }
        }
        for (std::size_t row = 0; row < kRows; ++row) base[row * t + i] = r[row];
      }
    }
  }

  /// Stage s of a pass on its 2^log points: 2^s groups.
  template <unsigned log, bool inverted, class Ring, class Source, class Word = typename Ring::Word>
  static NTTF_INLINE void stage(const Ring& ring, const Source& source, unsigned log_m, unsigned s,
                                std::size_t group, Word (&r)[std::size_t{1} << log]) {
    const std::size_t half = std::size_t{1} << (log - 1 - s), m = std::size_t{1} << (log_m + s);
    for (std::size_t o = 0; o < std::size_t{1} << s; ++o) {
      for (std::size_t i = 2 * half * o; i < 2 * half * o + half; ++i) {
        const std::size_t j = (group << s) + o;
        const Word u = r[i];
        if constexpr (inverted) {
          const Word v = r[i + half];
          r[i] = ring.add(u, v);
          r[i + half] = source.mul(ring, ring.sub(u, v), m, j);
        } else {
          const Word v = source.mul(ring, r[i + half], m, j);
          r[i] = ring.add(u, v);
          r[i + half] = ring.sub(u, v);
        }
      }
    }
  }
};

}  // namespace nttforge::algorithms
