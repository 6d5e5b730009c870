// SPDX-License-Identifier: Apache-2.0
#include "nttforge/hexl/number_theory.hpp"

#include <numeric>

#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/roots.hpp"
#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/hexl/testing_cxx17.hpp"

using namespace nttforge;
using namespace intel::hexl;

NTTF_TEST("hexl: inline helpers and templates hold what they say, compiled as C++17") {
  NTTF_CHECK(testing::inline_helpers_hold());
}

NTTF_TEST("hexl: arithmetic on single words") {
  testing::Rng rng;
  for (const std::uint64_t q : {std::uint64_t{2}, std::uint64_t{15}, std::uint64_t{12289}, ~std::uint64_t{0},
                                (std::uint64_t{1} << 62) - 57}) {
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t x = rng.below(q), y = rng.below(q);
      NTTF_CHECK_EQ(AddUIntMod(x, y, q), static_cast<std::uint64_t>((u128{x} + y) % q));
      NTTF_CHECK_EQ(SubUIntMod(x, y, q), static_cast<std::uint64_t>((u128{x} + q - y) % q));
      NTTF_CHECK_EQ(MultiplyMod(x, y, q), wide_mul_mod(x, y, q));
      if (q >> 63 == 0) {
        NTTF_CHECK_EQ(MultiplyMod(x, y, MultiplyFactor(y, 64, q).BarrettFactor(), q), wide_mul_mod(x, y, q));
      }
      NTTF_CHECK_EQ(PowMod(x, y, q), wide_pow_mod(x, y, q));
      if (std::gcd(x, q) == 1) {
        NTTF_CHECK_EQ(wide_mul_mod(InverseMod(x, q), x, q), 1 % q);
      } else {
        NTTF_CHECK_THROWS(InverseMod(x, q), ParameterError, "common factor");
      }
    }
  }
  NTTF_CHECK_EQ(ReverseBits(0b0011, 4), std::uint64_t{0b1100});
  NTTF_CHECK_EQ(ReverseBits(1, 64), std::uint64_t{1} << 63);
  NTTF_CHECK_EQ(ReverseBits(0, 0), std::uint64_t{0});
}

NTTF_TEST("hexl: primes and roots of unity") {
  for (const bool small : {true, false}) {
    for (const std::size_t bits : {10u, 20u, 49u, 60u, 61u}) {
      const std::size_t n = bits < 20 ? 4 : 1024;
      const auto primes = GeneratePrimes(3, bits, small, n);
      NTTF_CHECK_EQ(primes.size(), std::size_t{3});
      for (std::size_t i = 0; i < 3; ++i) {
        NTTF_CHECK(is_prime(primes[i]) && IsPrime(primes[i]) && primes[i] % (2 * n) == 1 &&
                   primes[i] >> bits == 1);
        if (i > 0) NTTF_CHECK((primes[i] > primes[i - 1]) == small);
      }
      // Nothing is skipped at the end that the search begins from.
      const std::uint64_t end = small ? std::uint64_t{1} << bits : std::uint64_t{2} << bits;
      for (std::uint64_t q = small ? end + 1 : end - 2 * n + 1; q != primes[0];
           small ? q += 2 * n : q -= 2 * n) {
        NTTF_CHECK(!is_prime(q));
      }
    }
  }
  NTTF_CHECK_THROWS(GeneratePrimes(1000, 10, true, 4), ParameterError, "there are");
  NTTF_CHECK_THROWS(GeneratePrimes(1, 63, true, 1), ParameterError, "bit_size = 63");
  NTTF_CHECK_THROWS(GeneratePrimes(1, 4, true, 16), ParameterError, "ntt_size = 16");
  const std::uint64_t root = MinimalPrimitiveRoot(64, 7681);
  NTTF_CHECK_EQ(root, smallest_root_of_unity(64, 7681));
  NTTF_CHECK(IsPrimitiveRoot(root, 64, 7681) && !IsPrimitiveRoot(root, 32, 7681) &&
             !IsPrimitiveRoot(0, 64, 7681));
  NTTF_CHECK(IsPrimitiveRoot(GeneratePrimitiveRoot(128, 7681), 128, 7681));
  NTTF_CHECK_THROWS(MinimalPrimitiveRoot(1024, 7681), ParameterError, "7681");
}
