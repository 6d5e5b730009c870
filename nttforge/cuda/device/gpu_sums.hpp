// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where queues let inverse transforms begin with sums of products (product/sums.hpp), and how many products
// a sum takes.

#include <algorithm>
#include <vector>

#include "nttforge/cuda/device/gpu_device.hpp"
#include "nttforge/cuda/device/inner_product.hpp"
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

/// Products of residues modulo any prime of the ring that a sum takes beside one residue.
inline std::uint32_t products_of(const RingTables& ring) {
  const std::vector<std::uint64_t>& moduli = ring.spec().moduli;
  const std::uint64_t q = *std::max_element(moduli.begin(), moduli.end());
  return ring.spec().word_bits == 32 ? products_in_sum<std::uint32_t>(q) : products_in_sum<std::uint64_t>(q);
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
