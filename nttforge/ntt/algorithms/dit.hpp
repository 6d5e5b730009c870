// SPDX-License-Identifier: Apache-2.0
#pragma once

// DIT, decimation in time [Din24, II; Cooley, Tukey 1965]: a transform of 2^s points from those of its even
// and odd inputs, X[k] = E[k] + omega^k O[k] and X[k + 2^(s-1)] = E[k] - omega^k O[k], smallest first.
//
// Bit-reversed -> natural order, in place. Stage s = 1 ... log n, blocks b of 2^s points, k < h = 2^(s-1):
//   x[2hb + k], x[2hb + h + k]  <-  u + w v, u - w v,   w = omega^(k n / 2h)
// The paper gives a figure of the access pattern only, no algorithm. docs/algorithms.md

#include "nttforge/ntt/algorithms/stage.hpp"

namespace nttforge::algorithms {

struct Dit {
  template <class Ring, class Word = typename Ring::Word>
  static Word* run(const Ring& ring, const Tables<Word>& tables, Word* x, Word*, StageValues<Word>* values) {
    const std::size_t n = std::size_t{1} << tables.log_n;
    for (unsigned s = 1; s <= tables.log_n; ++s) {
      const std::size_t half = std::size_t{1} << (s - 1), step = n >> s;
      for (std::size_t block = 0; block < n; block += 2 * half) {
        for (std::size_t k = 0; k < half; ++k) {
          const Word u = x[block + k], v = ring.mul(x[block + half + k], tables.powers[k * step]);
          x[block + k] = ring.add(u, v);
          x[block + half + k] = ring.sub(u, v);
        }
      }
      report(values, s, x);
    }
    return x;
  }
};

}  // namespace nttforge::algorithms
