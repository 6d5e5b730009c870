// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/montgomery.hpp"

#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/testing.hpp"

using namespace nttforge;

namespace {

template <class Word>
void check_product(const Montgomery<Word>& form, Word a, Word b) {
  const Word q = form.value();
  const std::uint64_t expected = wide_mul_mod(a, b, q);
  const Word fa = form.to_form(a), fb = form.to_form(b);
  NTTF_CHECK(fa < q);
  NTTF_CHECK_EQ(form.from_form(fa), a);
  NTTF_CHECK_EQ(std::uint64_t{form.from_form(form.mul(fa, fb))}, expected);
  // Lazy operands, each representative of the class.
  for (const Word la : {fa, static_cast<Word>(fa + q)}) {
    for (const Word lb : {fb, static_cast<Word>(fb + q)}) {
      const Word lazy = form.mul_lazy(la, lb);
      NTTF_CHECK(lazy < 2 * q);
      NTTF_CHECK_EQ(std::uint64_t{form.from_form(form.from_lazy(lazy))}, expected);
    }
  }
}

template <class Word>
void check_modulus(std::uint64_t q, testing::Rng& rng) {
  const Montgomery<Word> form(static_cast<Word>(q));
  NTTF_CHECK_EQ(std::uint64_t{form.from_form(form.one())}, 1u);
  const std::uint64_t ends[] = {0, 1, 2, q - 1, q - 2, q / 2, q / 2 + 1};
  for (const std::uint64_t a : ends)
    for (const std::uint64_t b : ends)
      check_product<Word>(form, static_cast<Word>(a % q), static_cast<Word>(b % q));
  for (int i = 0; i < 300; ++i)
    check_product<Word>(form, static_cast<Word>(rng.below(q)), static_cast<Word>(rng.below(q)));
}

}  // namespace

NTTF_TEST("montgomery: every pair of residues for small odd moduli") {
  for (std::uint64_t q = 3; q < 60; q += 2) {
    const Montgomery<std::uint64_t> wide(q);
    const Montgomery<std::uint32_t> half(static_cast<std::uint32_t>(q));
    for (std::uint64_t a = 0; a < q; ++a) {
      for (std::uint64_t b = 0; b < q; ++b) {
        check_product<std::uint64_t>(wide, a, b);
        check_product<std::uint32_t>(half, static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
      }
    }
  }
}

NTTF_TEST("montgomery: moduli up to the limit") {
  testing::Rng rng;
  for (const unsigned bits : {30u, 31u, 50u, 61u, 62u}) {
    check_modulus<std::uint64_t>(ntt_primes(1024, bits, 1)[0], rng);
    check_modulus<std::uint64_t>((std::uint64_t{1} << bits) - 1, rng);
    check_modulus<std::uint64_t>((std::uint64_t{1} << (bits - 1)) + 1, rng);
  }
  for (const unsigned bits : {16u, 29u, 30u}) {
    check_modulus<std::uint32_t>(ntt_primes(64, bits, 1)[0], rng);
    check_modulus<std::uint32_t>((std::uint64_t{1} << bits) - 1, rng);
  }
}

NTTF_TEST("montgomery: limit - 1 works, the limit and beyond are refused") {
  NTTF_CHECK_EQ(Montgomery<std::uint64_t>((std::uint64_t{1} << 62) - 1).value(),
                (std::uint64_t{1} << 62) - 1);
  NTTF_CHECK_THROWS(Montgomery<std::uint64_t>((std::uint64_t{1} << 62) + 1), ParameterError, "3 <= q < 2^62");
  NTTF_CHECK_THROWS(Montgomery<std::uint64_t>(std::uint64_t{1} << 62), ParameterError, "q odd");
  NTTF_CHECK_THROWS(Montgomery<std::uint32_t>((1u << 30) + 1), ParameterError, "3 <= q < 2^30");
  NTTF_CHECK_THROWS(Montgomery<std::uint64_t>(10), ParameterError, "q = 10");
  NTTF_CHECK_THROWS(Montgomery<std::uint64_t>(1), ParameterError, "q = 1");
}

NTTF_TEST("montgomery: above the limit lazy products would leave [0, 2q)") {
  // The reduction itself, for q a little above R / 4: with a, b in [0, 2q) the product may reach q R.
  const std::uint64_t q = (std::uint64_t{1} << 30) + (std::uint64_t{1} << 22) + 1;
  std::uint32_t inverse = static_cast<std::uint32_t>(q);
  for (int step = 0; step < 5; ++step) inverse *= 2 - static_cast<std::uint32_t>(q) * inverse;
  testing::Rng rng(1);
  bool left = false;
  for (int i = 0; i < 200000 && !left; ++i) {
    const std::uint64_t x = (2 * q - 1 - rng.below(1000)) * (2 * q - 1 - rng.below(1000));
    const std::uint64_t m = static_cast<std::uint32_t>(static_cast<std::uint32_t>(x) * inverse);
    left = (x >> 32) + q - (m * q >> 32) >= 2 * q;
  }
  NTTF_CHECK(left);
}
