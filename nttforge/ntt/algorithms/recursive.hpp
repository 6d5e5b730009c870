// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plain recursion: transform the even-numbered and the odd-numbered inputs, then combine, X[k] = E[k] +
// omega^k O[k], X[k + n/2] = E[k] - omega^k O[k]. The textbook form of DIT, depth first.
//
// Natural -> natural order, x -> work. The combination of 2^s points, s = 1 ... log n, reads and writes
// work[2^s b ... 2^s (b + 1)), where b is the bit reversal of its first input's index: DIT's butterflies, so
// the values after all combinations of one size are those after DIT's stage s. Not in the paper.

#include "nttforge/ntt/algorithms/stage.hpp"

namespace nttforge::algorithms {

struct Recursive {
  template <class Ring, class Word = typename Ring::Word>
  static Word* run(const Ring& ring, const Tables<Word>& tables, Word* x, Word* work,
                   StageValues<Word>* values) {
    node(ring, tables, tables.log_n, x, work, work, values);
    return work;
  }

 private:
  /// out [2^s] = transform of in[0], in[stride], in[2 stride] ..., stride = n / 2^s.
  template <class Ring, class Word = typename Ring::Word>
  static void node(const Ring& ring, const Tables<Word>& tables, unsigned s, const Word* in, Word* out,
                   const Word* first, StageValues<Word>* values) {
    if (s == 0) {
      out[0] = in[0];
      return;
    }
    const std::size_t half = std::size_t{1} << (s - 1), stride = std::size_t{1} << (tables.log_n - s);
    node(ring, tables, s - 1, in, out, first, values);
    node(ring, tables, s - 1, in + stride, out + half, first, values);
    for (std::size_t k = 0; k < half; ++k) {
      const Word u = out[k], v = ring.mul(out[half + k], tables.powers[k * stride]);
      out[k] = ring.add(u, v);
      out[half + k] = ring.sub(u, v);
    }
    if (values != nullptr) values->part(s, static_cast<std::size_t>(out - first), out, 2 * half);
  }
};

}  // namespace nttforge::algorithms
