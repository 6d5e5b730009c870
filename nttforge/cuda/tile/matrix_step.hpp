// SPDX-License-Identifier: Apache-2.0
#pragma once

// Constants of steps between bases as products of matrices of bytes (tile/matrix.hpp).

#include <cstdint>

#include "nttforge/cuda/tile/arith.hpp"
#include "nttforge/cuda/tile/warp.hpp"

namespace nttforge::cuda {

/// Rows that one product of matrices takes, sources or targets, and products of a sum.
inline constexpr unsigned kMatrixGroup = 8, kMostMatrixGroups = 4;
/// Words of the constants of one group of sources and one of targets.
inline constexpr unsigned kMatrixWords = 8 * kWarpThreads;

NTTF_HD std::uint32_t matrix_groups(std::uint32_t rows) { return (rows + kMatrixGroup - 1) / kMatrixGroup; }

/// Which thread holds the constants of a source of its group and a target of its group, and which of the
/// group's words has byte `byte` of them; half: the source's half of its group.
constexpr unsigned matrix_lane_of_factor(unsigned source, unsigned target) {
  return 4 * (2 * (target % 4) + target / 4) + source % 4;
}
constexpr unsigned matrix_word_of_factor(unsigned lane, unsigned byte, unsigned half) {
  return (byte / 2 * kWarpThreads + lane) * 4 + byte % 2 * 2 + half;
}

struct alignas(16) MatrixSource {
  std::uint32_t q = 1, scale = 0;
  std::uint32_t quotient = 0;  ///< floor(scale 2^32 / q)
  std::uint32_t weight = 0;    ///< in Montgomery form modulo p; as it is for p = 2^32

  /// x scale mod q for any x ([Har14]).
  NTTF_HD std::uint32_t scaled(std::uint32_t x) const {
    const std::uint32_t r = x * scale - high_product(x, quotient) * q, less = r - q;
    return r < less ? r : less;
  }
};
/// A fraction of a step, high 2^kLowFractionBits + low, so that products with a word fit sums of 64 bits.
inline constexpr unsigned kLowFractionBits = 25;
struct MatrixFraction {
  std::uint32_t high = 0, low = 0;
};
struct alignas(16) MatrixTarget {
  std::uint32_t q = 1, inverse = 1;  ///< q^-1 mod 2^32
  std::uint32_t own = 0;             ///< in Montgomery form
  std::uint32_t offset = 0;          ///< in Montgomery form, less what the correction's source has too much
};

/// In the device's memory. Rows are padded to whole groups, with zeros.
struct MatrixStep {
  const MatrixSource* sources = nullptr;
  const MatrixTarget* targets = nullptr;
  const std::uint32_t* factors = nullptr;  ///< [groups of targets][groups][kMatrixWords]
  std::uint32_t groups = 0;                ///< of the sources and the correction; 0: the step is not for this
  std::uint32_t correction_row = ~0u;      ///< the source in whose place the correction is, in the last group
  NarrowTiles::Target modulus{};           ///< of the correction, where it is not 2^32
  bool folds = false;                      ///< sums modulo it are folded after each group
  const MatrixFraction* fractions = nullptr;  ///< of each source, for a correction by fractions:
  std::uint64_t half = 0;                     ///< (sum of words times high parts, carries and half) >> shift
  std::uint32_t shift = 0;
};

}  // namespace nttforge::cuda
