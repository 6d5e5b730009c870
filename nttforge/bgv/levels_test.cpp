// SPDX-License-Identifier: Apache-2.0
// Levels and correction factors: every operation at every level and between levels decrypts to what integers
// modulo t give, with a predicted budget that is not above the measured one.

#include "nttforge/bgv/correction.hpp"
#include "nttforge/bgv/testing.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/integer_encoding/testing_levels.hpp"

namespace nttforge::bgv::testing {
namespace {

NTTF_TEST("levels: every operation at and between all levels, for t prime, even, large") {
  check_levels<Bgv>({small_parameters(32, 257, 4, 45), small_parameters(16, 2, 3, 30),
                     small_parameters(32, 256, 4, 40), small_parameters(64, 65537, 5, 36),
                     small_parameters(16, (std::uint64_t{1} << 45) - 229, 4, 60),
                     hybrid_parameters(32, 257, 5, 45, 2), hybrid_parameters(16, 2, 7, 30, 3),
                     hybrid_parameters(64, 97, 6, 40, 3, 4)});
}

NTTF_TEST("levels: operands that need nothing stay as they are, words and levels are those of the steps") {
  const Party party(small_parameters(32, 257, 4, 45), make_cpu_device(1));
  const Evaluator& e = party.evaluator;
  Rng rng;
  const Plaintext plain(party.context, random_values(rng, 32, 257));
  const Ciphertext x = party.encryptor.encrypt(plain);
  NTTF_CHECK(x.level() == 4 && x.factor() == 1);
  NTTF_CHECK(e.mod_switch_to(x, 4) == x);
  NTTF_CHECK(e.mod_switch_to(x, 2) == e.mod_switch(e.mod_switch(x)));
  const Ciphertext lower = e.mod_switch(x);
  NTTF_CHECK_EQ(lower.level(), 3u);
  NTTF_CHECK_EQ(lower.words(), 2u * 3 * 32);
  NTTF_CHECK_EQ(lower.factor() * (party.context->parameters().q[3] % 257) % 257, 1u);
  // Fresh operands multiply at the top: there is no noise to divide. A square goes down first.
  const Ciphertext product = e.multiply(x, x);
  NTTF_CHECK_EQ(product.level(), 4u);
  const RelinearizationKey key = party.generator.relinearization_key();
  Ciphertext deep = e.relinearize(product, key);
  std::size_t level = deep.level();
  for (int i = 0; i < 4; ++i) deep = e.square_relinearize(deep, key);
  NTTF_CHECK(deep.level() < level);
  // Nothing is known: the lower level of both, and no further.
  const Ciphertext unknown(party.context, 2, e.relinearize(product, key).residues(), Encoding::coefficients);
  NTTF_CHECK_EQ(e.multiply(unknown, lower).level(), 3u);
  NTTF_CHECK(!e.multiply(unknown, lower).predicted_noise_budget_bits().has_value());
  NTTF_CHECK(e.square(x) == e.multiply(x, x));
}

NTTF_TEST("correction factors: balanced scalars are units, short, and what the name says") {
  Rng rng;
  for (const std::uint64_t t : {std::uint64_t{2}, std::uint64_t{257}, std::uint64_t{1} << 20,
                                std::uint64_t{65537}, (std::uint64_t{1} << 59) - 55}) {
    const Modulus m(t);
    for (int i = 0; i < 50; ++i) {
      std::uint64_t a = 1 + rng.below(t - 1) * (t > 2 ? 1 : 0), b = 1 + rng.below(t - 1) * (t > 2 ? 1 : 0);
      if (t % 2 == 0) a |= 1, b |= 1;
      const auto [f, g] = balance(a, b, t);
      const auto residue = [&](std::int64_t x) {
        return x < 0 ? m.negate(m.reduce(static_cast<std::uint64_t>(-x)))
                     : m.reduce(static_cast<std::uint64_t>(x));
      };
      NTTF_CHECK_EQ(m.mul(residue(f), a), m.mul(residue(g), b));
      NTTF_CHECK_EQ(m.mul(residue(f), inverse_unit(residue(f), t)), 1 % t);
      NTTF_CHECK_EQ(m.mul(residue(g), inverse_unit(residue(g), t)), 1 % t);
      if (t % 2 == 1)
        NTTF_CHECK(static_cast<double>(std::abs(f)) * static_cast<double>(std::abs(g)) <
                   4.0 * static_cast<double>(t));
    }
  }
}

}  // namespace
}  // namespace nttforge::bgv::testing
