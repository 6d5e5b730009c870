// SPDX-License-Identifier: Apache-2.0
// The AVX2, AVX-512 and IFMA kernels on emulated lanes, so that their logic is tested bit for bit on any
// machine.

#define NTTF_SMALL_KERNELS

#include "nttforge/cpu/lanes/testing_lanes.hpp"
#include "nttforge/cpu/transform/transform_kernels.hpp"
#include "nttforge/ntt/kernels/products/testing_products.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

using Kernels256 = cpu::KernelsOf256<Emulated64<4>, Emulated32<8>>;
using Kernels512 = cpu::KernelsOf512<Exchanging<Emulated64<8>>, Exchanging<Emulated32<16>>>;
using KernelsIfma = cpu::KernelsOfIfma<Exchanging<Emulated64<8>>>;

/// The 50-bit kernel with what it does for large n from 2^9 and 2^10 points on.
constexpr StageShape kLargeAtSmallShape{.radix_log = 2,
                                        .columns = 4,
                                        .codelets = 2,
                                        .batch = 4,
                                        .log_block = 10,
                                        .long_passes = true,
                                        .quotients_from = 9};
constexpr auto kLargeAtSmall =
    cpu::kernel<StageLoops<IfmaButterfly<Exchanging<Emulated64<8>>>, kLargeAtSmallShape>>(
        {.target = Target::avx512_ifma,
         .arithmetic = Arithmetic::ifma52,
         .q_limit = cpu::two_to_the(50),
         .butterfly_ns = 1.0});

}  // namespace

NTTF_TEST("emulated AVX2 kernels equal the scalar ones") {
  for (const auto& kernel : Kernels256::kernels64) compare_kernel_everywhere(kernel, 9);
  for (const auto& kernel : Kernels256::kernels32) compare_kernel_everywhere(kernel, 9);
}
NTTF_TEST("emulated AVX-512 kernels equal the scalar ones") {
  for (const auto& kernel : Kernels512::kernels64) compare_kernel_everywhere(kernel, 10);
  for (const auto& kernel : Kernels512::kernels32) compare_kernel_everywhere(kernel, 11);
}
NTTF_TEST("emulated AVX-512-IFMA kernels equal the scalar ones") {
  for (const auto& kernel : KernelsIfma::kernels64) compare_kernel_everywhere(kernel, 11);
}
NTTF_TEST("emulated kernels with n above the block size") {
  const unsigned log_n = 14;
  const std::uint64_t q = largest_prime(std::size_t{1} << log_n, 50);
  const auto& reference = reference_kernel<std::uint64_t>(false);
  compare_kernel(KernelsIfma::kernels64[0], reference, Ring::negacyclic, log_n, q);
  for (const auto& kernel : Kernels512::kernels64)
    compare_kernel(kernel, reference, Ring::negacyclic, log_n, q);
}
NTTF_TEST("emulated kernels with long passes and quotients alone") {
  for (unsigned log_n = 8; log_n <= 13; ++log_n) {
    const std::size_t n = std::size_t{1} << log_n;
    for (const std::uint64_t q : {largest_prime(n, 20), largest_prime(n, 50)}) {
      const auto& reference = reference_kernel<std::uint64_t>(false);
      for (const Ring ring : {Ring::negacyclic, Ring::cyclic})
        compare_kernel(kLargeAtSmall, reference, ring, log_n, q);
    }
    compare_parts(kLargeAtSmall, Ring::negacyclic, log_n, largest_prime(n, 40));
  }
  compare_product_everywhere(kLargeAtSmall, 10);
}
NTTF_TEST("emulated kernels cut into parts") {
  for (const unsigned log_n : {7u, 8u, 11u, 13u, 15u}) {
    const std::uint64_t q = largest_prime(std::size_t{1} << log_n, 30);
    compare_parts(Kernels256::kernels64[2], Ring::negacyclic, log_n, q);
    compare_parts(KernelsIfma::kernels64[0], Ring::cyclic, log_n, q);
    if (log_n > 8) compare_parts(Kernels512::kernels32[0], Ring::negacyclic, log_n, q);
  }
}

NTTF_TEST("emulated fused products equal their parts") {
  for (const auto& kernel : Kernels256::kernels64) compare_product_everywhere(kernel, 8);
  for (const auto& kernel : Kernels256::kernels32) compare_product_everywhere(kernel, 8);
  for (const auto& kernel : Kernels512::kernels64) compare_product_everywhere(kernel, 8);
  for (const auto& kernel : Kernels512::kernels32) compare_product_everywhere(kernel, 10);
  for (const auto& kernel : KernelsIfma::kernels64) compare_product_everywhere(kernel, 8);
}
