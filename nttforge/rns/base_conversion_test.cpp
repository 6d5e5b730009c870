// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/base_conversion.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/rns/testing.hpp"

namespace nttforge {
namespace {

using testing::Rng;
using testing::value_of;

// Composed in a target base of product above k Q the result is [f x]_Q + u Q itself, so u can be read off.
void check_value(const RnsBase& from, const BigUint& factor, Rng& rng, bool& reached_last) {
  std::vector<std::uint64_t> to = ntt_primes(4, 61, from.size() + 2, from.values());
  const RnsBase target(to);
  const RnsStep conversion = fast_base_conversion(from, to, factor);
  for (int trial = 0; trial < 60; ++trial) {
    const BigUint x = trial == 0   ? BigUint(0)
                      : trial == 1 ? from.product() - BigUint(1)
                                   : testing::random_below(rng, from.product());
    const BigUint value = target.compose(value_of(conversion, from.decompose(x)));
    const BigUint expected = from.compose(from.decompose(x * factor));  // [f x]_Q
    NTTF_CHECK(value >= expected);
    const BigUint excess = value - expected;
    std::size_t u = 0;
    while (u < from.size() && !(excess == from.product() * u)) ++u;
    NTTF_CHECK(u < from.size());
    reached_last = reached_last || u + 1 == from.size();
  }
}

NTTF_TEST("fast_base_conversion: the value is [f x]_Q + u Q with 0 <= u < k") {
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

NTTF_TEST("fast_base_conversion: exhaustive over a small base") {
  const RnsBase from({3, 5, 7});
  const std::uint64_t to[] = {1009, 2, std::uint64_t{1} << 32};
  const RnsStep conversion = fast_base_conversion(from, to);
  for (std::uint64_t x = 0; x < 105; ++x) {
    const std::uint64_t residues[] = {x % 3, x % 5, x % 7};
    // (Q/q_i)^-1: 35 = 2 (mod 3), 21 = 1 (mod 5), 15 = 1 (mod 7).
    const std::uint64_t value = (x * 2 % 3) * 35 + (x % 5) * 21 + (x % 7) * 15;
    const std::vector<std::uint64_t> out = value_of(conversion, residues);
    NTTF_CHECK_EQ(value % 105, x);
    for (std::size_t j = 0; j < 3; ++j) NTTF_CHECK_EQ(out[j], value % to[j]);
  }
}

NTTF_TEST("fast_base_conversion: bad input is named") {
  const std::uint64_t bad[] = {1};
  NTTF_CHECK_THROWS(fast_base_conversion(RnsBase({17, 97}), bad), ParameterError, "1");
}

}  // namespace
}  // namespace nttforge
