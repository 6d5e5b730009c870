// SPDX-License-Identifier: Apache-2.0
// The kernels of NEON on emulated lanes, so that their logic is tested bit for bit on any machine: in vectors
// of four and eight words, and in pairs of vectors of half as many (lanes_pair.hpp).

#define NTTF_SMALL_KERNELS

#include "nttforge/cpu/lanes/lanes_pair.hpp"
#include "nttforge/cpu/lanes/lanes_scalar.hpp"
#include "nttforge/cpu/lanes/testing_lanes.hpp"
#include "nttforge/cpu/transform/transform_kernels_neon.hpp"
#include "nttforge/ntt/kernels/dgt/testing_dgt.hpp"
#include "nttforge/ntt/kernels/products/testing_products.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

/// Pairs of vectors with what transforms need beyond lanes_pair.hpp.
template <class Pair>
struct Transposing : Pair {
  using typename Pair::Vec;
  static void transpose(Vec (&r)[Pair::kWidth]) {
    typename Pair::Word words[Pair::kWidth][Pair::kWidth], column[Pair::kWidth];
    for (std::size_t i = 0; i < Pair::kWidth; ++i) Pair::store(words[i], r[i]);
    for (std::size_t j = 0; j < Pair::kWidth; ++j) {
      for (std::size_t i = 0; i < Pair::kWidth; ++i) column[i] = words[i][j];
      r[j] = Pair::load(column);
    }
  }
};
struct Words : cpu::LanesScalar {};
using Pair64 = Transposing<cpu::PairOf64<Emulated64<2>>>;
using Pair32 = Transposing<cpu::PairOf32<Emulated32<4>, Pair64>>;
using Pairs = cpu::KernelsOfNeon<Words, Pair64, Pair32>;
using Whole = cpu::KernelsOfNeon<Words, Emulated64<4>, Emulated32<8>>;
using DgtPairs = cpu::DgtKernelsOfNeon<Words, Pair64, Pair32>;

}  // namespace

NTTF_TEST("kernels of NEON in emulated pairs equal the scalar ones") {
  for (const auto& kernel : Pairs::kernels64) compare_kernel_everywhere(kernel, 9);
  for (const auto& kernel : Pairs::kernels32) compare_kernel_everywhere(kernel, 9);
}
NTTF_TEST("kernels of NEON in emulated vectors, whose intervals are checked, equal the scalar ones") {
  for (const auto& kernel : Whole::kernels64) compare_kernel_everywhere(kernel, 8);
  for (const auto& kernel : Whole::kernels32) compare_kernel_everywhere(kernel, 8);
}
NTTF_TEST("kernels of NEON in emulated pairs: parts, and n above the block size") {
  for (const unsigned log_n : {8u, 11u, 14u}) {
    const std::uint64_t q = largest_prime(std::size_t{1} << log_n, 30);
    for (const auto& kernel : Pairs::kernels64) compare_parts(kernel, Ring::negacyclic, log_n, q);
    for (const auto& kernel : Pairs::kernels32) compare_parts(kernel, Ring::cyclic, log_n, q);
  }
}
NTTF_TEST("kernels of NEON in emulated pairs: fused products equal their parts") {
  for (const auto& kernel : Pairs::kernels64) compare_product_everywhere(kernel, 8);
  for (const auto& kernel : Pairs::kernels32) compare_product_everywhere(kernel, 8);
}
NTTF_TEST("DGT kernels of NEON in emulated pairs equal the scalar ones") {
  for (const auto& kernel : DgtPairs::kernels64) compare_dgt_kernel_everywhere(kernel, 8);
  for (const auto& kernel : DgtPairs::kernels32) compare_dgt_kernel_everywhere(kernel, 8);
}
