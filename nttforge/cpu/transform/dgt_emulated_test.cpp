// SPDX-License-Identifier: Apache-2.0
// The DGT's vector kernels on emulated lanes, and the bounds of docs/bounds/dgt.md product by product on one
// lane.

#define NTTF_SMALL_KERNELS

#include <algorithm>
#include <utility>

#include "nttforge/cpu/lanes/testing_lanes.hpp"
#include "nttforge/cpu/transform/dgt_kernels.hpp"
#include "nttforge/ntt/kernels/dgt/testing_dgt.hpp"
#include "nttforge/ntt/twiddles/twiddles.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

using Kernels256 = cpu::DgtKernelsOf256<Emulated64<4>, Emulated32<8>>;
using Kernels512 = cpu::DgtKernelsOf512<Emulated64<8>, Emulated32<16>>;
using KernelsIfma = cpu::DgtKernelsOfIfma<Emulated64<8>>;

using One = cpu::LanesEmulated<1>;

/// One lane whose mul_hi_lower is as small as it may be: one less than exact (in 64-bit words).
struct LowOne : One {
  static Vec mul_hi_lower(Vec a, Vec b) {
    const Vec exact = mul_hi(a, b);
    return {exact[0] == 0 ? 0 : exact[0] - 1};
  }
};

template <class Product>
ComplexMod product(const ComplexMod& y, const ComplexMod& w, std::uint64_t q) {
  const TwiddleEntry re = Product::entry(w.re, q), im = Product::entry(w.im, q);
  const auto c = Product::constants(q);
  const typename Product::V words[4] = {{re.value}, {re.quotient}, {im.value}, {im.quotient}};
  const typename Product::Twiddle twiddle[1] = {Product::twiddle(words, c)};
  const ComplexOf<typename Product::Lanes> in[1] = {{{y.re}, {y.im}}};
  ComplexOf<typename Product::Lanes> out[1];
  Product::multiply(out, in, twiddle, c);
  return {out[0].re[0], out[0].im[0]};
}

/// Right, and in [0, bound q), for factors up to largest_y; returns the largest part in units of q, rounded
/// down.
template <class Product>
std::uint64_t check_product(std::uint64_t q, std::uint64_t largest_y) {
  Rng rng;
  std::uint64_t largest = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto part = [&] {
      return rng.below(3) == 0   ? largest_y - rng.below(5)
             : rng.below(2) == 0 ? rng.next() % (largest_y / 2) + largest_y / 2
                                 : rng.below(q);
    };
    const auto entry = [&] {
      return rng.below(5) == 0 ? 0 : rng.below(3) == 0 ? q - 1 - rng.below(4) : rng.below(q);
    };
    const ComplexMod y{part(), part()}, w{entry(), entry()};
    const ComplexMod t = product<Product>(y, w, q);
    const ComplexMod exact = complex_mul({y.re % q, y.im % q}, w, q);
    NTTF_CHECK_EQ(t.re % q, exact.re);
    NTTF_CHECK_EQ(t.im % q, exact.im);
    largest = std::max({largest, t.re / q, t.im / q});
  }
  return largest;
}

}  // namespace

NTTF_TEST("emulated DGT kernels equal the scalar ones") {
  for (const auto& kernel : Kernels256::kernels64) compare_dgt_kernel_everywhere(kernel, 9);
  for (const auto& kernel : Kernels256::kernels32) compare_dgt_kernel_everywhere(kernel, 10);
  for (const auto& kernel : Kernels512::kernels64) compare_dgt_kernel_everywhere(kernel, 10);
  for (const auto& kernel : Kernels512::kernels32) compare_dgt_kernel_everywhere(kernel, 11);
  for (const auto& kernel : KernelsIfma::kernels64) compare_dgt_kernel_everywhere(kernel, 11);
}

NTTF_TEST("complex products: right up to the largest factor, below 2q (4q), and q (3q) is exceeded") {
  constexpr std::uint64_t kAny = ~std::uint64_t{0};
  for (const unsigned bits : {30u, 50u, 61u, 62u}) {
    for (const std::uint64_t q : {largest_gaussian_prime(64, bits), largest_prime(64, bits)}) {
      NTTF_CHECK_EQ((check_product<ComplexShoupProduct<One, false>>(q, kAny)), std::uint64_t{1});
      if (bits > 61) continue;
      NTTF_CHECK((check_product<ComplexShoupProduct<One, true>>(q, kAny)) < 4);
      NTTF_CHECK_EQ((check_product<ComplexShoupProduct<LowOne, true>>(q, kAny)), std::uint64_t{3});
    }
  }
  constexpr std::uint64_t kTwo52 = std::uint64_t{1} << 52;
  for (const unsigned bits : {20u, 49u, 50u}) {
    const std::uint64_t q = largest_gaussian_prime(64, bits);
    NTTF_CHECK_EQ((check_product<ComplexIfmaProduct<One>>(q, kTwo52 - 1)), std::uint64_t{1});
    const ComplexMod w{q / 3, q / 5}, beyond{kTwo52, 1};
    const ComplexMod wrong = product<ComplexIfmaProduct<One>>(beyond, w, q);
    NTTF_CHECK(wrong.re % q != complex_mul({kTwo52 % q, 1}, w, q).re);
  }
}
