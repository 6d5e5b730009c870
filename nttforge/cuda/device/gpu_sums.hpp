// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where queues let inverse transforms begin with sums of products (product/sums.hpp).

#include "nttforge/cuda/device/gpu_device.hpp"
#include "nttforge/cuda/product/sums.hpp"

namespace nttforge::cuda {

/// Sums of products run where the inverse transform loads them up to these sizes, for 32- and 64-bit words.
/// Above, and in 64-bit words where registers are short, the sums are faster as a kernel of their own
/// (docs/lab/gpu-encryption.md).
struct MostN {
  std::size_t narrow, wide;
};
inline constexpr MostN kTensorMostN{8192, 0}, kKeyMostN{16384, 8192};

inline bool sums_pay(const RingTables& ring, MostN most) {
  return ring.n() <= (ring.spec().word_bits == 32 ? most.narrow : most.wide);
}

template <class Word>
ProductSums<Word> sums_of(const GpuRing& ring, const Word* x, const Word* y) {
  ProductSums<Word> sums;
  sums.x = x;
  sums.y = y;
  sums.moduli = ring.rows().moduli;
  return sums;
}

}  // namespace nttforge::cuda
