// SPDX-License-Identifier: Apache-2.0
// The prediction holds, and is not idle: measured budgets lie above it, by no more than its stated margin
// (docs/bounds/noise.md), after every kind of operation.

#include "nttforge/bfv/noise_model.hpp"

#include <cmath>
#include <cstdio>

#include "nttforge/bfv/testing.hpp"
#include "nttforge/device/make_device.hpp"

namespace nttforge::bfv::testing {
namespace {

/// measured - predicted must be in [0, margin].
void expect(const Party& party, const Ciphertext& c, double margin, const char* what) {
  const double measured = party.decryptor.noise_budget_bits(c), predicted = *predicted_noise_budget_bits(c);
  if (measured >= predicted && measured <= predicted + margin) return;
  nttforge::testing::fail(__FILE__, __LINE__,
                          std::string(what) + ": measured " + std::to_string(measured) + ", predicted " +
                              std::to_string(predicted) + ", margin " + std::to_string(margin) + ", " +
                              party.context->parameters().describe());
}

void follow(const Parameters& parameters) {
  Rng rng;
  const Party party(parameters, make_cpu_device(1));
  const Evaluator& e = party.evaluator;
  const std::size_t n = parameters.n;
  const double log_n = std::log2(static_cast<double>(n));
  const auto plain = [&] { return Plaintext(party.context, random_values(rng, n, parameters.t)); };
  const Ciphertext x = party.encryptor.encrypt(plain()), y = party.secret_encryptor.encrypt(plain());
  // Largest of n normal coefficients is about sqrt(2 ln n) deviations, 9 are assumed: 2 bits and some luck.
  expect(party, x, 3, "public key");
  expect(party, y, 3, "secret key");
  Ciphertext sum = x;
  for (int i = 0; i < 6; ++i) sum = e.add(sum, sum);
  expect(party, sum, 3, "64 x");
  expect(party, e.add(x, y), 4, "x + y");
  // A random plaintext has an l1 norm sqrt(n) times its l2 norm, which is what shows.
  expect(party, e.multiply_plain(x, plain()), 5 + log_n / 2, "plaintext product");
  // Canonical against coefficient norm: 6.5 per random factor and the bound on |v|_2.
  const Ciphertext product = e.multiply(x, y);
  expect(party, product, 6 + log_n / 2, "product");
  if (!parameters.has_evaluation_keys()) return;
  const auto key = party.generator.relinearization_key();
  const auto rotations = party.generator.rotation_keys(std::vector<std::int64_t>{1});
  const Ciphertext rotated = e.apply_galois(x, rotation_element(n, 1), rotations);
  expect(party, rotated, 6 + log_n / 2, "rotation");
  expect(party, e.square(rotated), 12 + log_n, "square of a rotation");
  Ciphertext deep = e.relinearize(product, key);
  double margin = 6 + log_n / 2;
  expect(party, deep, margin, "relinearized product");
  const unsigned depth = std::min(parameters.promised_depth(), 4u);
  for (unsigned level = 2; level <= depth; ++level) {
    deep = e.square_relinearize(deep, key);
    margin += 6 + log_n / 2;
    expect(party, deep, margin, "deeper product");
  }
}

NTTF_TEST("noise: measured budget within the margin of the prediction") {
  follow(Parameters::preset(2048));
  follow(Parameters::preset(4096));
  follow(Parameters::preset(8192));
  follow(small_parameters(1024, 65537, 4, 50));
  follow(small_parameters(1024, 4097, 6, 30));
  for (const std::size_t special : {2, 3, 4}) follow(hybrid_parameters(1024, 65537, 7, 30, special));
  follow(narrow_preset(4096));
  follow(narrow_preset(8192));
  // Special primes far larger than a digit: the division's rounding dominates, which has a mean for odd ones.
  follow(hybrid_parameters(1024, 257, 6, 40, 4, 2));
  follow(hybrid_parameters(1024, 257, 6, 40, 3, 2));
  follow(hybrid_parameters(1024, 257, 6, 40, 2, 3));  // and far smaller
  // A special prime far smaller than the digits: the key's error dominates.
  auto primes = ntt_primes(2048, 50, 3);
  follow(
      Parameters::custom(2048, 257, primes, ntt_primes(2048, 30, 1)[0], SecurityLevel::insecure_by_request));
}

NTTF_TEST("noise: stored bounds are coarse, never too small, and keep the sign of the budget") {
  for (const Parameters& parameters : {Parameters::preset(4096), Parameters::preset(8192, 786433),
                                       small_parameters(16, 97, 1, 30), small_parameters(64, 2, 3, 55)}) {
    const Party party(parameters, make_cpu_device(1));
    const NoiseModel& model = party.context->noise_model();
    const std::size_t top = parameters.limbs();
    Ciphertext x(party.context, 2, party.context->top(Encoding::coefficients));
    std::int32_t previous = model.highest_stored_level(top);
    for (double bits = -3; bits < 1500; bits += 0.37) {
      x.set_noise({bits, bits + 2});
      const double budget = *predicted_noise_budget_bits(x);
      const std::int32_t level = model.stored_level(x.noise(), top);
      NTTF_CHECK(level <= previous);
      previous = level;
      const bool fresh_or_less = level == model.highest_stored_level(top);
      NTTF_CHECK(budget > 16 * level && (budget <= 16 * level + 16 || fresh_or_less));
      Ciphertext read(party.context, 2, party.context->top(Encoding::coefficients));
      read.set_noise(model.from_stored_level(level, top));
      NTTF_CHECK(read.noise().coefficient >= x.noise().coefficient);
      NTTF_CHECK((*predicted_noise_budget_bits(read) > 0) == (budget > 0));
      NTTF_CHECK(*predicted_noise_budget_bits(read) > 16 * level &&
                 *predicted_noise_budget_bits(read) <= 16 * level + kNoiseStep);
      NTTF_CHECK_EQ(model.stored_level(read.noise(), top), level);  // stored again it stays what it is
      NTTF_CHECK_EQ(read.noise().canonical,
                    std::ceil((read.noise().coefficient + std::log2(parameters.n)) * 1024) / 1024);
    }
    x.set_noise({kMaxNoiseLog2, kMaxNoiseLog2});
    NTTF_CHECK_EQ(model.stored_level(x.noise(), top), model.lowest_stored_level(top));
  }
}

NTTF_TEST("noise: unknown bounds stay unknown") {
  const NoiseModel model(Parameters::preset(4096));
  const Noise known = model.fresh_public(), unknown = Noise::unknown();
  for (const Noise& noise : {model.add(known, unknown), model.add(unknown, unknown), model.add_plain(unknown),
                             model.multiply_polynomial(unknown, 5), model.multiply(unknown, known),
                             model.multiply(unknown, unknown, 3), model.key_switch(unknown)})
    NTTF_CHECK(!noise.known() && std::isinf(noise.canonical) && !std::isnan(noise.coefficient));
  NTTF_CHECK(known.known() && model.budget_bits(unknown) < -1e300);
}

NTTF_TEST("noise: binary secrets stay above the prediction") {
  Rng rng;
  const Party party(Parameters::badawi2018(2048), make_cpu_device(1));
  const auto key = party.generator.relinearization_key();
  Ciphertext x = party.encryptor.encrypt(Plaintext(party.context, random_values(rng, 2048, 2)));
  for (int level = 0; level < 2; ++level) {
    NTTF_CHECK(party.decryptor.noise_budget_bits(x) >= predicted_noise_budget_bits(x));
    x = party.evaluator.square_relinearize(x, key);
  }
  NTTF_CHECK(predicted_noise_budget_bits(x) > 0);
  NTTF_CHECK(party.decryptor.noise_budget_bits(x) >= predicted_noise_budget_bits(x));
}

}  // namespace
}  // namespace nttforge::bfv::testing
