// SPDX-License-Identifier: Apache-2.0
// The transform by layers, Chebyshev polynomials, and whole bootstraps of small rings.

#include "nttforge/ckks/bootstrap/bootstrapper.hpp"

#include <tuple>

#include "nttforge/ckks/bootstrap/cosine.hpp"
#include "nttforge/ckks/bootstrap/fourier.hpp"
#include "nttforge/ckks/bootstrap/presets.hpp"
#include "nttforge/ckks/polynomial.hpp"
#include "nttforge/ckks/testing.hpp"
#include "nttforge/rns/hps.hpp"

namespace nttforge::ckks::testing {
namespace {

using nttforge::testing::full_tests;
using Complex = std::complex<double>;

Values times(const Diagonals& matrix, const Values& x) {
  Values result(x.size());
  for (const auto& [d, values] : matrix.of_step)
    for (std::size_t i = 0; i < x.size(); ++i) result[i] += values[i] * x[(i + d) % x.size()];
  return result;
}

std::size_t reversed(std::size_t i, std::size_t count) {
  std::size_t result = 0;
  for (; count > 1; count /= 2, i /= 2) result = 2 * result + i % 2;
  return result;
}

NTTF_TEST("bootstrap: layers of the transform are the embedding, and their inverses are inverse") {
  Rng rng;
  for (const std::size_t slots : {std::size_t{2}, std::size_t{16}, std::size_t{64}}) {
    const auto layers = static_cast<std::size_t>(std::countr_zero(slots));
    const Values message = random_values(rng, slots);
    std::vector<Coefficient> coefficients(2 * slots);
    Embedding(slots).encode(message, {0x1p50, 0}, coefficients);
    Values expected(slots);
    for (std::size_t i = 0; i < slots; ++i) {
      const std::size_t j = reversed(i, slots);
      expected[i] =
          Complex(static_cast<double>(coefficients[j]), static_cast<double>(coefficients[j + slots])) *
          0x1p-50;
    }
    for (std::vector<std::size_t> cut :
         {std::vector<std::size_t>(layers, 1), std::vector<std::size_t>{layers},
          std::vector<std::size_t>{1, layers - 1}}) {
      if (cut.back() == 0) cut.pop_back();
      Values x = message;
      for (const Diagonals& matrix : coefficients_to_slots(slots, cut)) x = times(matrix, x);
      NTTF_CHECK(difference_log2(x, expected) < -44);
      for (const Diagonals& matrix : slots_to_coefficients(slots, cut)) x = times(matrix, x);
      NTTF_CHECK(difference_log2(x, message) < -44);
    }
  }
}

NTTF_TEST("ckks: linear transforms of random diagonals, full and sparse") {
  Rng rng;
  for (const Parameters& parameters : {small_parameters(64, 3, 45), window_parameters(64)}) {
    const Party party(parameters);
    for (const std::size_t slots : {std::size_t{32}, std::size_t{8}}) {
      Diagonals matrix{slots, {}};
      for (const std::size_t d : {std::size_t{0}, std::size_t{2}, slots - 2, slots - 4})
        matrix.of_step[d] = random_values(rng, slots);
      const Values a = random_values(rng, slots);
      const Ciphertext x = party.encrypt(a, {.slots = slots});
      for (const Steps& steps :
           {steps_of(matrix), steps_of(matrix, 1), steps_of(matrix, 2), chained_steps_of(matrix)}) {
        for (const std::size_t level : {x.level(), x.level() - 1}) {
          const LinearTransform map(party.context, matrix, level, steps);
          const RotationKeys keys = party.generator.rotation_keys(map.rotations());
          const Ciphertext image = map.apply(party.evaluator, x, keys);
          NTTF_CHECK_EQ(image.level(), level - 1);
          party.check(image, times(matrix, a), "linear transform");
          if (steps.chained) NTTF_CHECK(map.rotations().size() <= 3);
        }
      }
      NTTF_CHECK_THROWS(LinearTransform(party.context, matrix, x.level(), {{0, 2, 4}, {-4}, true}),
                        ParameterError, "a chain begins at step 0 of both");
      NTTF_CHECK_THROWS(LinearTransform(party.context, matrix, x.level(), {{0, 2, 6}, {-4, 0}, true}),
                        ParameterError, "baby_steps[2] = 6: a chain has steps of one distance");
    }
  }
}

NTTF_TEST("ckks: Chebyshev polynomials take as many levels as their degree needs") {
  Rng rng;
  const Party party(small_parameters(64, 6, 45));
  const Values a = random_values(rng, 32, 1, true);
  const Ciphertext x = party.encrypt(a, {.real = true});
  for (const std::size_t degree : {1, 2, 3, 4, 5, 7, 8, 15, 16, 21, 31, 63}) {
    std::vector<double> c(degree + 1);
    for (double& value : c) value = random_values(rng, 1)[0].real() / static_cast<double>(degree);
    Values expected(a.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t k = 0; k <= degree; ++k)
        expected[i] += c[k] * std::cos(static_cast<double>(k) * std::acos(a[i].real()));
    const Ciphertext y = evaluate_chebyshev(party.evaluator, x, c, party.relinearization);
    NTTF_CHECK_EQ(x.level() - y.level(), chebyshev_depth(degree));
    const double error = difference_log2(party.decryptor.decrypt(y), expected);
    NTTF_CHECK(error < error_log2(y) && error < -20);
  }
}

NTTF_TEST("bootstrap: the same numbers at a higher level, full and sparse, complex and real, batches") {
  Rng rng;
  struct Case {
    std::size_t n, slots, cts, stc;
    bool real;
    std::size_t batch;
  };
  for (const Case& c : {Case{128, 64, 2, 2, false, 1}, Case{256, 128, 3, 3, true, 2},
                        Case{256, 8, 3, 2, false, 1}, Case{128, 2, 1, 1, true, 1}}) {
    const std::size_t high = c.cts + 1 + 4 + 3;
    const Party party(bootstrap_parameters(c.n, 3, c.stc, high));
    Bootstrap options{.slots = c.slots};
    const auto layers = static_cast<std::size_t>(std::countr_zero(c.slots));
    const auto cut = [&](std::size_t count) {
      std::vector<std::size_t> result(count, 1);
      result[0] += layers - count;
      return result;
    };
    options.to_slots = cut(c.cts);
    options.to_coefficients = cut(c.stc);
    const Bootstrapper bootstrapper(party.context, options);
    NTTF_CHECK_EQ(bootstrapper.level(), 4u);
    const BootstrapKeys keys = bootstrapper.make_keys(party.generator);
    // The ephemeral secret is as safe as the primes of this key are few.
    NTTF_CHECK(keys.to_sparse.level() == 1 && keys.to_sparse.special() == 1);
    const Values a = random_values(rng, c.slots * c.batch, 1, c.real);
    const Ciphertext x = party.encrypt(a, {.slots = c.slots, .real = c.real, .batch = c.batch});
    Ciphertext low = party.evaluator.mod_switch_to(x, 2);
    low = party.evaluator.multiply_relinearize(low, low, party.relinearization);
    Values square = map(a, a, std::multiplies<>());
    for (int i = 0; i < 2; ++i) {
      const Ciphertext y = bootstrapper.bootstrap(party.evaluator, low, keys);
      NTTF_CHECK_EQ(y.level(), bootstrapper.level());
      const double error = difference_log2(party.decryptor.decrypt(y), square);
      std::printf("  n %zu, slots %zu: error 2^%.2f, said 2^%.2f, proved 2^%.2f\n", c.n, c.slots, error,
                  error_log2(y), error_log2(y, NoiseBound::proved));
      NTTF_CHECK(error < -12 && error <= error_log2(y) && error <= error_log2(y, NoiseBound::proved));
      low = party.evaluator.multiply_relinearize(y, y, party.relinearization);
      square = map(square, square, std::multiplies<>());
    }
  }
}

NTTF_TEST("bootstrap: keys of fewer special primes are for one level and one pair of secrets") {
  Rng rng;
  const Party party(small_parameters(64, 2, 45, 3));
  const KeyGenerator other(party.context, os_seed(), SecretDistribution::sparse(16));
  const SecretKey dense = party.generator.secret_key(), sparse = other.secret_key();
  const KeySwitchKey key = party.generator.key_switch_key(dense, sparse, 0, 1, 2);
  const Values a = random_values(rng, 32);
  const Ciphertext x = party.evaluator.switch_secret(party.evaluator.mod_switch_to(party.encrypt(a), 1), key);
  const double error = difference_log2(Decryptor(sparse).decrypt(x), a);
  NTTF_CHECK(error <= error_log2(x) && error <= error_log2(x, NoiseBound::proved));
  NTTF_CHECK_THROWS(party.generator.key_switch_key(dense, sparse, 0, 1, 1), ParameterError, "another index");
  NTTF_CHECK_THROWS(party.generator.key_switch_key(dense, sparse, 1, 1, 4), ParameterError,
                    "special = 4 is out of range [0, 3]");
  NTTF_CHECK_THROWS(key.at_level(1).to(nullptr), ContextError, "");
  const std::vector<std::uint8_t> bytes = to_bytes(key);
  const KeySwitchKey read = rlwe::key_switch_key_from_bytes(party.context, bytes);
  NTTF_CHECK(to_bytes(read) == bytes && read.special() == 2 && read.level() == 1);
  const Ciphertext low = party.evaluator.mod_switch_to(party.encrypt(a), 1);
  NTTF_CHECK(to_bytes(party.evaluator.switch_secret(low, read)) ==
             to_bytes(party.evaluator.switch_secret(low, key)));
}

NTTF_TEST("bootstrap: overflows of a secret of weight 32, by the density of sums of uniform numbers") {
  const std::vector<double> often = overflow_probabilities(32);
  double sum = often[0];
  for (std::size_t i = 1; i < often.size(); ++i) sum += 2 * often[i];
  NTTF_CHECK(std::abs(sum - 1) < 1e-14 && often.size() == 17);
  // 33 numbers within 1/2 of 0 that add up to 16 are 1/2 in all below the largest sum: of a density of
  // (1/2)^32 / 32!. A message of 1/32 of a period has (1/2 + 1/32)^32 / 32!.
  double last = 1;
  for (int k = 1; k <= 32; ++k) last /= k;
  NTTF_CHECK(std::abs(often[16] / (last * std::pow(0.5, 32)) - 1) < 1e-12);
  NTTF_CHECK(std::abs(overflow_probabilities(32, 1.0 / 32)[16] / (last * std::pow(17.0 / 32, 32)) - 1) <
             1e-12);
  // Two uniform numbers whose sum has the fraction 0 add up to 0; three to 1 one time in eight.
  NTTF_CHECK(overflow_probabilities(1)[0] == 1 && overflow_probabilities(1)[1] == 0);
  NTTF_CHECK(std::abs(overflow_probabilities(2)[1] - 0.125) < 1e-15);
  NTTF_CHECK(std::abs(overflow_probabilities(1, 0.25)[1] - 0.25) < 1e-15);
  for (const std::string& name : bootstrap_set_names()) {
    BootstrapSet set = bootstrap_preset(name, 7);
    const Bootstrapper bootstrapper(Context::create(set.parameters), set.options);
    const double bits = -bootstrapper.failure_log2() - (name.starts_with("boot15") ? 8 : 9);
    NTTF_CHECK(bits > 128 && bits < 132);
  }
}

NTTF_TEST("bootstrap: overflows of raised ciphertexts are as often as they are said to be") {
  Rng rng;
  const Parameters parameters = small_parameters(1024, 1, 45);
  const ContextPtr context = Context::create(parameters, make_cpu_device(1));
  const KeyGenerator generator(context, os_seed(), SecretDistribution::sparse(32));
  const Encryptor encryptor(generator.public_key());
  const Decryptor decryptor(generator.secret_key());
  const Evaluator evaluator(context);
  const std::uint64_t lowest = parameters.q[0];
  const std::shared_ptr<const StepTables> raise =
      context->device().make_step(hps_extend(RnsBase({lowest}), parameters.q), context->n());
  const std::vector<double> often = overflow_probabilities(32);
  const std::size_t batch = 16, rounds = full_tests() ? 64 : 8;
  std::vector<double> seen(often.size() + 1);
  double square = 0, expected = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const Ciphertext x =
        encryptor.encrypt(Plaintext(context, random_values(rng, 512 * batch), {.batch = batch}));
    const Ciphertext low = evaluator.mod_switch_to(x, 1).in(Form::coefficients);
    Meta meta{{2, Form::coefficients, Encoding::coefficients}};
    meta.scale = {static_cast<double>(lowest), 0};
    meta.slots = 512;
    meta.numbers = {5, true};
    meta.noise = {-20, -20, 0, {-20, -20}};
    Ciphertext raised(context, 2, meta, batch);
    context->queue().apply(*raise, low.data(), nullptr, raised.data(), raised.polynomials());
    for (const double number : decryptor.decrypt_coefficients(raised.in(Form::values))) {
      const double i = std::nearbyint(number);
      NTTF_CHECK(std::abs(number - i) < 0x1p-4);
      seen[std::min(static_cast<std::size_t>(std::abs(i)), often.size())] += 1;
      square += i * i;
    }
  }
  const auto count = static_cast<double>(1024 * batch * rounds);
  for (std::size_t i = 1; i < often.size(); ++i)
    expected += 2 * often[i] * static_cast<double>(i) * static_cast<double>(i);
  // The variance is that of 33 uniform numbers, 2.75: 34 would have 2.83.
  NTTF_CHECK(std::abs(expected - 2.75) < 1e-12);
  NTTF_CHECK(std::abs(square / count - expected) < 7 * expected * std::sqrt(2 / count));
  std::printf("  %.0f coefficients: variance %.4f, expected %.4f\n", count, square / count, expected);
  for (std::size_t i = 0; i < often.size(); ++i) {
    const double mean = count * often[i] * (i == 0 ? 1 : 2);
    NTTF_CHECK(std::abs(seen[i] - mean) <= 7 * std::sqrt(mean) + (mean < 1e-3 ? 0 : 4));
  }
}

NTTF_TEST("bootstrap: the cosine is fitted around the integers, as closely as they occur") {
  const std::vector<double> often = overflow_probabilities(32);
  for (const auto& [double_angles, degree, expected] :
       {std::tuple{3u, 30u, -39.5}, {2u, 46u, -38.5}, {2u, 62u, -44.0}}) {
    const Cosine cosine = fit_cosine(16, double_angles, degree, 32);
    NTTF_CHECK_EQ(cosine.coefficients.size(), degree / 2 + 1);
    double square = 0;
    for (std::size_t i = 0; i <= 16; ++i) {
      square += (i == 0 ? 1 : 2) * often[i] * cosine.errors[i] * cosine.errors[i];
      NTTF_CHECK(cosine.errors[i] < (i < 12 ? 0x1p-27 : i < 16 ? 0x1p-17 : 0x1p-5));
    }
    NTTF_CHECK(std::log2(square) / 2 < expected);
    // What the library's sine says, in doubles.
    for (int i = -15; i <= 15; ++i)
      for (const double d : {-0.02, 0.0, 0.013}) {
        const double x = (i - 0.25 + d) / 16, u = 2 * x * x - 1;
        double value = 0;
        for (std::size_t k = 0; k < cosine.coefficients.size(); ++k)
          value += cosine.coefficients[k] * std::cos(static_cast<double>(k) * std::acos(u));
        for (unsigned step = 0; step < double_angles; ++step) value = 2 * value * value - 1;
        const double error = std::abs(value - std::sin(2 * 3.14159265358979323846 * d));
        NTTF_CHECK(error < 2 * cosine.errors[static_cast<std::size_t>(std::abs(i))] + 0x1p-38);
      }
  }
}

}  // namespace
}  // namespace nttforge::ckks::testing
