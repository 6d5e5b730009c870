// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stockham autosort [Din24, II; Cochran et al. 1967]: DIF whose outputs are written side by side, so that
// the order stays natural without bit reversal, between two arrays.
//
// Natural -> natural order; odd stages x -> work, even stages work -> x. Stage s = 1 ... log n, with
// m = 2^(s-1) transforms interleaved, h = n / 2m, p < h, c < m, w = omega^(p m):
//   y[2mp + c], y[2mp + m + c]  <-  u + v, (u - v) w,   u = x[mp + c], v = x[mp + n/2 + c]
// After stage s, position c + 2m p' is point p' of the transform with the outputs = c (mod 2m).
// The paper describes it in one sentence, without an algorithm. docs/algorithms.md

#include <utility>

#include "nttforge/ntt/algorithms/stage.hpp"

namespace nttforge::algorithms {

struct Stockham {
  template <class Ring, class Word = typename Ring::Word>
  static Word* run(const Ring& ring, const Tables<Word>& tables, Word* x, Word* work,
                   StageValues<Word>* values) {
    return points(ring, tables.powers, tables.log_n, 0, x, work, values);
  }

  /// 2^log_n points with omega^(2^log_stride) as their root; rows of the six-step algorithm.
  template <class Ring, class Word = typename Ring::Word>
  static NTTF_INLINE Word* points(const Ring& ring, const Factor<Word>* powers, unsigned log_n,
                                  unsigned log_stride, Word* x, Word* y, StageValues<Word>* values) {
    const std::size_t half = (std::size_t{1} << log_n) / 2;
    for (unsigned s = 1; s <= log_n; ++s) {
      const std::size_t m = std::size_t{1} << (s - 1);
      for (std::size_t first = 0; first < half; first += m) {  // first = m p
        const Factor<Word> w = powers[first << log_stride];
        for (std::size_t c = 0; c < m; ++c) {
          const Word u = x[first + c], v = x[first + half + c];
          y[2 * first + c] = ring.add(u, v);
          y[2 * first + m + c] = ring.mul(ring.sub(u, v), w);
        }
      }
      std::swap(x, y);
      report(values, s, x);
    }
    return x;
  }
};

}  // namespace nttforge::algorithms
