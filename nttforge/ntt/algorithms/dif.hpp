// SPDX-License-Identifier: Apache-2.0
#pragma once

// DIF, decimation in frequency [Din24, II; Gentleman, Sande 1966]: the even outputs are a half-size transform
// of a[k] + a[k + n/2], the odd ones of (a[k] - a[k + n/2]) omega^k, largest first.
//
// Natural -> bit-reversed order, in place. Stage s = 1 ... log n, blocks b of 2h = n / 2^(s-1) points, k < h:
//   x[2hb + k], x[2hb + h + k]  <-  u + v, (u - v) w,   w = omega^(k n / 2h)
// The paper gives a figure of the access pattern only, no algorithm. docs/algorithms.md

#include "nttforge/ntt/algorithms/stage.hpp"

namespace nttforge::algorithms {

struct Dif {
  template <class Ring, class Word = typename Ring::Word>
  static Word* run(const Ring& ring, const Tables<Word>& tables, Word* x, Word*, StageValues<Word>* values) {
    const std::size_t n = std::size_t{1} << tables.log_n;
    for (unsigned s = 1; s <= tables.log_n; ++s) {
      const std::size_t half = n >> s, step = std::size_t{1} << (s - 1);
      for (std::size_t block = 0; block < n; block += 2 * half) {
        for (std::size_t k = 0; k < half; ++k) {
          const Word u = x[block + k], v = x[block + half + k];
          x[block + k] = ring.add(u, v);
          x[block + half + k] = ring.mul(ring.sub(u, v), tables.powers[k * step]);
        }
      }
      report(values, s, x);
    }
    return x;
  }
};

}  // namespace nttforge::algorithms
