// SPDX-License-Identifier: Apache-2.0
#pragma once

// Six-step [Din24, II; Bailey 1990; Takahashi 2019]: n = n1 n2 points as an n1 x n2 matrix, so that all
// butterflies happen in short rows: X[k1 + n1 k2] = sum_j2 (omega^(j2 k1) sum_j1 a[j1 n2 + j2] omega^(n2 j1
// k1)) omega^(n1 j2 k2).
//
// Natural -> natural order, log n1 = floor(log n / 2). Stages:
//   1 transpose to n2 x n1     2 transform each of the n2 rows of n1 points   3 row j2, column k1 times
//   4 transpose to n1 x n2     5 transform each of the n1 rows of n2 points     omega^(j2 k1)
//   6 transpose to n2 x n1
// The rows are transformed by Stockham's algorithm. The paper names no step, no row algorithm and not the
// choice of n1, n2. docs/algorithms.md

#include <algorithm>

#include "nttforge/ntt/algorithms/stockham.hpp"

namespace nttforge::algorithms {

struct SixStep {
  template <class Ring, class Word = typename Ring::Word>
  static Word* run(const Ring& ring, const Tables<Word>& tables, Word* x, Word* work,
                   StageValues<Word>* values) {
    const unsigned log1 = tables.log_n / 2, log2 = tables.log_n - log1;
    const std::size_t n1 = std::size_t{1} << log1, n2 = std::size_t{1} << log2;
    transpose(x, work, n1, n2);
    report(values, 1, work);
    rows(ring, tables, work, x, n2, log1);  // x is free: the rows' second array
    report(values, 2, work);
    for (std::size_t j2 = 1; j2 < n2; ++j2) {
      for (std::size_t k1 = 1; k1 < n1; ++k1) {
        work[j2 * n1 + k1] = ring.mul(work[j2 * n1 + k1], tables.powers[j2 * k1]);
      }
    }
    report(values, 3, work);
    transpose(work, x, n2, n1);
    report(values, 4, x);
    rows(ring, tables, x, work, n1, log2);
    report(values, 5, x);
    transpose(x, work, n1, n2);
    report(values, 6, work);
    return work;
  }

 private:
  /// Transposes in [rows][columns] to out [columns][rows], a cache line's worth of each at a time.
  template <class Word>
  static void transpose(const Word* in, Word* out, std::size_t rows, std::size_t columns) {
    constexpr std::size_t kTile = 64 / sizeof(Word);
    for (std::size_t r0 = 0; r0 < rows; r0 += kTile) {
      for (std::size_t c0 = 0; c0 < columns; c0 += kTile) {
        const std::size_t r1 = std::min(rows, r0 + kTile), c1 = std::min(columns, c0 + kTile);
        for (std::size_t c = c0; c < c1; ++c) {
          for (std::size_t r = r0; r < r1; ++r) out[c * rows + r] = in[r * columns + c];
        }
      }
    }
  }

  /// Transforms each of `count` rows of 2^log_row points, in place.
  template <class Ring, class Word = typename Ring::Word>
  static void rows(const Ring& ring, const Tables<Word>& tables, Word* x, Word* work, std::size_t count,
                   unsigned log_row) {
    const std::size_t size = std::size_t{1} << log_row;
    for (std::size_t row = 0; row < count; ++row) {
      Word* const from = x + row * size;
      const Word* const result = Stockham::points(ring, tables.powers, log_row, tables.log_n - log_row, from,
                                                  work, static_cast<StageValues<Word>*>(nullptr));
      if (result != from) std::copy_n(result, size, from);
    }
  }
};

}  // namespace nttforge::algorithms
