// SPDX-License-Identifier: Apache-2.0
// Rotations composed of steps with a key, contexts without a device, ciphertexts from bytes by name.

#include <numeric>

#include "nttforge/base/error.hpp"
#include "nttforge/bfv/testing.hpp"
#include "nttforge/integer_encoding/testing_bytes.hpp"

namespace nttforge::bfv::testing {
namespace {

using Steps = std::vector<std::int64_t>;

NTTF_TEST("composed rotations: fewest steps, the slots of one rotation, the noise of all") {
  const Party party(small_parameters(32, 193, 3, 45), make_cpu_device(1));
  const auto powers = party.generator.rotation_keys(Steps{1, 2, 4, 8});
  const auto all = party.generator.rotation_keys(Steps{1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7});
  NTTF_CHECK(powers.composed(0) == Steps{} && powers.composed(8) == Steps{8});
  NTTF_CHECK((powers.composed(7) == Steps{1, 2, 4}) && (powers.composed(-1) == Steps{1, 2, 4, 8}));
  NTTF_CHECK((party.generator.rotation_keys(Steps{3, -1}).composed(5) == Steps{-1, 3, 3}));
  const BatchEncoder encoder(party.context);
  Rng rng;
  const Ciphertext x = party.encryptor.encrypt(encoder.encode(random_values(rng, 32, 193)));
  for (std::int64_t step = -15; step < 16; ++step) {
    const Steps found = powers.composed(step);
    NTTF_CHECK_EQ((std::accumulate(found.begin(), found.end(), std::int64_t{0}) - step) % 16, 0);
    const Ciphertext composed = party.evaluator.rotate_composed(x, step, powers);
    NTTF_CHECK(party.decryptor.decrypt(composed) ==
               party.decryptor.decrypt(party.evaluator.rotate_rows(x, step, all)));
    NTTF_CHECK(party.decryptor.noise_budget_bits(composed) >= *composed.predicted_noise_budget_bits());
  }
  const auto even = party.generator.rotation_keys(Steps{2, 4});
  NTTF_CHECK_THROWS(party.evaluator.rotate_composed(x, 3, even), MissingKeyError,
                    "rotation step 3 is no sum of steps with a key: 2, 4; make a key for it");
  NTTF_CHECK_THROWS(party.evaluator.rotate_composed(x, 3, RotationKeys()), MissingKeyError,
                    "there are no rotation keys");
  NTTF_CHECK_THROWS(powers.composed(16), ParameterError, "step");
  NTTF_CHECK_THROWS(
      party.evaluator.rotate_composed(party.encryptor.encrypt_zero(Encoding::coefficients), 1, powers),
      ParameterError, "slots");
}

NTTF_TEST("a context without a device computes on the CPU, and a ciphertext reads its bytes") {
  const ContextPtr context = Context::create(small_parameters(16, 97));
  NTTF_CHECK_EQ(context->device().memory_space(), make_cpu_device()->memory_space());
  const Party party(context);
  const Ciphertext x = party.encryptor.encrypt_zero(Encoding::slots);
  NTTF_CHECK(Ciphertext::from_bytes(context, to_bytes(x)) == x);
  NTTF_CHECK_THROWS(Ciphertext::from_bytes(context, Bytes(8)), FormatError, "too few");
}

}  // namespace
}  // namespace nttforge::bfv::testing
