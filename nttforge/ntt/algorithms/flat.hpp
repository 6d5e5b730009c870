// SPDX-License-Identifier: Apache-2.0
#pragma once

// Flat-NTT [Din24, II, after Kawamura et al. 2018]: DIT with the two inner loops, over blocks and within a
// block, flattened into one of n / 2 butterflies, so that the count is the same in every stage.
//
// Bit-reversed -> natural order, in place. Stage s = 1 ... log n, butterfly r < n / 2, h = 2^(s-1),
// k = r mod h: positions i = 2 (r - k) + k and i + h, twiddle omega^(k n / 2h): DIT's butterflies in DIT's
// order. The paper says "DIT and DIF" have such a variation; the DIT one is taken. docs/algorithms.md

#include "nttforge/ntt/algorithms/stage.hpp"

namespace nttforge::algorithms {

struct Flat {
  template <class Ring, class Word = typename Ring::Word>
  static Word* run(const Ring& ring, const Tables<Word>& tables, Word* x, Word*, StageValues<Word>* values) {
    const std::size_t n = std::size_t{1} << tables.log_n;
    for (unsigned s = 1; s <= tables.log_n; ++s) {
      const std::size_t half = std::size_t{1} << (s - 1);
      const unsigned log_step = tables.log_n - s;
      for (std::size_t r = 0; r < n / 2; ++r) {
        const std::size_t k = r & (half - 1), i = 2 * r - k;
        const Word u = x[i], v = ring.mul(x[i + half], tables.powers[k << log_step]);
        x[i] = ring.add(u, v);
        x[i + half] = ring.sub(u, v);
      }
      report(values, s, x);
    }
    return x;
  }
};

}  // namespace nttforge::algorithms
