// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/primes.hpp"

#include <algorithm>
#include <numeric>

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"

using namespace nttforge;

NTTF_TEST("primes: is_prime equals the sieve below 100000") {
  std::vector<bool> composite(100000, false);
  composite[0] = composite[1] = true;
  for (std::size_t i = 2; i < composite.size(); ++i) {
    NTTF_CHECK_EQ(is_prime(i), !composite[i]);
    if (!composite[i])
      for (std::size_t j = i * i; j < composite.size(); j += i) composite[j] = true;
  }
}

NTTF_TEST("primes: known strong pseudoprimes and large values") {
  // Smallest strong pseudoprimes to the first 4 ... 11 prime bases (OEIS A014233), and Carmichael numbers.
  for (const std::uint64_t composite :
       {std::uint64_t{3215031751}, std::uint64_t{2152302898747}, std::uint64_t{3474749660383},
        std::uint64_t{341550071728321}, std::uint64_t{3825123056546413051}, std::uint64_t{561},
        std::uint64_t{825265}, std::uint64_t{0xFFFFFFFFFFFFFFFF}, std::uint64_t{4294967291} * 4294967279})
    NTTF_CHECK(!is_prime(composite));
  for (const std::uint64_t prime :
       {std::uint64_t{0xFFFFFFFFFFFFFFC5}, std::uint64_t{0xFFFFFFFF00000001}, (std::uint64_t{1} << 61) - 1,
        (std::uint64_t{1} << 62) - 57, (std::uint64_t{1} << 63) - 25, (std::uint64_t{1} << 62) + 135})
    NTTF_CHECK(is_prime(prime));
}

NTTF_TEST("primes: factors multiply back and are prime") {
  testing::Rng rng;
  const auto check = [](std::uint64_t value) {
    const auto factors = prime_factors(value);
    NTTF_CHECK(std::is_sorted(factors.begin(), factors.end()));
    NTTF_CHECK(std::adjacent_find(factors.begin(), factors.end()) == factors.end());
    std::uint64_t rest = value;
    for (const std::uint64_t factor : factors) {
      NTTF_CHECK(is_prime(factor));
      NTTF_CHECK_EQ(rest % factor, 0u);
      while (rest % factor == 0) rest /= factor;
    }
    NTTF_CHECK_EQ(rest, 1u);
  };
  for (std::uint64_t value = 1; value < 3000; ++value) check(value);
  for (int i = 0; i < 30; ++i) check(rng.next() >> rng.below(40));
  check(std::uint64_t{4294967291} * 4294967279);      // two 32-bit primes
  check(std::uint64_t{4294967291} * 4294967291);      // square of a prime
  check(std::uint64_t{2097143} * 2097143 * 2097143);  // cube
  check(~std::uint64_t{0});
  check(std::uint64_t{1} << 63);
  NTTF_CHECK_THROWS(prime_factors(0), ParameterError, "value = 0");
}

NTTF_TEST("primes: ntt_primes equals a direct search") {
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{8}, std::size_t{64}}) {
    for (unsigned bits = 2; bits <= 14; ++bits) {
      std::vector<std::uint64_t> expected;
      for (std::uint64_t q = (std::uint64_t{1} << bits) - 1; q >= std::uint64_t{1} << (bits - 1); --q)
        if (q % (2 * n) == 1 && is_prime(q)) expected.push_back(q);
      NTTF_CHECK(ntt_primes(n, bits, expected.size()) == expected);
      const std::string number = expected.empty() ? "are no primes"
                                 : expected.size() == 1
                                     ? "is only 1 prime"
                                     : "are only " + std::to_string(expected.size()) + " primes";
      NTTF_CHECK_THROWS(ntt_primes(n, bits, expected.size() + 1), ParameterError,
                        "there " + number + " of " + std::to_string(bits));
      if (expected.size() < 2) continue;
      const std::uint64_t first = expected.front();
      NTTF_CHECK(ntt_primes(n, bits, 1, {&first, 1}) == std::vector<std::uint64_t>{expected[1]});
    }
  }
}

