// SPDX-License-Identifier: Apache-2.0
#pragma once

// decrypt_shared: right answers, flooding of the derived size, and what is refused. Not installed.

#include <cmath>

#include "nttforge/device/make_device.hpp"
#include "nttforge/integer_encoding/testing.hpp"
#include "nttforge/rns/base.hpp"

namespace nttforge::integer_encoding::testing {

template <class Scheme>
PartyOf<Scheme> flooding_party(std::uint64_t t) {
  return PartyOf<Scheme>(small_set<typename Scheme::Parameters>(64, t, 4, 50, true), make_cpu_device(1));
}

/// What flooding added to part 0: multiples of `unit` in [-F, F), spread over all of it.
inline void check_flooding_of(const Ciphertext& clean, const Ciphertext& noisy, std::uint64_t unit) {
  const auto context = context_as<IntegerContext>(clean.context(), "ciphertext");
  const std::size_t n = context->n(), k = clean.level();
  const auto before = clean.residues(), after = noisy.residues();
  const RnsBase base(context->ring_q(k).spec().moduli);
  const double log2_f = flooding_log2(*context, k) + std::log2(static_cast<double>(unit));
  std::size_t negative = 0, large = 0;
  for (std::size_t e = 0; e < clean.batch(); ++e)
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<std::uint64_t> residues(k);
      for (std::size_t j = 0; j < k; ++j) {
        const std::size_t at = (e * clean.size() * k + j) * n + i;
        residues[j] = Modulus(base.values()[j]).sub(after[at], before[at]);
      }
      const BigUint value = base.compose(residues), opposite = base.product() - value;
      const bool below = opposite < value;
      const BigUint size = below ? opposite : value;
      negative += below;
      large += size.log2() > log2_f - 1;
      NTTF_CHECK(size.log2() <= log2_f + 1e-9);
      NTTF_CHECK_EQ(size.mod(unit), 0u);
    }
  // Binomial with parameter 1/2: six deviations.
  const double count = static_cast<double>(n * clean.batch()), room = 3 * std::sqrt(count);
  NTTF_CHECK(std::abs(static_cast<double>(negative) - count / 2) < room);
  NTTF_CHECK(std::abs(static_cast<double>(large) - count / 2) < room);
  for (std::size_t at = 0; at < before.size(); ++at)
    if (at / (k * n) % clean.size() != 0) NTTF_CHECK_EQ(before[at], after[at]);
}

template <class Scheme>
void check_decrypt_shared() {
  Rng rng;
  for (const std::uint64_t t : {std::uint64_t{2}, std::uint64_t{65537}, std::uint64_t{1} << 40}) {
    const auto party = flooding_party<Scheme>(t);
    const auto key = party.generator.relinearization_key();
    const Plaintext x(party.context, random_values(rng, 64, t)), y(party.context, random_values(rng, 64, t));
    const Ciphertext a = party.encryptor.encrypt(x), b = party.secret_encryptor.encrypt(y);
    std::vector<Ciphertext> all{a, b, party.evaluator.add(a, b)};
    if (t < 1u << 20) all.push_back(party.evaluator.multiply(a, b));
    if (t == 2) all.push_back(party.evaluator.relinearize(all.back(), key));
    for (const Ciphertext& c : all) {
      NTTF_CHECK(party.decryptor.decrypt_shared(c, 40) == party.decryptor.decrypt(c));
      NTTF_CHECK(party.decryptor.decrypt_shared(c, 40, NoiseBound::heuristic) == party.decryptor.decrypt(c));
      const Ciphertext noisy = flooded(c, test_seed(9));
      check_flooding_of(c, noisy, t / party.context->budget_scale());
      NTTF_CHECK(noisy == flooded(c, test_seed(9)) && !(noisy == flooded(c, test_seed(10))));
      NTTF_CHECK(!noisy.noise().known() && !noisy.seed().has_value());
      const double left = party.decryptor.noise_budget_bits(noisy);
      NTTF_CHECK(left > 0.99 && left < 2.5);
      NTTF_CHECK(party.decryptor.decrypt(noisy) == party.decryptor.decrypt(c));
    }
  }
}

template <class Scheme>
void check_shared_refusals() {
  const auto party = flooding_party<Scheme>(65537);
  const auto& shared = [&](const Ciphertext& c, unsigned bits = kSharedBits,
                           NoiseBound bound = NoiseBound::proved) {
    return party.decryptor.decrypt_shared(c, bits, bound);
  };
  Ciphertext c = party.encryptor.encrypt(Plaintext(party.context, Values(64, 1)));
  for (const unsigned bits : {19u, 129u})
    NTTF_CHECK_THROWS(shared(c, bits), ParameterError, "is out of range [20, 128]");
  // Exactly at the bound, and below: the budget is a multiple of 1/1024 below the limit.
  const double limit = party.context->noise_model().limit_log2(4), needed = 64 + 6 + 2;
  Noise noise{limit - needed - 1, limit, 0, {limit - needed - 1e-3, limit}};
  c.set_noise(noise);
  shared(c);
  noise.proved.coefficient += 2.0 / 1024;
  c.set_noise(noise);
  NTTF_CHECK_THROWS(shared(c), NoiseError, "its proved noise budget is 72.0 bits and an answer to be shared");
  shared(c, kSharedBits, NoiseBound::heuristic);
  shared(c, 63);
  noise.proved = {};
  c.set_noise(noise);
  NTTF_CHECK_THROWS(shared(c), NoiseError, "nothing is proved of its noise, as bytes prove nothing");
  // What the owner states counts in place of the bound.
  const auto stated = [&](double bits) {
    return party.decryptor.decrypt_shared(c, kSharedBits, NoiseBound::proved, bits);
  };
  NTTF_CHECK(stated(needed) == party.decryptor.decrypt_unchecked(c));
  NTTF_CHECK_THROWS(stated(needed - 0.01), NoiseError, "its stated noise budget is 72.0 bits");
  c.set_noise(Noise::unknown());
  NTTF_CHECK_THROWS(shared(c, 64, NoiseBound::heuristic), NoiseError, "nothing is known of its noise");
  // A bound that is wrong: the measured test sees the flooded noise.
  Ciphertext random(party.context, 2, Encoding::coefficients);
  Rng rng;
  std::vector<std::uint64_t> residues;
  for (std::size_t i = 0; i < 2 * 4 * 64; ++i)
    residues.push_back(rng.below(party.context->parameters().q[i / 64 % 4]));
  random = Ciphertext(party.context, 2, residues, Encoding::coefficients, Noise{10, 10, 0, {10, 10}});
  NTTF_CHECK_THROWS(shared(random), NoiseError, "measured with the secret key, no noise budget is left");
}

}  // namespace nttforge::integer_encoding::testing
