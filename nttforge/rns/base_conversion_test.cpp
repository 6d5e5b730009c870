// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/base_conversion.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/rns/testing.hpp"

namespace nttforge {
namespace {

using testing::Rng;

NTTF_TEST("inner_product: largest 62-bit operands around the reduction inside the loop") {
  const std::uint64_t largest = (std::uint64_t{1} << 62) - 1;
  for (const std::uint64_t q :
       {largest, (std::uint64_t{1} << 62) - 57, std::uint64_t{2}, std::uint64_t{1000003}}) {
    const Modulus m(q);
    for (const std::size_t terms : {1, 2, 14, 15, 16, 17, 29, 30, 31, 32, 47, 64}) {
      const std::vector<std::uint64_t> a(terms, largest);
      const std::vector<std::uint64_t> b(terms, largest - 1);
      const BigUint expected = BigUint(largest) * BigUint(largest - 1) * terms;
      NTTF_CHECK_EQ(inner_product(a, b.data(), m), expected.mod(q));
    }
  }
}

// Composed in a target base of product above k Q the result is [f x]_Q + u Q itself, so u can be read off.
void check_value(const RnsBase& from, const BigUint& factor, Rng& rng, bool& reached_last) {
  std::vector<std::uint64_t> to = ntt_primes(4, 61, from.size() + 2, from.values());
  const RnsBase target(to);
  const BaseConversion conversion(from, to, factor);
  for (int trial = 0; trial < 60; ++trial) {
    const BigUint x = trial == 0   ? BigUint(0)
                      : trial == 1 ? from.product() - BigUint(1)
                                   : testing::random_below(rng, from.product());
    std::vector<std::uint64_t> out(to.size());
    conversion.apply(from.decompose(x), out);
    const BigUint value = target.compose(out);
    const BigUint expected = from.compose(from.decompose(x * factor));  // [f x]_Q
    NTTF_CHECK(value >= expected);
    const BigUint excess = value - expected;
    std::size_t u = 0;
    while (u < from.size() && !(excess == from.product() * u)) ++u;
    NTTF_CHECK(u < from.size());
    reached_last = reached_last || u + 1 == from.size();
  }
}

NTTF_TEST("BaseConversion: the value is [f x]_Q + u Q with 0 <= u < k") {
  Rng rng;
  const unsigned bits[] = {30, 50, 60, 62};
  bool reached_last = false;
  for (const std::uint64_t factor : {std::uint64_t{1}, std::uint64_t{1} << 32, std::uint64_t{786433}}) {
    for (std::size_t k = 1; k <= 4; ++k)
      check_value(RnsBase(testing::mixed_primes(8, std::span(bits, k))), BigUint(factor), rng, reached_last);
    check_value(RnsBase(ntt_primes(1024, 49, 17)), BigUint(factor), rng, reached_last);
  }
  NTTF_CHECK(reached_last);  // u = k - 1 happens for small k: the interval is not wider than stated
}

NTTF_TEST("BaseConversion: exhaustive over a small base") {
  const RnsBase from({3, 5, 7});
  const std::uint64_t to[] = {1009, 2, std::uint64_t{1} << 32};
  const BaseConversion conversion(from, to);
  for (std::uint64_t x = 0; x < 105; ++x) {
    const std::uint64_t residues[] = {x % 3, x % 5, x % 7};
    // (Q/q_i)^-1: 35 = 2 (mod 3), 21 = 1 (mod 5), 15 = 1 (mod 7).
    const std::uint64_t value = (x * 2 % 3) * 35 + (x % 5) * 21 + (x % 7) * 15;
    std::uint64_t out[3];
    conversion.apply(residues, out);
    NTTF_CHECK_EQ(value % 105, x);
    for (std::size_t j = 0; j < 3; ++j) NTTF_CHECK_EQ(out[j], value % to[j]);
  }
}

NTTF_TEST("BaseConversion: sizes are checked") {
  const RnsBase from({17, 97});
  const std::uint64_t to[] = {113};
  const BaseConversion conversion(from, to);
  std::uint64_t out[2] = {5, 6};
  NTTF_CHECK_THROWS(conversion.apply(std::vector<std::uint64_t>(3), std::span(out, 1)), SizeError, "takes 2");
  NTTF_CHECK_THROWS(conversion.apply(std::vector<std::uint64_t>(2), out), SizeError, "gives 1");
  NTTF_CHECK_EQ(out[0], std::uint64_t{5});
  const std::uint64_t bad[] = {1};
  NTTF_CHECK_THROWS(BaseConversion(from, bad), ParameterError, "");
}

}  // namespace
}  // namespace nttforge
