// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/mod_down.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/rns/testing.hpp"

namespace nttforge {
namespace {

using testing::Rng;

void check(const RnsBase& base, const ModDown& down, const BigUint& x) {
  const std::uint64_t p = base.values().back();
  const BigUint rounded = (x + BigUint(p / 2)).divided_by(p);
  std::vector<std::uint64_t> out(base.size() - 1);
  down.apply(base.decompose(x), out);
  for (std::size_t j = 0; j < out.size(); ++j) NTTF_CHECK_EQ(out[j], rounded.mod(base.values()[j]));
}

NTTF_TEST("ModDown: exactly round(x / p), p smaller and larger than the other primes") {
  Rng rng;
  const unsigned mixes[][4] = {{30, 50, 60, 62}, {62, 60, 50, 30}, {49, 49, 49, 50}, {20, 30, 62, 40}};
  for (const auto& bits : mixes)
    for (std::size_t size = 2; size <= 4; ++size) {
      const RnsBase base(testing::mixed_primes(64, std::span(bits, size)));
      const ModDown down(base);
      const std::uint64_t p = base.values().back();
      // Around a multiple of p and around both sides of one half.
      const BigUint multiple = testing::random_below(rng, base.product().divided_by(p) - BigUint(2)) * p;
      for (const std::uint64_t offset :
           {std::uint64_t{0}, std::uint64_t{1}, p / 2 - 1, p / 2, p / 2 + 1, p - 1})
        check(base, down, multiple + BigUint(offset));
      for (const std::uint64_t offset : {std::uint64_t{1}, p / 2, p / 2 + 1, p})
        check(base, down, base.product() - BigUint(offset));
      for (int trial = 0; trial < 100; ++trial) check(base, down, testing::random_below(rng, base.product()));
    }
}

NTTF_TEST("ModDown: exhaustive over a small base, odd and even p") {
  for (const std::uint64_t p : {7, 2}) {
    const RnsBase base({5, 9, p});
    const ModDown down(base);
    for (std::uint64_t x = 0; x < 45 * p; ++x) check(base, down, BigUint(x));
  }
}

NTTF_TEST("ModDown: bad input is named") {
  NTTF_CHECK_THROWS(ModDown(RnsBase({17})), ParameterError, "at least 2");
  const ModDown down(RnsBase({17, 97}));
  std::vector<std::uint64_t> out(2, 3);
  NTTF_CHECK_THROWS(down.apply(std::vector<std::uint64_t>(2), out), SizeError, "need 2 and 1");
  NTTF_CHECK_THROWS(down.apply(std::vector<std::uint64_t>(3), std::span(out).first(1)), SizeError,
                    "x has 3 residues");
  NTTF_CHECK_EQ(out[0], std::uint64_t{3});
}

}  // namespace
}  // namespace nttforge
