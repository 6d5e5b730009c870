// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of vectors in registers, r[row][column], columns independent of each other: what passes, codelets and
// tails do with them besides arithmetic.

#include <cstddef>

#include "nttforge/ntt/kernels/products/products.hpp"

namespace nttforge {

/// Place of a butterfly in a stage: the group whose twiddle it takes, its upper row, its column.
struct Site {
  int group, row, column;
};

/// Which butterflies of a stage come together: those of a pair of rows in all columns, or those of a column.
/// Columns that advance apart leave more between an operation and the ones that wait for it.
enum class Batches { across, along };

/// Stage s over 2^log rows: 2^s groups of 2^(log - s) rows each, butterflies between rows half a group apart,
/// at most `most` at a time: body(x, y, w, sites), w[i] = twiddle(sites[i]).
template <int most, Batches order = Batches::across, int rows, int columns, class V, class TwiddleOf,
          class Body>
NTTF_KERNEL void each_batch(V (&r)[rows][columns], unsigned s, const TwiddleOf& twiddle, const Body& body) {
  constexpr int kAll = rows / 2 * columns;
  constexpr int kBatch = kAll < most ? kAll : most;
  static_assert(kAll % kBatch == 0);
  constexpr int kPairs = rows / 2;
  const int half = kPairs >> s;
  NTTF_UNROLL for (int first = 0; first < kAll; first += kBatch) {
    V x[kBatch], y[kBatch];
    decltype(twiddle(Site{})) w[kBatch];
    Site sites[kBatch];
    NTTF_UNROLL for (int i = 0; i < kBatch; ++i) {
      const int at = first + i;
      const int pair = order == Batches::along ? at % kPairs : at / columns;
      const int column = order == Batches::along ? at / kPairs : at % columns;
      const int group = pair / half, row = 2 * group * half + pair % half;
      sites[i] = {group, row, column};
      x[i] = r[row][column];
      y[i] = r[row + half][column];
      w[i] = twiddle(sites[i]);
    }
    body(x, y, w, sites);
    NTTF_UNROLL for (int i = 0; i < kBatch; ++i) {
      r[sites[i].row][sites[i].column] = x[i];
      r[sites[i].row + half][sites[i].column] = y[i];
    }
  }
}

/// Applies f to every vector.
template <int rows, int columns, class V, class Function>
NTTF_KERNEL void each_vector(V (&r)[rows][columns], const Function& f) {
  NTTF_UNROLL for (int i = 0; i < rows; ++i) {
    NTTF_UNROLL for (int h = 0; h < columns; ++h) r[i][h] = f(r[i][h]);
  }
}

/// Rows lie `row` words apart, columns `column`.
template <class Lanes, int rows, int columns, class V>
NTTF_KERNEL void load_rows(V (&r)[rows][columns], const typename Lanes::Word* in, std::size_t row,
                           std::size_t column) {
  NTTF_UNROLL for (int i = 0; i < rows; ++i) {
    NTTF_UNROLL for (int h = 0; h < columns; ++h) r[i][h] =
        Lanes::load(in + static_cast<std::size_t>(i) * row + static_cast<std::size_t>(h) * column);
  }
}
template <class Lanes, int rows, int columns, class V>
NTTF_KERNEL void store_rows(const V (&r)[rows][columns], typename Lanes::Word* out, std::size_t row,
                            std::size_t column) {
  NTTF_UNROLL for (int i = 0; i < rows; ++i) {
    NTTF_UNROLL for (int h = 0; h < columns; ++h)
        Lanes::store(out + static_cast<std::size_t>(i) * row + static_cast<std::size_t>(h) * column, r[i][h]);
  }
}

/// Swaps lane g of row i with lane i of row g, column by column.
template <class Lanes, int rows, int columns, class V>
NTTF_KERNEL void transpose_rows(V (&r)[rows][columns]) {
  if constexpr (Lanes::kWidth > 1) {
    NTTF_UNROLL for (int g = 0; g < columns; ++g) {
      V column[rows];
      NTTF_UNROLL for (int i = 0; i < rows; ++i) column[i] = r[i][g];
      Lanes::transpose(column);
      NTTF_UNROLL for (int i = 0; i < rows; ++i) r[i][g] = column[i];
    }
  }
}

/// Lanes that transpose L x L words on their way from and to memory.
template <class Lanes>
concept SquareLanes = requires(typename Lanes::Vec (&r)[Lanes::kWidth], typename Lanes::Word* p) {
  Lanes::load_square(r, p);
  Lanes::store_square(p, r);
};

/// Squares of `rows` rows of L words, one per column, transposed; for one lane rows * columns words.
template <class Lanes, int rows, int columns, class V>
NTTF_KERNEL void load_squares(V (&r)[rows][columns], const typename Lanes::Word* in) {
  constexpr std::size_t kSquare = rows * Lanes::kWidth;
  if constexpr (SquareLanes<Lanes>) {
    NTTF_UNROLL for (int g = 0; g < columns; ++g) {
      V column[rows];
      Lanes::load_square(column, in + static_cast<std::size_t>(g) * kSquare);
      NTTF_UNROLL for (int i = 0; i < rows; ++i) r[i][g] = column[i];
    }
  } else {
    load_rows<Lanes>(r, in, Lanes::kWidth, kSquare);
    transpose_rows<Lanes>(r);
  }
}
template <class Lanes, int rows, int columns, class V>
NTTF_KERNEL void store_squares(V (&r)[rows][columns], typename Lanes::Word* out) {
  constexpr std::size_t kSquare = rows * Lanes::kWidth;
  if constexpr (SquareLanes<Lanes>) {
    NTTF_UNROLL for (int g = 0; g < columns; ++g) {
      V column[rows];
      NTTF_UNROLL for (int i = 0; i < rows; ++i) column[i] = r[i][g];
      Lanes::store_square(out + static_cast<std::size_t>(g) * kSquare, column);
    }
  } else {
    transpose_rows<Lanes>(r);
    store_rows<Lanes>(r, out, Lanes::kWidth, kSquare);
  }
}

}  // namespace nttforge
