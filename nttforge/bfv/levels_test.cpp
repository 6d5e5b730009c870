// SPDX-License-Identifier: Apache-2.0
// Levels of BFV: every operation at and between them, and what modulus switching is.

#include "nttforge/base/error.hpp"
#include "nttforge/bfv/testing.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/integer_encoding/testing_levels.hpp"

namespace nttforge::bfv::testing {
namespace {

NTTF_TEST("levels of BFV: every operation at and between all levels, for t prime, even, large") {
  check_levels<Bfv>({small_parameters(32, 257, 4, 45), small_parameters(16, 2, 3, 30),
                     small_parameters(32, 256, 4, 40), small_parameters(64, 65537, 5, 36),
                     small_parameters(16, (std::uint64_t{1} << 45) - 229, 4, 60),
                     hybrid_parameters(32, 257, 5, 45, 2), hybrid_parameters(16, 2, 7, 30, 3),
                     hybrid_parameters(64, 97, 6, 40, 3, 4)});
}

NTTF_TEST("levels of BFV: words are those of exactly rounded division, operands at their level stay") {
  const Party party(small_parameters(32, 257, 4, 45), make_cpu_device(1));
  const Evaluator& e = party.evaluator;
  Rng rng;
  const Ciphertext x = party.encryptor.encrypt(Plaintext(party.context, random_values(rng, 32, 257)));
  NTTF_CHECK(x.level() == 4 && e.mod_switch_to(x, 4) == x);
  NTTF_CHECK(e.mod_switch_to(x, 2) == e.mod_switch(e.mod_switch(x)));
  const Ciphertext lower = e.mod_switch(x);
  NTTF_CHECK(lower.level() == 3 && lower.factor() == 1 && lower.words() == 2u * 3 * 32);
  const RnsBase above(party.context->ring_q(4).spec().moduli), below(party.context->ring_q(3).spec().moduli);
  const std::uint64_t q = above.values()[3];
  const Values from = x.residues(), to = lower.residues();
  for (std::size_t part = 0; part < 2; ++part)
    for (std::size_t i = 0; i < 32; ++i) {
      Values wide(4), narrow(3);
      for (std::size_t j = 0; j < 4; ++j) wide[j] = from[(part * 4 + j) * 32 + i];
      for (std::size_t j = 0; j < 3; ++j) narrow[j] = to[(part * 3 + j) * 32 + i];
      const BigUint rounded = (above.compose(wide) + BigUint(q / 2)).divided_by(q);
      NTTF_CHECK(below.compose(narrow) == (rounded == below.product() ? BigUint() : rounded));
    }
  NTTF_CHECK(*lower.predicted_noise_budget_bits() < *x.predicted_noise_budget_bits());
}

NTTF_TEST("levels of BFV: the lowest one has room for messages, and errors say so") {
  // 30-bit primes, t of 45 bits: two primes are needed.
  const Party party(small_parameters(16, (std::uint64_t{1} << 45) - 229, 5, 30), make_cpu_device(1));
  NTTF_CHECK_EQ(party.context->lowest_level(), 2u);
  const Evaluator& e = party.evaluator;
  const Ciphertext x = party.encryptor.encrypt_zero(Encoding::coefficients), low = e.mod_switch_to(x, 2);
  NTTF_CHECK_THROWS(e.mod_switch(low), ParameterError, "a is at level 2, the lowest");
  NTTF_CHECK_THROWS(e.mod_switch_to(x, 1), ParameterError,
                    "level = 1 is out of range [2, 5]: a is at level 5, and levels only go down; t leaves no "
                    "room below level 2");
  NTTF_CHECK_THROWS(e.mod_switch_to(low, 3), ParameterError, "a is at level 2, and levels only go down");
  NTTF_CHECK_THROWS(e.mod_switch(Ciphertext()), ContextError, "a is empty");
  NTTF_CHECK_EQ(small_parameters(16, 2, 1, 30).lowest_level(), 1u);
  NTTF_CHECK_EQ(e.add(low, x).level(), 2u);
  NTTF_CHECK_EQ(e.multiply(low, x).level(), 2u);
}

}  // namespace
}  // namespace nttforge::bfv::testing
