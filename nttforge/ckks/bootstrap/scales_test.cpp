// SPDX-License-Identifier: Apache-2.0
// Scales of a chain that bootstraps: products across the level that has one of its own, and arguments whose
// scale is not that of their level.

#include <tuple>

#include "nttforge/ckks/bootstrap/bootstrapper.hpp"
#include "nttforge/ckks/bootstrap/presets.hpp"
#include "nttforge/ckks/polynomial.hpp"
#include "nttforge/ckks/scale.hpp"
#include "nttforge/ckks/testing.hpp"

namespace nttforge::ckks::testing {
namespace {

NTTF_TEST("ckks: products have the scales of their levels from the top of a chain to where it bootstraps") {
  for (const std::string& name : bootstrap_set_names()) {
    const BootstrapSet set = bootstrap_preset(name, 7);
    const Party party(set.parameters);
    const Bootstrapper bootstrapper(party.context, set.options);
    const Values a(party.context->slots(), -1), one(party.context->slots(), 1);
    Ciphertext x = party.encrypt(a, {.bound = 1.0, .real = true});
    std::size_t levels = 0;
    while (x.level() > bootstrapper.input_level()) {
      // By one that is as deep, and by one that was bootstrapped.
      const std::size_t before = x.level();
      x = party.evaluator.multiply_relinearize(x, x, party.relinearization);
      NTTF_CHECK(x.meta().scale == party.context->scale(x.level()));
      NTTF_CHECK(before - x.level() == (party.context->leads_below(before) ? 1u : 2u));
      ++levels;
    }
    NTTF_CHECK_EQ(x.level(), bootstrapper.input_level());
    // One of them crosses results' level, whose scale does not follow from those above.
    NTTF_CHECK_EQ(levels, party.context->top_level() - bootstrapper.input_level() - 1);
    party.check(x, one, "products to the input level");
    NTTF_CHECK(difference_log2(party.decryptor.decrypt(x), one) < -12);
    const BootstrapKeys keys = bootstrapper.make_keys(party.generator);
    const Ciphertext y = bootstrapper.bootstrap(party.evaluator, x, keys);
    NTTF_CHECK(difference_log2(party.decryptor.decrypt(y), one) < -10);
  }
}

NTTF_TEST("ckks: polynomials across a level with a scale of its own") {
  Rng rng;
  const BootstrapSet set = bootstrap_preset("boot16_40", 7);
  const Party party(set.parameters);
  const Bootstrapper bootstrapper(party.context, set.options);
  const Values a = random_values(rng, party.context->slots(), 1, true);
  const std::vector<double> c{0.1, 0.2, 0, 0.3, 0, 0, 0, 0, 0, 0.2, 0, 0, 0, 0, 0, 0.05};
  Values expected(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < c.size(); ++k)
      expected[i] += c[k] * std::cos(static_cast<double>(k) * std::acos(a[i].real()));
  for (std::size_t above = 0; above < 7; ++above) {
    const Ciphertext x =
        party.evaluator.mod_switch_to(party.encrypt(a, {.real = true}), bootstrapper.level() + above);
    const Ciphertext y = evaluate_chebyshev(party.evaluator, x, c, party.relinearization);
    NTTF_CHECK(y.meta().scale == party.context->scale(y.level()));
    NTTF_CHECK(difference_log2(party.decryptor.decrypt(y), expected) < std::min(error_log2(y), -28.0));
    NTTF_CHECK(x.level() - y.level() <= 4 + std::min<std::size_t>(above, 3));
  }
}

/// Numbers at a level with a scale that is off by a factor.
Ciphertext off_by(const Party& party, const Values& a, std::size_t level, double factor, bool real) {
  Values larger = a;
  for (auto& value : larger) value *= factor;
  const Ciphertext x = party.encrypt(larger, {.bound = std::max(1.0, factor), .real = real});
  Ciphertext result = party.evaluator.mod_switch_to(x, level);
  Meta meta = result.meta().computed(result.noise());
  meta.scale = scale_of(meta.scale, {factor, 0}, {}, {});
  meta.numbers.bound -= std::log2(factor);
  result.set_meta(meta);
  return result;
}

void check_off(const Party& party, const Bootstrapper& bootstrapper, const BootstrapKeys& keys,
               std::size_t iterations, double precision) {
  Rng rng;
  for (const bool real : {false, true})
    for (const double factor : {1 + 0x1p-40, 1.000161, 0.8, 1.4}) {
      const Values a = random_values(rng, party.context->slots(), 1, real);
      const Ciphertext x = off_by(party, a, bootstrapper.input_level(), factor, real);
      const Ciphertext y = bootstrapper.bootstrap(party.evaluator, x, keys, 0, iterations);
      NTTF_CHECK(y.meta().scale == party.context->scale(y.level()));
      NTTF_CHECK(y.meta().numbers == x.meta().numbers);
      const double worst = difference_log2(party.decryptor.decrypt(y), a);
      NTTF_CHECK(worst < precision && worst <= error_log2(y) && worst <= error_log2(y, NoiseBound::proved));
    }
  const Values a = random_values(rng, party.context->slots());
  NTTF_CHECK_THROWS(
      bootstrapper.bootstrap(party.evaluator, off_by(party, a, bootstrapper.input_level(), 1.5, false), keys),
      ParameterError, "encode at the scale of the level");
}

NTTF_TEST("bootstrap: arguments at the input level whose scale is off, both orders, iterations") {
  {
    const BootstrapSet set = bootstrap_preset("boot16_40", 7);
    const Party party(set.parameters);
    const Bootstrapper bootstrapper(party.context, set.options);
    const BootstrapKeys keys = bootstrapper.make_keys(party.generator);
    check_off(party, bootstrapper, keys, 1, -21);
    // A product that is not rescaled has no level for it.
    const Ciphertext x = party.evaluator.mod_switch_to(party.encrypt(Values(party.context->slots(), 0.5)),
                                                       bootstrapper.input_level());
    const Ciphertext product =
        party.evaluator.relinearize(party.evaluator.multiply(x, x), party.relinearization);
    NTTF_CHECK_THROWS(bootstrapper.bootstrap(party.evaluator, product, keys), ParameterError,
                      "rescale the product, which takes a level, and bootstrap it earlier");
  }
  const auto check = [](const Parameters& parameters, const Bootstrap& options, std::size_t iterations,
                        double precision) {
    const Party party(parameters);
    const Bootstrapper bootstrapper(party.context, options);
    check_off(party, bootstrapper, bootstrapper.make_keys(party.generator), iterations, precision);
  };
  const BootstrapSet set = bootstrap_preset("boot16_51", 7);
  check(set.parameters, set.options, 2, -34);
  check(bootstrap_parameters(128, 3, 2, 2 + 1 + 4 + 3), {.to_slots = {4, 2}, .to_coefficients = {4, 2}}, 1,
        -12);
}

NTTF_TEST("ckks: linear transforms of ciphertexts whose scale is not that of the level") {
  Rng rng;
  const Party party(small_parameters(64, 3, 45));
  Diagonals matrix{32, {}};
  for (const std::size_t d : {std::size_t{0}, std::size_t{3}}) matrix.of_step[d] = random_values(rng, 32);
  const Values a = random_values(rng, 32);
  Values expected(a.size());
  for (const auto& [d, values] : matrix.of_step)
    for (std::size_t i = 0; i < a.size(); ++i) expected[i] += values[i] * a[(i + d) % a.size()];
  const LinearTransform map(party.context, matrix, 3, steps_of(matrix));
  const RotationKeys keys = party.generator.rotation_keys(map.rotations());
  for (const double factor : {0.02, 1.0001, 60.0})
    party.check(map.apply(party.evaluator, off_by(party, a, 3, factor, false), keys), expected, "off");
  NTTF_CHECK_THROWS(map.apply(party.evaluator, off_by(party, a, 3, 70, false), keys), ParameterError,
                    "rescale a product first");
}

NTTF_TEST("ckks: steps of a map are as many as cost least, in passes and below a limit") {
  Diagonals matrix{256, {}};
  for (std::size_t d = 0; d < 255; ++d) matrix.of_step[d] = {};
  const auto sizes = [&](const StepCosts& costs) {
    const Steps steps = steps_of(matrix, 0, costs);
    return std::pair(steps.baby.size(), steps.giant.size());
  };
  NTTF_CHECK(sizes({}) == std::pair(std::size_t{26}, std::size_t{10}));  // 26 + 3 * 9
  NTTF_CHECK(sizes({.giant = 5}) == std::pair(std::size_t{32}, std::size_t{8}));
  NTTF_CHECK(sizes({.giant = 5, .together = 4}) == std::pair(std::size_t{64}, std::size_t{4}));
  NTTF_CHECK(sizes({.giant = 5, .together = 4, .most = 32}) == std::pair(std::size_t{32}, std::size_t{8}));
}

}  // namespace
}  // namespace nttforge::ckks::testing
