// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "nttforge/arith/double_double.hpp"
#include "nttforge/base/target.hpp"

namespace nttforge {

/// Kernels transform this many parts of a message side by side, and messages of that many slots squared.
inline constexpr std::size_t kEmbeddingLanes = 8;
inline constexpr std::size_t kLeastEmbeddedSlots = kEmbeddingLanes * kEmbeddingLanes;

/// What kernels read of an Embedding. The transformed order is cut into kEmbeddingLanes parts that follow
/// each other; a row has one number of each: number `row` of part `lane` is at kEmbeddingLanes row + lane.
struct EmbeddingRows {
  std::size_t slots = 0;
  const std::uint32_t* slot = nullptr;  ///< of each number
  /// Cosines and sines, then their lower parts. Rows of roots of a transform of slots / kEmbeddingLanes
  /// numbers in the order of its butterflies (Embedding), lane by lane; the unused first row has roots 1 ...
  /// 7 of the last butterflies, which join the lanes.
  const double* roots[4] = {};
};

/// Numbers, those of [length] with one part (real) or two, to integers.
struct EncodeTask {
  EmbeddingRows rows;
  const double* values = nullptr;
  std::size_t length = 0;
  unsigned parts = 2;
  DoubleDouble factor;           ///< of the transformed numbers
  double* scratch = nullptr;     ///< 2 slots, or 4 slots double-doubles; aligned to 64 bytes
  std::uint64_t t = 0;           ///< out: integers below t / 2 modulo t; 0: real numbers
  bool few = false;              ///< all of them are below 2^51
  std::uint64_t* out = nullptr;  ///< [2 slots]
  double* out_real = nullptr;    ///< [2 slots] numbers that are still to be rounded, behind them lower parts
};

/// Integers to numbers.
struct DecodeTask {
  EmbeddingRows rows;
  const std::uint64_t* integers = nullptr;  ///< [2 slots]: modulo q, or for q = 0 in two's complement
  std::uint64_t q = 0;
  const double* real = nullptr;  ///< in place of integers: as EncodeTask::out_real
  DoubleDouble factor;
  double* scratch = nullptr;
  bool is_real = false;   ///< imaginary parts of the result are zero
  double* out = nullptr;  ///< [slots][2]
};

/// The largest absolute values of both parts of numbers, and whether all are finite.
struct EmbeddedRange {
  double real = 0, imaginary = 0;
  bool finite = true;
};

/// Transforms of messages (Embedding), one table per instruction set, implemented by cpu/. Every target gives
/// the same bits: no operation is contracted. Time and addresses do not depend on the numbers.
struct EmbeddingKernels {
  EmbeddedRange (*range)(const double* values, std::size_t count, unsigned parts);
  /// Whether every integer is below 2^126. [1]: in double-doubles.
  bool (*encode[2])(const EncodeTask& task);
  void (*decode[2])(const DecodeTask& task);
  /// out = values + offset where values, below 2^62, are above `last`; else values. For integers modulo t
  /// that stand for negative ones.
  void (*lift)(const std::uint64_t* values, std::uint64_t last, std::uint64_t offset, std::uint64_t* out,
               std::size_t count);
};

/// throws UnsupportedError if the target cannot run here.
const EmbeddingKernels& embedding_kernels(Target target);

}  // namespace nttforge
