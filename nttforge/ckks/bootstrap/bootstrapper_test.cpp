// SPDX-License-Identifier: Apache-2.0
// The transform by layers, Chebyshev polynomials, and whole bootstraps of small rings.

#include "nttforge/ckks/bootstrap/bootstrapper.hpp"

#include "nttforge/ckks/bootstrap/fourier.hpp"
#include "nttforge/ckks/bootstrap/presets.hpp"
#include "nttforge/ckks/polynomial.hpp"
#include "nttforge/ckks/testing.hpp"

namespace nttforge::ckks::testing {
namespace {

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
      for (const std::size_t babies : {0, 1, 2}) {
        for (const std::size_t level : {x.level(), x.level() - 1}) {
          const LinearTransform map(party.context, matrix, level, steps_of(matrix, babies));
          const RotationKeys keys = party.generator.rotation_keys(map.rotations());
          const Ciphertext image = map.apply(party.evaluator, x, keys);
          NTTF_CHECK_EQ(image.level(), level - 1);
          party.check(image, times(matrix, a), "linear transform");
        }
      }
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
  NTTF_CHECK_THROWS(to_bytes(key), UnsupportedError, "no seed");
}

NTTF_TEST("bootstrap: the sets are 128-bit secure and have the levels that they say") {
  struct Case {
    const char* name;
    unsigned bits;
    std::size_t left;
  };
  for (const Case& c :
       {Case{"boot16_40", 1744, 11}, Case{"boot16_45", 1734, 10}, Case{"boot15_31", 843, 2}}) {
    const BootstrapSet set = bootstrap_preset(c.name);
    NTTF_CHECK_EQ(set.parameters.modulus_bits(), c.bits);
    NTTF_CHECK_EQ(set.parameters.security_verdict().bits, 128u);
    const std::uint64_t ephemeral[] = {set.parameters.q[0], set.parameters.special[0]};
    NTTF_CHECK(BigUint::product(ephemeral).bits() <= 121);
    const Bootstrap& o = set.options;
    const std::size_t taken =
        o.to_slots.size() + o.to_coefficients.size() + 1 + chebyshev_depth(o.degree / 2) + o.double_angles;
    NTTF_CHECK_EQ(set.parameters.depth() - taken, c.left);
  }
}

}  // namespace
}  // namespace nttforge::ckks::testing
