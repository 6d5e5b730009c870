// SPDX-License-Identifier: Apache-2.0
// The RNS product against the textbook one, round(t/Q a tensor b) in exact integers, coefficient by
// coefficient.

#include "nttforge/bfv/testing_textbook.hpp"
#include "nttforge/device/make_device.hpp"

namespace nttforge::bfv::testing {
namespace {

void compare(const Parameters& parameters) {
  Rng rng;
  const Party party(parameters, make_cpu_device(1));
  const Context& context = *party.context;
  const Plaintext a(party.context, random_values(rng, context.n(), context.t()));
  const Plaintext b(party.context, random_values(rng, context.n(), context.t()));
  const Ciphertext x = party.encryptor.encrypt(a), y = party.encryptor.encrypt(b);
  for (bool square : {false, true}) {
    const Ciphertext& other = square ? x : y;
    const Ciphertext found = party.evaluator.multiply(x, other);
    const auto exact = textbook_product(context, x, other);
    // docs/bounds/behz.md: less than k + 1/2 apart, as long as no extended coefficient leaves [-Q/2, Q/2),
    // which happens with probability below 4 n k 2^-32.
    NTTF_CHECK(largest_difference(context, found.residues(), exact) <= BigUint(parameters.limbs()));
    const Ciphertext reference(party.context, 3, exact, Encoding::coefficients, found.noise());
    NTTF_CHECK(party.decryptor.decrypt(found) == party.decryptor.decrypt(reference));
    const double ours = party.decryptor.noise_budget_bits(found),
                 theirs = party.decryptor.noise_budget_bits(reference);
    NTTF_CHECK(ours > 0 && ours >= found.predicted_noise_budget_bits());
    // The difference k (1 + s + s^2) is added to the noise; far below it except for the smallest t.
    NTTF_CHECK(ours > theirs - 6 && theirs > ours - 6);
    if (parameters.t > 1000) NTTF_CHECK(ours > theirs - 0.1 && theirs > ours - 0.1);
  }
}

NTTF_TEST("product equals the textbook product up to k a coefficient: n = 16 ... 4096") {
  compare(small_parameters(16, 2, 1, 50));
  compare(small_parameters(64, 65537, 3, 50));
  compare(small_parameters(256, 1000, 2, 60));
  compare(small_parameters(1024, 65537, 4, 36));
  compare(small_parameters(1024, 2, 8, 30));
  compare(Parameters::badawi2018(2048));
  compare(Parameters::preset(4096));
  compare(Parameters::badawi2018(4096));
}

}  // namespace
}  // namespace nttforge::bfv::testing
