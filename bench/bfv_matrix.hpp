// SPDX-License-Identifier: Apache-2.0
#pragma once

// The linear operations of the BFV comparison, the same for every library: eight rotations of one
// ciphertext, and a matrix of 1024 x 1024 times a vector that every block of 1024 slots repeats, by 1024
// diagonals in 64 baby steps and 16 giant steps.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nttforge::bench {

inline constexpr std::int64_t kRotations = 8;  ///< by 1 ... 8
inline constexpr std::size_t kMatrixSize = 1024, kBabySteps = 64;
inline constexpr std::size_t kMostForMatrix = 8192;  ///< n: the factors take 1024 times a polynomial

inline bool has_matrix(std::size_t n) { return n / 2 >= kMatrixSize && n <= kMostForMatrix; }

inline std::uint64_t matrix_entry(std::size_t i, std::size_t j) { return (i + 3 * j) % 16; }
inline std::uint64_t vector_entry(std::size_t i) { return i % kMatrixSize % 16; }

/// Slots of diagonal d's factor: slot i of the diagonal is the entry at i, i + d; those of a giant step are
/// rotated by -giant.
inline std::vector<std::uint64_t> matrix_factor(std::size_t d, std::size_t n) {
  std::vector<std::uint64_t> slots(n);
  const std::size_t row = n / 2;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t from = (i % row + row - d / kBabySteps * kBabySteps) % kMatrixSize;
    slots[i] = matrix_entry(from, (from + d) % kMatrixSize);
  }
  return slots;
}

/// Slots of the product modulo t.
inline std::vector<std::uint64_t> matrix_product(std::size_t n, std::uint64_t t) {
  std::vector<std::uint64_t> slots(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < kMatrixSize; ++j)
      slots[i] += matrix_entry(i % kMatrixSize, j) * vector_entry(j);
    slots[i] %= t;
  }
  return slots;
}

}  // namespace nttforge::bench
