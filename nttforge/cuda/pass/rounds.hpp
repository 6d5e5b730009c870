// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/block/block.hpp"

namespace nttforge::cuda {

/// The rounds of a pass: in each, a thread runs some stages on its points between two exchanges.
struct Rounds {
  unsigned count = 0;
  unsigned first[12] = {};  ///< first stage of each, counted from the pass's first
  unsigned radix[12] = {};  ///< log2: how many stages

  constexpr void add(unsigned log_radix) {
    first[count] = count == 0 ? 0 : first[count - 1] + radix[count - 1];
    radix[count++] = log_radix;
  }
};

/// `stages` stages with up to log_points a round. The first round has what full rounds leave over, so that
/// the strides of the last ones are powers of the points of a thread.
constexpr Rounds make_rounds(unsigned stages, unsigned log_points) {
  Rounds rounds;
  unsigned left = stages;
  while (left != 0) {
    const unsigned next = left % log_points != 0 ? left % log_points : log_points;
    rounds.add(next);
    left -= next;
  }
  return rounds;
}

/// Shared memory has 2^log_banks banks of one value each. After as many values one is left out, so that
/// threads whose addresses differ by a multiple of that meet different banks.
template <class Value>
inline constexpr unsigned kLogBanks = sizeof(Value) == 16  ? 3
                                      : sizeof(Value) == 8 ? 4
                                                           : 5;

template <class Value>
NTTF_HD constexpr unsigned padded(unsigned index) {
  return index + (index >> kLogBanks<Value>);
}

/// Which sub-block a thread works on in a round of stride 2^log_stride and radix 2^log_radix, t counting
/// threads per sub-block: a permutation of the low bits of t, such that the threads of one request,
/// 2^log_stride neighbours from each of several sub-blocks, meet different banks. Padding moves sub-block s
/// by s 2^(log_stride + log_radix - log_banks) banks: sub-blocks that differ in bit e >= log_banks -
/// log_radix do not meet.
template <unsigned kLogBanksOf, unsigned kLogStride, unsigned kLogRadix, unsigned kLogBlocks>
NTTF_HD constexpr unsigned spread_sub_block(unsigned t) {
  if constexpr (kLogStride == 0 || kLogStride >= kLogBanksOf || kLogRadix >= kLogBanksOf) {
    return t;
  } else {
    constexpr unsigned kRequest = kLogBanksOf - kLogStride;  // bits of t within a request
    constexpr unsigned kShift = kLogBanksOf - kLogRadix;
    if constexpr (kRequest + kShift > kLogBlocks) {
      return t;
    } else {
      constexpr unsigned kLow = (1u << kRequest) - 1, kBoth = (1u << (kRequest + kShift)) - 1;
      return (t & ~kBoth) | (t & kLow) << kShift | (t & kBoth) >> kRequest;
    }
  }
}

}  // namespace nttforge::cuda
