// SPDX-License-Identifier: Apache-2.0
// The sets by name: their chains at a small n, iterations, security and levels.

#include "nttforge/ckks/bootstrap/presets.hpp"

#include <cstdio>

#include "nttforge/ckks/bootstrap/bootstrapper.hpp"
#include "nttforge/ckks/polynomial.hpp"
#include "nttforge/ckks/testing.hpp"

namespace nttforge::ckks::testing {
namespace {

using nttforge::testing::full_tests;
using Complex = std::complex<double>;

/// log2 of the mean of the real and imaginary parts' errors, what precision is told by.
double mean_error_log2(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += std::abs(a[i].real() - b[i].real()) + std::abs(a[i].imag() - b[i].imag());
  return std::log2(sum / (2 * static_cast<double>(a.size())));
}

NTTF_TEST("bootstrap: the chains of the sets at a small n, again and again with products between") {
  Rng rng;
  struct Case {
    const char* name;
    double precision;
    unsigned ephemeral = 121;
  };
  for (const Case& c : {Case{"boot16_40", -26}, Case{"boot16w_40", -25}, Case{"boot16w_45", -25},
                        Case{"boot16w_54", -23}, Case{"boot16w_fast", -22.5}, Case{"boot16_45", -26},
                        Case{"boot16_51", -24}, Case{"boot15_31", -18, 96}, Case{"boot15w_30", -15, 96}}) {
    const BootstrapSet set = bootstrap_preset(c.name, full_tests() ? 10 : 8);
    const Party party(set.parameters);
    const Bootstrapper bootstrapper(party.context, set.options);
    const BootstrapKeys keys = bootstrapper.make_keys(party.generator);
    // The ephemeral secret is as safe as the primes of this key are few.
    std::span<const std::uint64_t> lowest = set.parameters.moduli(1);
    std::vector<std::uint64_t> ephemeral(lowest.begin(), lowest.end());
    for (std::size_t i = 0; i < keys.to_sparse.special(); ++i) ephemeral.push_back(set.parameters.special[i]);
    NTTF_CHECK(keys.to_sparse.level() == 1 && BigUint::product(ephemeral).bits() <= c.ephemeral);
    const auto words_of = [](const KeySwitchKey& key) { return key.words().size(); };
    std::uint64_t words = words_of(keys.to_sparse) + words_of(keys.to_dense);
    words += words_of(keys.relinearization.key());
    for (const std::uint64_t element : keys.rotations.elements())
      words += words_of(keys.rotations.key(element));
    NTTF_CHECK_EQ(bootstrapper.keys_bytes(), words * set.parameters.word_bits / 8);
    for (const bool real : {false, true}) {
      // Phases on the unit circle, or signs: products keep them there.
      Values a(party.context->slots());
      for (auto& value : a) {
        const double turn = random_values(rng, 1, 3.14159, true)[0].real();
        value = real ? Complex(turn < 0 ? -0.99 : 0.99) : Complex(std::cos(turn), std::sin(turn)) * 0.99;
      }
      Ciphertext x = party.evaluator.mod_switch_to(party.encrypt(a, {.bound = 1.0, .real = real}),
                                                   bootstrapper.input_level());
      NTTF_CHECK_THROWS(
          bootstrapper.bootstrap(party.evaluator,
                                 party.evaluator.mod_switch_to(x, bootstrapper.input_level() - 1), keys),
          ParameterError, "bootstrap earlier");
      const std::vector<std::uint8_t> before = to_bytes(x);
      for (std::size_t round = 0; round < (full_tests() ? 50u : 2u); ++round) {
        const Ciphertext y = bootstrapper.bootstrap(party.evaluator, x, keys);
        if (round == 0) NTTF_CHECK(to_bytes(x) == before);
        NTTF_CHECK_EQ(y.level(), bootstrapper.level());
        const Values found = party.decryptor.decrypt(y);
        const double mean = mean_error_log2(found, a), worst = difference_log2(found, a);
        if (round == 0)
          std::printf("  %s%s: mean 2^%.2f, worst 2^%.2f, said 2^%.2f, proved 2^%.2f\n", c.name,
                      real ? ", real" : "", mean, worst, error_log2(y), error_log2(y, NoiseBound::proved));
        NTTF_CHECK(mean < c.precision + (round > 0 ? 8 : 0));
        NTTF_CHECK(worst <= error_log2(y) && worst <= error_log2(y, NoiseBound::proved));
        // As many products by -1, as numbers that are encoded, as there are levels.
        x = y;
        for (std::size_t i = 0; i < 10 && x.level() > bootstrapper.input_level(); ++i) {
          const Values other(a.size(), -1);
          const Plaintext plain(party.context, other, {.level = x.level(), .real = true});
          x = party.evaluator.multiply_plain(x, plain);
          a = map(a, other, std::multiplies<>());
        }
        x = party.evaluator.mod_switch_to(x, bootstrapper.input_level());
        const double later = difference_log2(party.decryptor.decrypt(x), a);
        NTTF_CHECK(later <= error_log2(x));
      }
      const std::size_t target = bootstrapper.input_level() + 1;
      const Ciphertext lower = bootstrapper.bootstrap(party.evaluator, x, keys, target);
      NTTF_CHECK_EQ(lower.level(), target);
      NTTF_CHECK(difference_log2(party.decryptor.decrypt(lower), a) <= error_log2(lower));
      NTTF_CHECK_THROWS(bootstrapper.bootstrap(party.evaluator, x, keys, bootstrapper.level() + 1),
                        ParameterError, "is out of range [1, ");
    }
    Bootstrap few = set.options;
    few.small_keys = true;
    const Bootstrapper small(party.context, few);
    const BootstrapKeys fewer = small.make_keys(KeyGenerator(party.generator.secret_key()));
    NTTF_CHECK(small.keys_bytes() < bootstrapper.keys_bytes() && small.rotations().size() <= 21);
    const Values a = random_values(rng, party.context->slots());
    const Ciphertext y = small.bootstrap(
        party.evaluator, party.evaluator.mod_switch_to(party.encrypt(a), small.input_level()), fewer);
    const Values found = party.decryptor.decrypt(y);
    const double mean = mean_error_log2(found, a), worst = difference_log2(found, a);
    std::printf("  %s, small keys: mean 2^%.2f, worst 2^%.2f, said 2^%.2f; %.1f of %.1f MiB\n", c.name, mean,
                worst, error_log2(y), static_cast<double>(small.keys_bytes()) / 0x1p20,
                static_cast<double>(bootstrapper.keys_bytes()) / 0x1p20);
    NTTF_CHECK(mean < c.precision && worst <= error_log2(y) && worst <= error_log2(y, NoiseBound::proved));
    const Ciphertext large =
        party.evaluator.mod_switch_to(party.encrypt(Values(party.context->slots(), {0.5, 0}),
                                                    {.bound = std::exp2(bootstrapper.ratio_log2() - 4.9)}),
                                      bootstrapper.input_level());
    NTTF_CHECK_THROWS(bootstrapper.bootstrap(party.evaluator, large, keys), PrecisionError, "too large");
  }
}

NTTF_TEST("bootstrap: iterations have the bits of each, as far as the low levels hold them") {
  Rng rng;
  struct Case {
    const char* name;
    double one, two;
  };
  for (const Case& c :
       {Case{"boot16_51", -23, -41}, Case{"boot16w_54", -23, -41}, Case{"boot16w_45", -25, -35},
        Case{"boot16_45", -26, -36}, Case{"boot15_31", -19, -22}, Case{"boot15w_30", -16, -20}}) {
    const BootstrapSet set = bootstrap_preset(c.name, full_tests() ? 10 : 8);
    const Party party(set.parameters);
    const Bootstrapper bootstrapper(party.context, set.options);
    const BootstrapKeys keys = bootstrapper.make_keys(party.generator);
    for (const bool real : {false, true}) {
      const Values a = random_values(rng, party.context->slots(), 1, real);
      const Ciphertext x =
          party.evaluator.mod_switch_to(party.encrypt(a, {.real = real}), bootstrapper.input_level());
      const auto check = [&](const Ciphertext& y, double precision) {
        const Values found = party.decryptor.decrypt(y);
        const double mean = mean_error_log2(found, a), worst = difference_log2(found, a);
        std::printf("  %s%s, level %zu: mean 2^%.2f, worst 2^%.2f, said 2^%.2f, proved 2^%.2f\n", c.name,
                    real ? ", real" : "", y.level(), mean, worst, error_log2(y),
                    error_log2(y, NoiseBound::proved));
        NTTF_CHECK(mean < precision && worst <= error_log2(y) && worst <= error_log2(y, NoiseBound::proved));
        NTTF_CHECK(error_log2(y) < worst + 7);
      };
      check(bootstrapper.bootstrap(party.evaluator, x, keys), c.one);
      Ciphertext y = bootstrapper.bootstrap(party.evaluator, x, keys, 0, 2);
      NTTF_CHECK(y.level() == bootstrapper.level() - 1 && y.meta().numbers == x.meta().numbers);
      NTTF_CHECK(y.meta().scale == party.context->scale(y.level()));
      check(y, c.two);
      y = party.evaluator.mod_switch_to(y, bootstrapper.input_level());
      check(bootstrapper.bootstrap(party.evaluator, y, keys, bootstrapper.input_level() + 1, 2), c.two + 1);
      NTTF_CHECK_THROWS(bootstrapper.bootstrap(party.evaluator, x, keys, bootstrapper.level(), 2),
                        ParameterError, "several iterations take one more level");
      NTTF_CHECK_THROWS(bootstrapper.bootstrap(party.evaluator, x, keys, 0, 4), PrecisionError,
                        "ask for fewer iterations, or take a set of a larger scale");
      NTTF_CHECK_THROWS(bootstrapper.bootstrap(party.evaluator, x, keys, 0, 9), ParameterError,
                        "iterations = 9 is out of range [1, 8]");
    }
  }
}

NTTF_TEST("bootstrap: the sets are 128-bit secure and have the levels that they say") {
  struct Case {
    const char* name;
    unsigned bits;
    std::size_t between;
  };
  for (const Case& c :
       {Case{"boot16_40", 1745, 12}, Case{"boot16w_40", 1717, 11}, Case{"boot16w_45", 1687, 8},
        Case{"boot16w_54", 1717, 8}, Case{"boot16w_fast", 1568, 9}, Case{"boot16_45", 1721, 11},
        Case{"boot16_51", 1745, 10}, Case{"boot15_31", 838, 4}, Case{"boot15w_30", 865, 3}}) {
    const BootstrapSet set = bootstrap_preset(c.name);
    NTTF_CHECK_EQ(set.parameters.modulus_bits(), c.bits);
    NTTF_CHECK_EQ(set.parameters.security_verdict().bits, 128u);
    const Bootstrap& o = set.options;
    const std::size_t taken =
        o.to_slots.size() + o.to_coefficients.size() + 1 + chebyshev_depth(o.degree / 2) + o.double_angles;
    NTTF_CHECK_EQ(set.parameters.depth() - taken, c.between);
  }
  NTTF_CHECK_THROWS(bootstrap_preset("boot16_40", 17), ParameterError, "log_n = 17 is out of range [7, 16]");
}

}  // namespace
}  // namespace nttforge::ckks::testing
