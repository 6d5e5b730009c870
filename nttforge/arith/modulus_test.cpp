// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/modulus.hpp"

#include <numeric>
#include <vector>

#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"

using namespace nttforge;

namespace {

constexpr std::uint64_t kLimit = std::uint64_t{1} << 62;

/// Every size of modulus, with the ones next to each power of two, prime and composite.
std::vector<std::uint64_t> moduli() {
  std::vector<std::uint64_t> result;
  for (unsigned bits = 2; bits <= 62; ++bits) {
    const std::uint64_t power = std::uint64_t{1} << (bits - 1);
    for (const std::uint64_t q : {power, power + 1, 2 * power - 1}) result.push_back(q);
    if (bits >= 12) result.push_back(ntt_primes(2, bits, 1)[0]);
  }
  return result;
}

void check_pair(const Modulus& m, std::uint64_t a, std::uint64_t b) {
  const u128 q = m.value(), wa = a, wb = b;
  NTTF_CHECK_EQ(m.add(a, b), static_cast<std::uint64_t>((wa + wb) % q));
  NTTF_CHECK_EQ(m.sub(a, b), static_cast<std::uint64_t>((wa + q - wb) % q));
  NTTF_CHECK_EQ(m.negate(a), static_cast<std::uint64_t>((q - wa) % q));
  NTTF_CHECK_EQ(m.mul(a, b), static_cast<std::uint64_t>(wa * wb % q));
}

}  // namespace

NTTF_TEST("modulus: all pairs, powers and inverses for every q below 40") {
  for (std::uint64_t q = 2; q < 40; ++q) {
    const Modulus m(q);
    for (std::uint64_t a = 0; a < q; ++a) {
      for (std::uint64_t b = 0; b < q; ++b) check_pair(m, a, b);
      std::uint64_t power = 1;
      for (std::uint64_t e = 0; e < 20; ++e, power = power * a % q) NTTF_CHECK_EQ(m.pow(a, e), power);
      if (std::gcd(a, q) == 1) {
        NTTF_CHECK_EQ(a * m.inverse(a) % q, 1u);
        NTTF_CHECK(m.inverse(a) < q);
      } else {
        NTTF_CHECK_THROWS(m.inverse(a), ParameterError, "has no inverse modulo q = " + std::to_string(q));
      }
    }
  }
}

NTTF_TEST("modulus: edges and random operands for moduli of every size") {
  testing::Rng rng;
  for (const std::uint64_t q : moduli()) {
    const Modulus m(q);
    const u128 ratio = (static_cast<u128>(m.barrett_high()) << 64) | m.barrett_low();
    const u128 floor = ~u128{0} / q + (~u128{0} % q == q - 1 ? 1 : 0);
    NTTF_CHECK(ratio == floor);
    NTTF_CHECK_EQ(q >> (m.bits() - 1), 1u);
    const std::uint64_t edges[] = {0, 1, q - 1, q - 2, q / 2};
    for (const std::uint64_t a : edges)
      for (const std::uint64_t b : edges) check_pair(m, a % q, b % q);
    for (int i = 0; i < 50; ++i) check_pair(m, rng.below(q), rng.below(q));
    const std::uint64_t unit = q - 1;
    NTTF_CHECK_EQ(m.inverse(unit), unit);
    for (int i = 0; i < 10; ++i) {
      const std::uint64_t a = 1 + rng.below(q - 1), e = rng.next();
      NTTF_CHECK_EQ(m.pow(a, e), wide_pow_mod(a, e, q));
      if (std::gcd(a, q) == 1) NTTF_CHECK_EQ(m.mul(a, m.inverse(a)), 1u);
    }
  }
}

NTTF_TEST("modulus: reductions of any word and double word, next to multiples of q") {
  testing::Rng rng;
  for (const std::uint64_t q : moduli()) {
    const Modulus m(q);
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t near = ~std::uint64_t{0} / q * q - rng.below(3) + rng.below(3);
      for (const std::uint64_t x : {rng.next(), near, ~rng.below(3), rng.below(3)})
        NTTF_CHECK_EQ(m.reduce(x), x % q);
      const u128 any = (static_cast<u128>(rng.next()) << 64) | rng.next();
      const u128 wide_near = ~u128{0} / q * q - rng.below(3) + rng.below(3);
      for (const u128 x : {any, wide_near, ~u128{0} - rng.below(3), static_cast<u128>(near) * q})
        NTTF_CHECK_EQ(m.reduce128(x), static_cast<std::uint64_t>(x % q));
    }
  }
}

NTTF_TEST("modulus: the class ends where the documents say") {
  NTTF_CHECK_EQ(Modulus(kLimit - 1).value(), kLimit - 1);
  NTTF_CHECK_THROWS(Modulus(kLimit), ParameterError,
                    "q = 4611686018427387904 is outside the moduli supported");
  NTTF_CHECK_THROWS(Modulus(kLimit + 1), ParameterError, "need 2 <= q < 2^62");
  NTTF_CHECK_THROWS(Modulus(1), ParameterError, "q = 1");
  NTTF_CHECK_THROWS(Modulus(0), ParameterError, "q = 0");
}

NTTF_TEST("modulus: values in [0, 4q) fit a word up to q = 2^62 and not beyond") {
  // The largest value of a lazy butterfly is x - t + 2q with x = 2q - 1, t = 0: 4q - 1.
  const auto largest_fits = [](std::uint64_t q) {
    const std::uint64_t word = (2 * q - 1) - 0 + 2 * q;
    return static_cast<u128>(word) == 4 * static_cast<u128>(q) - 1;
  };
  NTTF_CHECK(largest_fits(kLimit - 1));
  NTTF_CHECK(largest_fits(kLimit));
  NTTF_CHECK(!largest_fits(kLimit + 1));
}
