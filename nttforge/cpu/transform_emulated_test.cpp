// The AVX2, AVX-512 and IFMA kernels on emulated lanes, so that their logic is tested bit for bit on any
// machine.

#define NTTF_SMALL_KERNELS

#include "nttforge/cpu/lanes_emulated.hpp"
#include "nttforge/cpu/transform_kernels.hpp"
#include "nttforge/ntt/testing_kernels.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

template <std::size_t width>
struct Emulated64 : cpu::LanesEmulated<width> {
  using typename cpu::LanesEmulated<width>::Vec;
  static void transpose(Vec (&r)[width]) {
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < i; ++j) std::swap(r[i][j], r[j][i]);
    }
  }
};

template <std::size_t width>
struct Emulated32 : cpu::Lanes32Emulated<width> {
  using Base = cpu::Lanes32Emulated<width>;
  using typename Base::Vec;
  static Vec mul_hi(Vec a, Vec b) {
    return Base::map([&](std::size_t i) { return std::uint64_t{Base::get(a, i)} * Base::get(b, i) >> 32; });
  }
  static void transpose(Vec (&r)[width]) {
    Vec t[width];
    for (std::size_t i = 0; i < width; ++i) {
      t[i] = Base::map([&](std::size_t j) { return Base::get(r[j], i); });
    }
    for (std::size_t i = 0; i < width; ++i) r[i] = t[i];
  }
};

using Kernels256 = cpu::KernelsOf256<Emulated64<4>, Emulated32<8>>;
using Kernels512 = cpu::KernelsOf512<Emulated64<8>, Emulated32<16>>;
using KernelsIfma = cpu::KernelsOfIfma<Emulated64<8>>;

}  // namespace

NTTF_TEST("emulated AVX2 kernels equal the scalar ones") {
  for (const auto& row : Kernels256::rows64) compare_kernel_everywhere(row, 9);
  for (const auto& row : Kernels256::rows32) compare_kernel_everywhere(row, 9);
}
NTTF_TEST("emulated AVX-512 kernels equal the scalar ones") {
  for (const auto& row : Kernels512::rows64) compare_kernel_everywhere(row, 10);
  for (const auto& row : Kernels512::rows32) compare_kernel_everywhere(row, 11);
}
NTTF_TEST("emulated AVX-512-IFMA kernels equal the scalar ones") {
  for (const auto& row : KernelsIfma::rows64) compare_kernel_everywhere(row, 11);
}
NTTF_TEST("emulated kernels with n above the block size") {
  const unsigned log_n = 14;
  const std::uint64_t q = largest_prime(std::size_t{1} << log_n, 50);
  const auto& reference = reference_kernel<std::uint64_t>(false);
  compare_kernel(KernelsIfma::rows64[0], reference, Ring::negacyclic, log_n, q);
  for (const auto& row : Kernels512::rows64) compare_kernel(row, reference, Ring::negacyclic, log_n, q);
}
NTTF_TEST("emulated kernels cut into parts") {
  for (const unsigned log_n : {7u, 8u, 11u, 13u, 15u}) {
    const std::uint64_t q = largest_prime(std::size_t{1} << log_n, 30);
    compare_parts(Kernels256::rows64[2], Ring::negacyclic, log_n, q);
    compare_parts(KernelsIfma::rows64[0], Ring::cyclic, log_n, q);
    if (log_n > 8) compare_parts(Kernels512::rows32[0], Ring::negacyclic, log_n, q);
  }
}
