// SPDX-License-Identifier: Apache-2.0
// Operations against complex numbers: every error within what the ciphertext says.

#include "nttforge/ckks/testing.hpp"

namespace nttforge::ckks::testing {
namespace {

using Complex = std::complex<double>;

std::vector<Parameters> sets() {
  return {small_parameters(64, 3), small_parameters(32, 4, 45, 2), small_parameters(64, 2, 54, 2),
          window_parameters(64), window_parameters(32, 4)};
}

NTTF_TEST("ckks: sums, products, constants and levels are those of complex numbers") {
  Rng rng;
  for (const Parameters& parameters : sets()) {
    const Party party(parameters);
    const Evaluator& e = party.evaluator;
    const std::size_t slots = party.context->slots();
    const Values a = random_values(rng, slots), b = random_values(rng, slots);
    const Ciphertext x = party.encrypt(a), y = party.encrypt(b);
    party.check(x, a, "fresh");
    party.check(e.add(x, y), map(a, b, std::plus<>()), "sum");
    party.check(e.sub(x, y), map(a, b, std::minus<>()), "difference");
    party.check(e.negate(x), map(a, b, [](Complex u, Complex) { return -u; }), "negative");
    const Ciphertext product = e.multiply(x, y);
    const Values ab = map(a, b, std::multiplies<>());
    party.check(product, ab, "product of three parts");
    party.check(e.rescale(product), ab, "rescaled");
    const Ciphertext xy = e.multiply_relinearize(x, y, party.relinearization);
    NTTF_CHECK_EQ(xy.level(), x.level() - 1);
    NTTF_CHECK(xy.meta().scale == party.context->scale(xy.level()));
    party.check(xy, ab, "relinearized");
    // Other levels and scales.
    party.check(e.add(xy, x), map(ab, a, std::plus<>()), "product and fresh");
    party.check(e.sub(y, xy), map(b, ab, std::minus<>()), "fresh and product");
    party.check(e.add(product, x), map(ab, a, std::plus<>()), "unrescaled and fresh");
    party.check(e.mod_switch_to(x, 1), a, "lowest level");
    if (xy.level() > 1) {
      party.check(e.multiply_relinearize(xy, x, party.relinearization), map(ab, a, std::multiplies<>()),
                  "product of levels");
      party.check(
          e.multiply_relinearize(e.relinearize(product, party.relinearization), x, party.relinearization),
          map(ab, a, std::multiplies<>()), "product of an unrescaled one");
    }
    const Ciphertext *terms_x[] = {&x, &y}, *terms_y[] = {&y, &y};
    party.check(e.dot_product(terms_x, terms_y), map(ab, map(b, b, std::multiplies<>()), std::plus<>()),
                "sum of products");
    party.check(e.multiply_integer(x, -3), map(a, b, [](Complex u, Complex) { return -3.0 * u; }),
                "times -3");
    party.check(e.multiply_by_i(x), map(a, b, [](Complex u, Complex) { return u * Complex(0, 1); }),
                "times i");
    for (const Complex c : {Complex(0.7, 0), Complex(-2.25, 0), Complex(0, 0.3), Complex(0.5, -1.5)}) {
      party.check(e.multiply_constant(x, c), map(a, b, [c](Complex u, Complex) { return c * u; }),
                  "constant");
      party.check(e.add_constant(x, c), map(a, b, [c](Complex u, Complex) { return u + c; }),
                  "plus constant");
    }
    const Plaintext plain(party.context, b, {});
    party.check(e.multiply_plain(x, plain), ab, "times plaintext");
    party.check(e.multiply_plain(xy.level() > 1 ? xy : x, plain),
                xy.level() > 1 ? map(ab, b, std::multiplies<>()) : ab, "times plaintext of a higher level");
    party.check(e.add_plain(x, plain), map(a, b, std::plus<>()), "plus plaintext");
    party.check(e.sub_plain(x, plain), map(a, b, std::minus<>()), "minus plaintext");
  }
}

NTTF_TEST("ckks: rotations, conjugates, sums over slots") {
  Rng rng;
  for (const Parameters& parameters : sets()) {
    const Party party(parameters);
    const Evaluator& e = party.evaluator;
    const std::size_t slots = party.context->slots();
    const Values a = random_values(rng, slots);
    const Ciphertext x = party.encrypt(a);
    std::vector<std::int64_t> steps = {1, -3, 5};
    for (std::int64_t s = 2; s < static_cast<std::int64_t>(slots); s *= 2) steps.push_back(s);
    const RotationKeys keys = party.generator.rotation_keys(steps, true);
    for (const std::int64_t step : steps) {
      Values rotated = a;
      std::rotate(
          rotated.begin(),
          rotated.begin() + (step + static_cast<std::int64_t>(slots)) % static_cast<std::int64_t>(slots),
          rotated.end());
      party.check(e.rotate_rows(x, step, keys), rotated, "rotation");
    }
    party.check(e.conjugate(x, keys), map(a, a, [](Complex u, Complex) { return std::conj(u); }),
                "conjugate");
    Complex total = 0;
    for (const Complex value : a) total += value;
    party.check(e.inner_sum(x, slots, keys), Values(slots, total), "inner sum");
    const Ciphertext low = e.mod_switch_to(x, 1);
    Values rotated = a;
    std::rotate(rotated.begin(), rotated.begin() + 5, rotated.end());
    party.check(e.rotate_rows(low, 5, keys), rotated, "rotation at the lowest level");
  }
}

NTTF_TEST("ckks: sparse messages repeat, batches, real numbers, coefficients, scales from 2^20 to 2^90") {
  Rng rng;
  for (const Parameters& parameters : sets()) {
    const Party party(parameters);
    const Evaluator& e = party.evaluator;
    for (const std::size_t slots : {std::size_t{1}, std::size_t{4}, party.context->slots() / 2}) {
      const Values a = random_values(rng, 3 * slots, 1, true), b = random_values(rng, slots, 1, true);
      Encode options{.slots = slots, .real = true, .batch = 3};
      const Ciphertext x = party.encrypt(a, options);
      options.batch = 1;
      const Ciphertext y = party.encrypt(b, options);
      Values expected;
      for (std::size_t i = 0; i < a.size(); ++i) expected.push_back(a[i] * b[i % slots]);
      const Ciphertext product = e.multiply_relinearize(x, y, party.relinearization);
      NTTF_CHECK(product.batch() == 3 && product.meta().numbers.real);
      party.check(product, expected, "batch of sparse messages");
    }
    std::vector<double> coefficients(party.context->n());
    for (double& c : coefficients) c = random_values(rng, 1)[0].real();
    const Ciphertext x = party.encryptor.encrypt(Plaintext(party.context, coefficients, {}));
    const std::vector<double> back = party.decryptor.decrypt_coefficients(x);
    for (std::size_t i = 0; i < back.size(); ++i)
      NTTF_CHECK(std::abs(back[i] - coefficients[i]) <= std::exp2(error_log2(x)));
    const Ciphertext square = e.multiply_relinearize(x, x, party.relinearization);
    double middle = 0;  // of the negacyclic square
    const std::size_t n = coefficients.size();
    for (std::size_t i = 0; i < n; ++i)
      middle += (i <= 3 ? 1 : -1) * coefficients[i] * coefficients[(3 + n - i) % n];
    NTTF_CHECK(std::abs(party.decryptor.decrypt_coefficients(square)[3] - middle) <=
               std::exp2(error_log2(square)));
  }
  const Party party(small_parameters(64, 3, 45));
  const Values a = random_values(rng, 32);
  for (const double scale : {0x1p20, 0x1p51, 0x1p64, 0x1p90}) {
    Encode options;
    options.scale = DoubleDouble{scale, 0};
    party.check(party.encrypt(a, options), a, "a scale of its own");
  }
}

NTTF_TEST("ckks: bytes of ciphertexts and parameters") {
  Rng rng;
  for (const Parameters& parameters : sets()) {
    const Party party(parameters);
    const auto stored = to_bytes(parameters);
    NTTF_CHECK(parameters_from_bytes(stored, true) == parameters);
    const Values a = random_values(rng, party.context->slots());
    const Ciphertext x = party.encrypt(a);
    const Ciphertext square = party.evaluator.multiply_relinearize(x, x, party.relinearization);
    for (const Ciphertext& y : {x, square, party.evaluator.multiply(x, x)}) {
      const auto bytes = to_bytes(y);
      const ObjectSizes sizes = parameters.serialized_sizes(1, y.level());
      NTTF_CHECK_EQ(bytes.size(), y.size() == 2 ? sizes.ciphertext : sizes.ciphertext_three_parts);
      const Ciphertext back = ciphertext_from_bytes(party.context, bytes);
      NTTF_CHECK(back == y && back.meta().numbers == y.meta().numbers);
      NTTF_CHECK(std::abs(error_log2(back) - error_log2(y)) < 0.02);
    }
    const auto keys = to_bytes(party.relinearization);
    const RelinearizationKey loaded = relinearization_key_from_bytes(party.context, keys);
    NTTF_CHECK(party.evaluator.multiply_relinearize(x, x, loaded) == square);
    for (std::size_t level = 1; level <= party.context->top_level(); ++level) {
      const RelinearizationKey low = party.relinearization.at_level(level);
      NTTF_CHECK_EQ(to_bytes(low).size(), parameters.serialized_sizes(1, level).relinearization_key);
      NTTF_CHECK_EQ(relinearization_key_from_bytes(party.context, to_bytes(low)).level(), level);
    }
  }
}

NTTF_TEST("ckks: presets have the levels of the table") {
  const auto levels = [](std::size_t log_n, unsigned scale_bits, unsigned word_bits) {
    return Parameters::preset(std::size_t{1} << log_n, scale_bits, SecurityLevel::classical128,
                              kStrictestTable, word_bits)
        .depth();
  };
  NTTF_CHECK_EQ(levels(12, 30, 64), 1u);
  NTTF_CHECK_EQ(levels(13, 36, 64), 3u);
  NTTF_CHECK_EQ(levels(14, 40, 64), 7u);
  NTTF_CHECK_EQ(levels(14, 45, 64), 6u);
  NTTF_CHECK_EQ(levels(15, 40, 64), 16u);
  NTTF_CHECK_EQ(levels(15, 50, 64), 12u);
  NTTF_CHECK_EQ(levels(16, 40, 64), 33u);
  NTTF_CHECK_EQ(levels(17, 50, 64), 59u);
  NTTF_CHECK_EQ(levels(14, 40, 32), 7u);
  NTTF_CHECK_EQ(levels(15, 40, 32), 16u);
  NTTF_CHECK_EQ(levels(16, 40, 32), 31u);
}

}  // namespace
}  // namespace nttforge::ckks::testing
