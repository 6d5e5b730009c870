// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/roots.hpp"

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/arith/modulus.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"

using namespace nttforge;

namespace {

std::uint64_t order_of(std::uint64_t x, std::uint64_t q) {
  std::uint64_t order = 1;
  for (std::uint64_t power = x; power != 1; power = power * x % q) ++order;
  return order;
}

}  // namespace

NTTF_TEST("roots: smallest roots equal the definition for all primes below 1200") {
  for (std::uint64_t q = 2; q < 1200; ++q) {
    if (!is_prime(q)) continue;
    std::uint64_t generator = 1;
    while (order_of(generator, q) != q - 1) ++generator;
    NTTF_CHECK_EQ(smallest_primitive_root(q), generator);
    for (std::uint64_t order = 1; (q - 1) % order == 0; order *= 2) {
      std::uint64_t expected = 1;
      while (order_of(expected, q) != order) ++expected;
      NTTF_CHECK_EQ(smallest_root_of_unity(order, q), expected);
    }
  }
}

NTTF_TEST("roots: all odd powers of the result are larger, at the class limits") {
  for (const unsigned bits : {30u, 31u, 50u, 61u, 62u}) {
    const std::uint64_t order = 4096;
    const std::uint64_t q = ntt_primes(order / 2, bits, 1)[0];
    const std::uint64_t root = smallest_root_of_unity(order, q);
    NTTF_CHECK_EQ(wide_pow_mod(root, order / 2, q), q - 1);
    const std::uint64_t square = wide_mul_mod(root, root, q);
    std::uint64_t power = root;
    for (std::uint64_t k = 3; k < order; k += 2) {
      power = wide_mul_mod(power, square, q);
      NTTF_CHECK(power > root);
    }
  }
}

NTTF_TEST("roots: values published elsewhere") {
  NTTF_CHECK_EQ(smallest_primitive_root(kGoldilocks), 7u);
  NTTF_CHECK_EQ(smallest_primitive_root(998244353), 3u);
  NTTF_CHECK_EQ(smallest_root_of_unity(8, 17), 2u);
  NTTF_CHECK_EQ(smallest_root_of_unity(64, kGoldilocks), 8u);  // 2^96 = -1, so 2 has order 192 and 8 order 64
  NTTF_CHECK_EQ(smallest_root_of_unity(1, 2), 1u);
  NTTF_CHECK_EQ(smallest_root_of_unity(512, 3329 + 4352),
                62u);  // 7681, the prime of the first version of Kyber
}

NTTF_TEST("roots: the largest order of a plan takes a blink") {
  const std::uint64_t order = std::uint64_t{1} << 25;
  const std::uint64_t q = ntt_primes(order / 2, 60, 1)[0];
  const std::uint64_t root = smallest_root_of_unity(order, q);
  NTTF_CHECK_EQ(wide_pow_mod(root, order / 2, q), q - 1);
}

NTTF_TEST("roots: errors name the modulus, the order and the residue") {
  NTTF_CHECK_THROWS(smallest_root_of_unity(128, 97), ParameterError,
                    "need q = 1 (mod 128), and 97 = 97 (mod 128)");
  NTTF_CHECK_THROWS(smallest_root_of_unity(8, 91), ParameterError,
                    "q = 91 is not prime: it is divisible by 7");
  NTTF_CHECK_THROWS(smallest_root_of_unity(3, 97), ParameterError, "order = 3 must be a power of two");
  NTTF_CHECK_THROWS(smallest_root_of_unity(0, 97), ParameterError, "order = 0 must be a power of two");
  NTTF_CHECK_THROWS(smallest_root_of_unity(std::uint64_t{1} << 33, kGoldilocks), ParameterError,
                    "1 ... 2^32");
  NTTF_CHECK_THROWS(smallest_root_of_unity(2, 1), ParameterError, "outside the moduli supported");
  NTTF_CHECK_THROWS(smallest_root_of_unity(2, (std::uint64_t{1} << 62) + 135), ParameterError,
                    "need 2 <= q < 2^62");
  NTTF_CHECK_THROWS(smallest_primitive_root(4), ParameterError, "not prime");
}

NTTF_TEST("roots: which transforms the moduli of [Yan22] Table 3 carry") {
  const auto power = [](unsigned e) { return std::uint64_t{1} << e; };
  const TransformSupport minus = transform_support(power(30) - power(9) - 1);
  NTTF_CHECK(minus.prime);
  NTTF_CHECK_EQ(minus.max_n_negacyclic, 1u);
  NTTF_CHECK_EQ(minus.max_n_cyclic, 2u);
  NTTF_CHECK_EQ(minus.max_n_dgt, 512u);
  NTTF_CHECK_EQ(
      minus.explain(),
      "q = 1073741311 is prime, but q - 1 is divisible by 2 only once: no NTT beyond n = 1 (negacyclic) / 2 "
      "(cyclic); DGT over GF(q^2) up to n = 512.");
  const TransformSupport plus = transform_support(power(52) - power(12) + 1);
  NTTF_CHECK_EQ(plus.max_n_negacyclic, power(11));
  NTTF_CHECK_EQ(plus.max_n_cyclic, power(12));
  NTTF_CHECK_EQ(plus.max_n_dgt, power(11));
  NTTF_CHECK(plus.explain().find("NTT up to n = 2048 (negacyclic) / 4096 (cyclic)") != std::string::npos);
}

NTTF_TEST("roots: transform support of every small prime equals divisibility") {
  for (std::uint64_t q = 0; q < 3000; ++q) {
    const TransformSupport support = transform_support(q);
    NTTF_CHECK_EQ(support.prime, is_prime(q));
    std::uint64_t negacyclic = 0, cyclic = 0, dgt = 0;
    for (std::uint64_t n = 1; support.prime && n <= 8192; n *= 2) {
      if ((q - 1) % n == 0) cyclic = n;
      if ((q - 1) % (2 * n) == 0) negacyclic = n;
      if (q % 4 == 3 ? (q * q - 1) % (2 * n) == 0 : (q - 1) % (2 * n) == 0) dgt = n;
    }
    NTTF_CHECK_EQ(support.max_n_cyclic, cyclic);
    NTTF_CHECK_EQ(support.max_n_negacyclic, negacyclic);
    NTTF_CHECK_EQ(support.max_n_dgt, dgt);
    NTTF_CHECK(!support.explain().empty());
  }
  NTTF_CHECK_EQ(transform_support(kGoldilocks).max_n_cyclic, std::uint64_t{1} << 32);
  NTTF_CHECK_EQ(transform_support((std::uint64_t{1} << 62) + 135).max_n_cyclic, 0u);
  NTTF_CHECK(transform_support((std::uint64_t{1} << 62) + 135).explain().find("outside") !=
             std::string::npos);
  NTTF_CHECK(transform_support(91).explain().find("divisible by 7") != std::string::npos);
}
