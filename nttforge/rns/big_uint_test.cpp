// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/big_uint.hpp"

#include <array>
#include <cmath>

#include "nttforge/base/error.hpp"
#include "nttforge/rns/testing.hpp"

namespace nttforge {
namespace {

using testing::Rng;
constexpr std::uint64_t kOnes = ~std::uint64_t{0};

BigUint random_bits(Rng& rng, unsigned words) {
  std::vector<std::uint64_t> raw(words);
  for (std::uint64_t& word : raw) {
    word = rng.next();
    if (rng.below(4) == 0) word = rng.below(2) == 0 ? 0 : kOnes;  // long carries and zero words
  }
  return BigUint::from_words(raw);
}

NTTF_TEST("BigUint: decimal text of known values, both ways") {
  const char* const cases[] = {
      "0",
      "1",
      "18446744073709551615",
      "18446744073709551616",
      "10000000000000000000",
      "100000000000000000000000000000000000000",
      "340282366920938463463374607431768211455340282366920938463463374607431768211456"};
  for (const char* text : cases) NTTF_CHECK_EQ(BigUint::from_decimal(text).to_decimal(), std::string(text));
  NTTF_CHECK_EQ((BigUint(kOnes) * kOnes).to_decimal(),
                std::string("340282366920938463426481119284349108225"));
  NTTF_CHECK_EQ(BigUint::from_decimal("000123").to_decimal(), std::string("123"));
  NTTF_CHECK_THROWS(BigUint::from_decimal(""), FormatError, "empty");
  NTTF_CHECK_THROWS(BigUint::from_decimal("12x4"), FormatError, "'x' at position 2");
  NTTF_CHECK_THROWS(BigUint::from_decimal("-1"), FormatError, "position 0");
}

NTTF_TEST("BigUint: sums, differences and products agree with each other and modulo words") {
  Rng rng;
  const std::uint64_t q = 0xFFFFFFFFFFFFFFC5u;
  for (int trial = 0; trial < 300; ++trial) {
    const BigUint a = random_bits(rng, static_cast<unsigned>(rng.below(6)));
    const BigUint b = random_bits(rng, static_cast<unsigned>(rng.below(6)));
    const BigUint c = random_bits(rng, static_cast<unsigned>(rng.below(4)));
    NTTF_CHECK((a + b) - b == a);
    NTTF_CHECK(a + b == b + a);
    NTTF_CHECK(a * b == b * a);
    NTTF_CHECK((a + b) * c == a * c + b * c);
    const u128 ab = static_cast<u128>(a.mod(q)) * b.mod(q);
    NTTF_CHECK_EQ((a * b).mod(q), static_cast<std::uint64_t>(ab % q));
    const u128 sum = static_cast<u128>(a.mod(q)) + b.mod(q);
    NTTF_CHECK_EQ((a + b).mod(q), static_cast<std::uint64_t>(sum % q));
    NTTF_CHECK_EQ(a < b, !(b <= a));
    NTTF_CHECK(a.to_decimal() == BigUint::from_decimal(a.to_decimal()).to_decimal());
    NTTF_CHECK(BigUint::from_decimal(a.to_decimal()) == a);
  }
}

NTTF_TEST("BigUint: division and shifts undo multiplication") {
  Rng rng;
  for (int trial = 0; trial < 300; ++trial) {
    const BigUint a = random_bits(rng, static_cast<unsigned>(rng.below(6)));
    const std::uint64_t d = (rng.next() >> rng.below(64)) | 1;
    std::uint64_t rest = 0;
    const BigUint quotient = a.divided_by(d, &rest);
    NTTF_CHECK(rest < d);
    NTTF_CHECK(quotient * d + BigUint(rest) == a);
    const unsigned shift = static_cast<unsigned>(rng.below(200));
    BigUint power(1);
    for (unsigned i = 0; i < shift; ++i) power *= 2;
    NTTF_CHECK((a * power).shifted_right(shift) == a);
    NTTF_CHECK_EQ((a * power).bits(), a.is_zero() ? 0u : a.bits() + shift);
  }
  for (const std::uint64_t d : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 63,
                                (std::uint64_t{1} << 63) + 1, kOnes - 1, kOnes}) {
    for (int trial = 0; trial < 100; ++trial) {
      std::uint64_t words[5];
      for (std::uint64_t& word : words) word = std::array{kOnes, std::uint64_t{0}, d - 1, d}[rng.below(4)];
      const BigUint a = BigUint::from_words(words);
      std::uint64_t rest = 0;
      const BigUint quotient = a.divided_by(d, &rest);
      NTTF_CHECK(rest < d);
      NTTF_CHECK(quotient * d + BigUint(rest) == a);
    }
  }
  NTTF_CHECK_THROWS(BigUint(5).divided_by(0), ParameterError, "divisor = 0");
  NTTF_CHECK_THROWS(BigUint(5).mod(0), ParameterError, "divisor = 0");
  NTTF_CHECK_THROWS(BigUint(5) - BigUint(6), ParameterError, "5 and 6 is negative");
}

NTTF_TEST("BigUint: carries, zero, bits and log2") {
  const std::uint64_t raw[] = {kOnes, kOnes, 0, 0};
  const BigUint x = BigUint::from_words(raw);
  NTTF_CHECK_EQ(x.words().size(), std::size_t{2});
  NTTF_CHECK_EQ((x + BigUint(1)).bits(), 129u);
  NTTF_CHECK((x + BigUint(1)) - BigUint(1) == x);
  NTTF_CHECK((x - x).is_zero());
  NTTF_CHECK((x * 0).is_zero());
  NTTF_CHECK_EQ(BigUint(0).bits(), 0u);
  NTTF_CHECK(std::isinf(BigUint(0).log2()));
  NTTF_CHECK_EQ(BigUint(8).log2(), 3.0);
  NTTF_CHECK(std::abs((BigUint(3) * BigUint(kOnes) * BigUint(kOnes)).log2() - (std::log2(3.0) + 128)) < 1e-9);
  NTTF_CHECK(BigUint::product({}) == BigUint(1));
}

}  // namespace
}  // namespace nttforge
