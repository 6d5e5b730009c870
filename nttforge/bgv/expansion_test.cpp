// SPDX-License-Identifier: Apache-2.0
// Products with monomials, and one ciphertext expanded to one of each coefficient.

#include "nttforge/circuits/expansion.hpp"

#include <bit>
#include <list>

#include "nttforge/base/error.hpp"
#include "nttforge/bgv/testing.hpp"
#include "nttforge/device/testing.hpp"

namespace nttforge::bgv {
namespace {

using testing::Party;
using testing::Rng;
using testing::Values;

constexpr std::size_t kN = 64;
constexpr std::uint64_t kT = 257;

std::list<Party> parties() {
  std::list<Party> result;
  for (const auto& device : nttforge::testing::gpu_devices())
    result.emplace_back(testing::hybrid_parameters(kN, kT, 4, 45, 2, 2), device);
  result.emplace_back(testing::hybrid_parameters(kN, kT, 4, 45, 2, 2), make_cpu_device(1));
  return result;
}

NTTF_TEST("multiply_monomial is the negacyclic shift, at every power and level, and adds no noise") {
  Rng rng;
  for (const Party& party : parties()) {
    const CoefficientEncoder encoder(party.context);
    const Values values = testing::random_values(rng, kN, kT);
    const Ciphertext x = party.encryptor.encrypt(encoder.encode(values));
    for (const std::int64_t power : {0, 1, 5, 63, 64, 65, 127, -1, -64, -127}) {
      Values factor(kN, 0);
      const auto place = static_cast<std::size_t>((power + 128) % 128);
      factor[place % kN] = place < kN ? 1 : kT - 1;
      for (const Ciphertext& a :
           {x, x.in(Form::coefficients), party.evaluator.mod_switch(x), party.evaluator.multiply(x, x)}) {
        const Ciphertext found = party.evaluator.multiply_monomial(a, power);
        NTTF_CHECK(found.noise() == a.noise());
        NTTF_CHECK_EQ(encoder.decode(party.decryptor.decrypt(found)),
                      testing::negacyclic_product(factor, encoder.decode(party.decryptor.decrypt(a)), kT));
      }
    }
    NTTF_CHECK_THROWS(party.evaluator.multiply_monomial(x, 128), ParameterError, "power = 128");
    const Ciphertext slots = party.encryptor.encrypt(BatchEncoder(party.context).encode(values));
    NTTF_CHECK_THROWS(party.evaluator.multiply_monomial(slots, 1), ParameterError, "multiply_monomial");
  }
}

NTTF_TEST("expand gives every coefficient as a constant, for every count, the same words on every device") {
  std::vector<std::vector<std::uint64_t>> words;
  for (const Party& party : parties()) {
    const CoefficientEncoder encoder(party.context);
    std::vector<std::uint64_t> all;
    for (const std::size_t count : {1u, 2u, 3u, 7u, 8u, 33u, 64u}) {
      Values values(kN, 0);
      for (std::size_t i = 0; i < count; ++i) values[i] = 3 * i + 1;
      const RotationKeys keys = party.generator.galois_keys(circuits::expansion_elements(kN, count));
      const Ciphertext x = party.encryptor.encrypt(encoder.encode(values), testing::test_seed(3), 0);
      const Ciphertext found = circuits::expand(party.evaluator, x, count, keys);
      NTTF_CHECK_EQ(found.batch(), count);
      const Values constants = encoder.decode(party.decryptor.decrypt(found));
      for (std::size_t j = 0; j < count; ++j)
        for (std::size_t i = 0; i < kN; ++i)
          NTTF_CHECK_EQ(constants[j * kN + i], i == 0 ? std::bit_ceil(count) * values[j] % kT : 0);
      const std::vector<std::uint64_t> residues = found.residues();
      all.insert(all.end(), residues.begin(), residues.end());
    }
    words.push_back(std::move(all));
    const RotationKeys few = party.generator.galois_keys(circuits::expansion_elements(kN, 4));
    const Ciphertext x = party.encryptor.encrypt(encoder.encode(Values(kN, 1)));
    NTTF_CHECK_THROWS(circuits::expand(party.evaluator, x, 5, few), MissingKeyError, "expand");
    NTTF_CHECK_THROWS(circuits::expand(party.evaluator, x, 65, few), ParameterError, "count = 65");
    const Ciphertext* two[] = {&x, &x};
    NTTF_CHECK_THROWS(circuits::expand(party.evaluator, Ciphertext::stack(two), 4, few), SizeError,
                      "batch of 2");
  }
  for (const auto& of_device : words) NTTF_CHECK(of_device == words.front());
}

}  // namespace
}  // namespace nttforge::bgv
