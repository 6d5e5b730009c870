// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/elementwise/elementwise.hpp"

#include <vector>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/base/testing.hpp"

namespace nttforge::cuda {
namespace {

template <class Word>
void check_products(std::uint64_t q, const std::vector<std::uint64_t>& values) {
  const ProductModulus<Word> m = make_product_modulus<Word>(q);
  for (const std::uint64_t a : values) {
    for (const std::uint64_t b : values) {
      const auto want = static_cast<std::uint64_t>(static_cast<u128>(a) * b % q);
      const std::uint64_t got = product_mod(static_cast<Word>(a), static_cast<Word>(b), m);
      if (got != want) {
        testing::fail(__FILE__, __LINE__,
                      std::to_string(a) + " * " + std::to_string(b) + " mod " + std::to_string(q) + " is " +
                          std::to_string(want) + ", not " + std::to_string(got));
        return;
      }
    }
  }
}

NTTF_TEST("products of tiny moduli, all of them") {
  for (std::uint64_t q = 2; q < 70; ++q) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t a = 0; a < q; ++a) all.push_back(a);
    check_products<std::uint64_t>(q, all);
    check_products<std::uint32_t>(q, all);
  }
}

NTTF_TEST("products next to the limits of each modulus size") {
  testing::Rng rng;
  for (unsigned bits = 3; bits <= 64; ++bits) {
    // Ends of the interval [2^(bits-1), 2^bits), where the quotients are worst; odd numbers do as well as
    // primes.
    for (std::uint64_t q : {(std::uint64_t{1} << (bits - 1)) + 1, (std::uint64_t{1} << (bits - 1)) + 3,
                            ~std::uint64_t{0} >> (64 - bits), (~std::uint64_t{0} >> (64 - bits)) - 2}) {
      if (bits == 63) continue;  // of no class
      if (bits == 64) q = kGoldilocks;
      std::vector<std::uint64_t> values{0, 1, 2, q / 2, q / 2 + 1, q - 2, q - 1};
      for (int i = 0; i < 120; ++i) values.push_back(rng.below(q));
      for (int i = 0; i < 20; ++i) values.push_back(q - 1 - rng.below(std::min<std::uint64_t>(q, 1000)));
      check_products<std::uint64_t>(q, values);
      if (bits <= 32) check_products<std::uint32_t>(q, values);
    }
  }
}

NTTF_TEST("Goldilocks products whose parts carry") {
  // Patterns of the halves that reach every branch of the reduction.
  const std::uint64_t parts[] = {0, 1, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFEu, 0xFFFFFFFFu};
  std::vector<std::uint64_t> values;
  for (const std::uint64_t high : parts) {
    for (const std::uint64_t low : parts) {
      if (const std::uint64_t value = high << 32 | low; value < kGoldilocks) values.push_back(value);
    }
  }
  check_products<std::uint64_t>(kGoldilocks, values);
}

NTTF_TEST("accumulation does not overflow the word") {
  for (const std::uint64_t q : {kGoldilocks, (std::uint64_t{1} << 62) - 57}) {
    const auto m = make_product_modulus<std::uint64_t>(q);
    std::vector<std::uint64_t> a{q - 1, q - 1, 1, 0}, b{q - 1, 1, q - 1, 5}, sum{q - 1, q - 1, q - 1, q - 1},
        want;
    for (std::size_t i = 0; i < a.size(); ++i) {
      want.push_back(static_cast<std::uint64_t>((static_cast<u128>(a[i]) * b[i] + sum[i]) % q));
    }
    each_on_host(Multiply<std::uint64_t, true>{{&m, 1, 1, 2}, a.data(), b.data(), sum.data()});
    NTTF_CHECK(sum == want);
  }
  const std::uint64_t q = 4294967291u;
  const auto m = make_product_modulus<std::uint32_t>(q);
  std::vector<std::uint32_t> a{4294967290u, 1}, b{1, 4294967290u}, sum{4294967290u, 4294967290u};
  each_on_host(Multiply<std::uint32_t, true>{{&m, 1, 1, 1}, a.data(), b.data(), sum.data()});
  NTTF_CHECK_EQ(sum[0], 4294967289u);
  NTTF_CHECK_EQ(sum[1], 4294967289u);
}

NTTF_TEST("bit reversal of rows, in place and not, and the first residue out of range") {
  for (unsigned log_n = 0; log_n <= 7; ++log_n) {
    const std::uint32_t n = 1u << log_n, rows = 3;
    const ProductModulus<std::uint32_t> moduli[] = {make_product_modulus<std::uint32_t>(1000003),
                                                    make_product_modulus<std::uint32_t>(400)};
    const Rows<std::uint32_t> shape{moduli, 2, rows, log_n};
    std::vector<std::uint32_t> in(rows * n), out(rows * n), want(rows * n);
    for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i;
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (std::uint32_t i = 0; i < n; ++i) {
        std::uint32_t reverse = 0;
        for (unsigned bit = 0; bit < log_n; ++bit) reverse = 2 * reverse + (i >> bit & 1);
        want[row * n + reverse] = in[row * n + i];
      }
    }
    each_on_host(Permute<std::uint32_t>{shape, in.data(), out.data()});
    NTTF_CHECK(out == want);
    each_on_host(Permute<std::uint32_t>{shape, in.data(), in.data()});
    NTTF_CHECK(in == want);
    unsigned long long found = ~0ull;
    std::vector<std::uint32_t> x(rows * n, 399);
    each_on_host(FindUnreduced<std::uint32_t>{shape, x.data(), &found});
    NTTF_CHECK_EQ(found, ~0ull);
    x[0] = 400, x[n + n / 2] = 400, x[2 * n - 1] = 401;
    each_on_host(FindUnreduced<std::uint32_t>{shape, x.data(), &found});
    NTTF_CHECK_EQ(found, static_cast<unsigned long long>(n + n / 2));
  }
}

}  // namespace
}  // namespace nttforge::cuda
