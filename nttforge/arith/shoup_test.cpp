// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/shoup.hpp"

#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/testing.hpp"

using namespace nttforge;

namespace {

void check_64(std::uint64_t x, std::uint64_t w, std::uint64_t q) {
  const ShoupConstant constant = make_shoup(w, q);
  const std::uint64_t lazy = mul_shoup_lazy(x, constant, q);
  const std::uint64_t expected = wide_mul_mod(x % q, w, q);
  NTTF_CHECK(static_cast<u128>(lazy) < 2 * static_cast<u128>(q));
  NTTF_CHECK_EQ(lazy % q, expected);
  NTTF_CHECK_EQ(mul_shoup(x, constant, q), expected);
}

void check_32(std::uint32_t x, std::uint32_t w, std::uint32_t q) {
  const ShoupConstant32 constant = make_shoup32(w, q);
  const std::uint32_t lazy = mul_shoup_lazy(x, constant, q);
  const std::uint32_t expected = static_cast<std::uint32_t>(std::uint64_t{x} * w % q);
  NTTF_CHECK(std::uint64_t{lazy} < 2 * std::uint64_t{q});
  NTTF_CHECK_EQ(lazy % q, expected);
  NTTF_CHECK_EQ(mul_shoup(x, constant, q), expected);
}

/// Whether the lazy product equals x w - e q computed without wrapping, and is below 2q.
bool exact(std::uint64_t x, std::uint64_t w, std::uint64_t q) {
  const ShoupConstant constant = make_shoup(w, q);
  const std::uint64_t e = static_cast<std::uint64_t>((static_cast<u128>(x) * constant.quotient) >> 64);
  return static_cast<u128>(x) * w - static_cast<u128>(e) * q == mul_shoup_lazy(x, constant, q);
}

}  // namespace

NTTF_TEST("shoup: every constant for small q, factors over the whole word") {
  testing::Rng rng;
  for (std::uint64_t q = 2; q < 70; ++q) {
    for (std::uint64_t w = 0; w < q; ++w) {
      for (std::uint64_t x = 0; x < 2 * q; ++x) {
        check_64(x, w, q);
        check_64(~x, w, q);
        check_32(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(w), static_cast<std::uint32_t>(q));
        check_32(static_cast<std::uint32_t>(~x), static_cast<std::uint32_t>(w),
                 static_cast<std::uint32_t>(q));
      }
      check_64(rng.next(), w, q);
    }
  }
}

NTTF_TEST("shoup: moduli around the class limits, any 64-bit factor") {
  testing::Rng rng;
  const std::uint64_t two63 = std::uint64_t{1} << 63;
  for (const std::uint64_t q :
       {(std::uint64_t{1} << 30) - 35, (std::uint64_t{1} << 31) - 1, (std::uint64_t{1} << 50) - 27,
        (std::uint64_t{1} << 61) - 1, (std::uint64_t{1} << 62) - 57, two63 - 25, two63 - 1, two63}) {
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t w = i % 2 == 0 ? rng.below(q) : q - 1 - rng.below(5);
      const std::uint64_t x = i % 3 == 0 ? rng.next() : ~rng.below(100);
      check_64(x, w, q);
      NTTF_CHECK(exact(x, w, q));
    }
  }
  const std::uint32_t two31 = 1u << 31;
  for (const std::uint32_t q : {(1u << 30) - 35, two31 - 1, two31 - 19, two31}) {
    for (int i = 0; i < 3000; ++i) {
      const auto w = static_cast<std::uint32_t>(i % 2 == 0 ? rng.below(q) : q - 1 - rng.below(5));
      check_32(static_cast<std::uint32_t>(i % 3 == 0 ? rng.next() : ~rng.below(100)), w, q);
    }
  }
}

NTTF_TEST("shoup: above 2^63 the lazy product no longer fits") {
  testing::Rng rng(1);
  for (const std::uint64_t q :
       {~std::uint64_t{0} - 58, (std::uint64_t{1} << 63) + (std::uint64_t{1} << 60)}) {
    bool wrapped = false;
    for (int i = 0; i < 10000; ++i) wrapped |= !exact(~rng.below(1000), rng.below(q), q);
    NTTF_CHECK(wrapped);
  }
}
