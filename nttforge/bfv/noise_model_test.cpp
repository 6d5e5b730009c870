// SPDX-License-Identifier: Apache-2.0
// The prediction holds, and is not idle: measured budgets lie above it, by no more than its stated margin
// (docs/bounds/noise.md), after every kind of operation.

#include "nttforge/bfv/noise_model.hpp"

#include <cmath>
#include <cstdio>

#include "nttforge/bfv/testing.hpp"

namespace nttforge::bfv::testing {
namespace {

/// measured - predicted must be in [0, margin].
void expect(const Party& party, const Ciphertext& c, double margin, const char* what) {
  const double measured = party.decryptor.noise_budget_bits(c), predicted = c.predicted_noise_budget_bits();
  if (measured >= predicted && measured <= predicted + margin) return;
  nttforge::testing::fail(__FILE__, __LINE__,
                          std::string(what) + ": measured " + std::to_string(measured) + ", predicted " +
                              std::to_string(predicted) + ", margin " + std::to_string(margin) + ", " +
                              party.context->parameters().describe());
}

void follow(const Parameters& parameters) {
  Rng rng;
  const Party party(parameters, make_cpu_backend(1));
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
  const Ciphertext rotated = e.rotate_rows(x, 1, rotations);
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
  // A special prime far smaller than the digits: the key's error dominates.
  auto primes = ntt_primes(2048, 50, 3);
  follow(
      Parameters::custom(2048, 257, primes, ntt_primes(2048, 30, 1)[0], SecurityLevel::insecure_by_request));
}

NTTF_TEST("noise: binary secrets stay above the prediction") {
  Rng rng;
  const Party party(Parameters::badawi2018(2048), make_cpu_backend(1));
  const auto key = party.generator.relinearization_key();
  Ciphertext x = party.encryptor.encrypt(Plaintext(party.context, random_values(rng, 2048, 2)));
  for (int level = 0; level < 2; ++level) {
    NTTF_CHECK(party.decryptor.noise_budget_bits(x) >= x.predicted_noise_budget_bits());
    x = party.evaluator.square_relinearize(x, key);
  }
  NTTF_CHECK(x.predicted_noise_budget_bits() > 0);
  NTTF_CHECK(party.decryptor.noise_budget_bits(x) >= x.predicted_noise_budget_bits());
}

}  // namespace
}  // namespace nttforge::bfv::testing