NTTF_TEST("primes: ntt_primes at the class limits") {
  for (const unsigned bits : {30u, 31u, 50u, 61u, 62u}) {
    const auto primes = ntt_primes(std::size_t{1} << 14, bits, 8);
    NTTF_CHECK_EQ(primes.size(), 8u);
    NTTF_CHECK(std::is_sorted(primes.rbegin(), primes.rend()));
    for (const std::uint64_t q : primes) {
      NTTF_CHECK(is_prime(q));
      NTTF_CHECK_EQ(q % (1u << 15), 1u);
      NTTF_CHECK_EQ(q >> (bits - 1), 1u);
    }
  }
  NTTF_CHECK(ntt_primes(std::size_t{1} << 28, 62, 1).size() == 1);
}

NTTF_TEST("primes: bad arguments of ntt_primes") {
  NTTF_CHECK_THROWS(ntt_primes(0, 50, 1), ParameterError, "n = 0 is not supported: need a power of two");
  NTTF_CHECK_THROWS(ntt_primes(3, 50, 1), ParameterError, "n = 3 is not supported: need a power of two");
  NTTF_CHECK_THROWS(ntt_primes(std::size_t{1} << 41, 50, 1), ParameterError, "1 ... 2^28 on GPUs");
  NTTF_CHECK_THROWS(ntt_primes(8, 1, 1), ParameterError, "bits = 1 is outside 2 ... 62");
  NTTF_CHECK_THROWS(ntt_primes(8, 63, 1), ParameterError, "bits = 63 is outside 2 ... 62");
  NTTF_CHECK_THROWS(ntt_primes(8, 50, ~std::size_t{0}), ParameterError, "at most 65536");
  NTTF_CHECK(ntt_primes(8, 50, 0).empty());
}

NTTF_TEST("primes: where there are too few, the error names sizes that have enough") {
  NTTF_CHECK_THROWS(
      ntt_primes(2048, 14, 5), ParameterError,
      "count = 5: there is only 1 prime of 14 bits with q = 1 (mod 4096); bits = 18 has enough for "
      "this n, and n = 256 has enough of this size");
  NTTF_CHECK_EQ(ntt_primes(2048, 18, 5).size(), 5u);
  NTTF_CHECK_EQ(ntt_primes(256, 14, 5).size(), 5u);
  NTTF_CHECK_THROWS(ntt_primes(2048, 17, 5), ParameterError, "bits = 18");
  NTTF_CHECK_THROWS(ntt_primes(512, 14, 5), ParameterError, "n = 256");
  NTTF_CHECK_THROWS(ntt_primes(8, 5, 100), ParameterError, "and no smaller n of this size");
  NTTF_CHECK_THROWS(ntt_primes(1, 4, 65536), ParameterError, "bits = 21 has enough for this n");
}

NTTF_TEST("primes: generalised Mersenne primes equal a direct search and hold the table of [Yan22]") {
  for (unsigned bits = 2; bits <= 16; ++bits) {
    std::vector<std::uint64_t> expected;
    for (std::uint64_t q = std::uint64_t{1} << bits; q-- > std::uint64_t{1} << (bits - 1);) {
      bool has_form = false;
      for (int i = 1; i <= static_cast<int>(bits) + 1; ++i)
        for (int j = 1; j < i; ++j)
          for (const int s : {-1, 1})
            for (const int t : {-1, 1})
              has_form |=
                  (std::int64_t{1} << i) + s * (std::int64_t{1} << j) + t == static_cast<std::int64_t>(q);
      if (has_form && is_prime(q)) expected.push_back(q);
    }
    std::vector<std::uint64_t> found;
    for (const auto& prime : generalised_mersenne_primes(bits)) {
      found.push_back(prime.value);
      const std::int64_t value =
          (std::int64_t{1} << prime.i) + prime.sign_j * (std::int64_t{1} << prime.j) + prime.sign_0;
      NTTF_CHECK_EQ(value, static_cast<std::int64_t>(prime.value));
    }
    NTTF_CHECK(found == expected);
  }
  const auto has = [](unsigned bits, const std::string& text) {
    const auto primes = generalised_mersenne_primes(bits);
    return std::any_of(primes.begin(), primes.end(), [&](const auto& prime) { return prime.text() == text; });
  };
  NTTF_CHECK(has(30, "2^30 - 2^18 + 1"));
  NTTF_CHECK(has(30, "2^30 - 2^9 - 1"));
  NTTF_CHECK(has(52, "2^52 - 2^12 + 1"));
  NTTF_CHECK_THROWS(generalised_mersenne_primes(63), ParameterError, "bits = 63");
}
