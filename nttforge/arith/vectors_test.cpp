// SPDX-License-Identifier: Apache-2.0
// Primes, factors, roots and supported transforms against the oracle's primes.json.

#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/roots.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/base/testing_vectors.hpp"

using namespace nttforge;
using nttforge::testing::load_vectors;

NTTF_TEST("vectors: primality and factors") {
  const Json vectors = load_vectors("primes.json");
  NTTF_CHECK(vectors.at("is_prime").size() > 150);
  for (const Json& row : vectors.at("is_prime").elements())
    NTTF_CHECK_EQ(is_prime(row[0].as_u64()), row[1].as_u64() == 1);
  for (const Json& row : vectors.at("prime_factors").elements())
    NTTF_CHECK(prime_factors(row[0].as_u64()) == row[1].as_u64_vector());
}

NTTF_TEST("vectors: smallest roots") {
  const Json vectors = load_vectors("primes.json");
  for (const Json& row : vectors.at("smallest_primitive_root").elements())
    NTTF_CHECK_EQ(smallest_primitive_root(row[0].as_u64()), row[1].as_u64());
  NTTF_CHECK(vectors.at("smallest_root_of_unity").size() > 40);
  for (const Json& row : vectors.at("smallest_root_of_unity").elements())
    NTTF_CHECK_EQ(smallest_root_of_unity(row[0].as_u64(), row[1].as_u64()), row[2].as_u64());
}

NTTF_TEST("vectors: prime searches") {
  const Json vectors = load_vectors("primes.json");
  for (const Json& search : vectors.at("ntt_primes").elements()) {
    const auto expected = search.at("primes").as_u64_vector();
    const auto exclude = search.at("exclude").as_u64_vector();
    NTTF_CHECK(ntt_primes(search.at("n").as_u64(), static_cast<unsigned>(search.at("bits").as_u64()),
                          expected.size(), exclude) == expected);
  }
  for (const Json& search : vectors.at("generalised_mersenne").elements()) {
    const auto found = generalised_mersenne_primes(static_cast<unsigned>(search.at("bits").as_u64()));
    const Json& expected = search.at("primes");
    NTTF_CHECK_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size() && i < expected.size(); ++i) {
      NTTF_CHECK_EQ(found[i].value, expected[i][0].as_u64());
      NTTF_CHECK_EQ(found[i].text(), expected[i][1].as_string());
    }
  }
}

NTTF_TEST("vectors: what a modulus carries, the moduli of [Yan22] Table 3 among them") {
  const Json vectors = load_vectors("primes.json");
  for (const Json& row : vectors.at("transform_support").elements()) {
    const TransformSupport support = transform_support(row.at("q").as_u64());
    NTTF_CHECK_EQ(support.prime, row.at("prime").as_bool());
    NTTF_CHECK_EQ(support.max_n_negacyclic, row.at("max_n_negacyclic").as_u64());
    NTTF_CHECK_EQ(support.max_n_cyclic, row.at("max_n_cyclic").as_u64());
    NTTF_CHECK_EQ(support.max_n_dgt, row.at("max_n_dgt").as_u64());
  }
}
