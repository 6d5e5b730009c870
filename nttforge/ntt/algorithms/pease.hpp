// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pease [Din24, II, Algorithm 1; Pease 1968]: DIT re-indexed so that every stage has one geometry: read
// neighbours, write halves.
//
// Bit-reversed -> natural order, x -> work, then copied back. Stage s = 1 ... log n, butterfly r < n / 2:
//   work[r], work[r + n/2]  <-  u + w v, u - w v,   u = x[2r], v = x[2r + 1]
//   w = omega^e, e = r with its log n - s lowest bits cleared
// After stage s, position k n / 2^s + b holds value k of the block b < n / 2^s.
//
// Algorithm 1 prints no twiddle (run as printed it is the Walsh-Hadamard transform), computes `base` from an
// undefined c and never uses it; e above is r & ~base. It also prints Swap(x, y), which is Pease_nc: the text
// says that Pease copies, and so it does here. docs/algorithms.md has the whole list, with tests.

#include <algorithm>

#include "nttforge/ntt/algorithms/stage.hpp"

namespace nttforge::algorithms {

/// One stage of constant geometry; shared with Pease_nc.
template <class Ring, class Word = typename Ring::Word>
NTTF_INLINE void pease_stage(const Ring& ring, const Tables<Word>& tables, unsigned s, const Word* x,
                             Word* y) {
  const std::size_t half = (std::size_t{1} << tables.log_n) / 2;
  const std::size_t block = std::size_t{1} << (tables.log_n - s);  // butterflies that share a twiddle
  for (std::size_t r = 0; r < half; ++r) {
    const Word u = x[2 * r], v = ring.mul(x[2 * r + 1], tables.powers[r & ~(block - 1)]);
    y[r] = ring.add(u, v);
    y[r + half] = ring.sub(u, v);
  }
}

struct Pease {
  template <class Ring, class Word = typename Ring::Word>
  static Word* run(const Ring& ring, const Tables<Word>& tables, Word* x, Word* work,
                   StageValues<Word>* values) {
    for (unsigned s = 1; s <= tables.log_n; ++s) {
      pease_stage(ring, tables, s, x, work);
      std::copy_n(work, std::size_t{1} << tables.log_n, x);
      report(values, s, x);
    }
    return x;
  }
};

}  // namespace nttforge::algorithms
