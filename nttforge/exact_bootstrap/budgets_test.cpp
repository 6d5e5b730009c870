// SPDX-License-Identifier: Apache-2.0
// Laws of budgets, against what is measured: the cube of small ratios, the gains of passes, the price of a
// product after them.

#include <cstdio>
#include <numbers>

#include "nttforge/exact_bootstrap/testing.hpp"

namespace nttforge::exact_bootstrap::testing {
namespace {

template <class Scheme>
void check_cube() {
  Rng rng;
  constexpr std::uint64_t kT = 65537;
  const BootstrappingParty<Scheme> party(bootstrap_preset("exact16", kT, 1, 8, Scheme::kScheme));
  const Values values = random_values(rng, party.context->n(), kT);
  const double cubic = std::log2(std::pow(2 * std::numbers::pi, 2) / 6);
  for (const double ratio : {13.0, 10.0, 8.0, 6.0, Plan::kLeastRatio}) {
    const Ciphertext x = party.noisy(party.encrypt(values), ratio - 1, rng);
    const Ciphertext y = party.bootstrapper.bootstrap(x, party.keys, ratio - 1);
    NTTF_CHECK(party.decrypt(y) == values);
    NTTF_CHECK(std::abs(party.measured(y) - (3 * ratio - cubic - 1)) < 0.1);
  }
}

NTTF_TEST("exact bootstrap: of ratios where the sine's curvature rules, a pass leaves the cube") {
  check_cube<Bfv>();
  check_cube<Bgv>();
}

NTTF_TEST("exact bootstrap: each pass adds its gain, to what one pass leaves and to what is measured") {
  Rng rng;
  constexpr std::uint64_t kT = 65537;
  constexpr std::size_t kBatch = 4, kKeys = 6;  // the largest error depends on the secret: a mean over some
  double of_one = 0;
  for (const unsigned passes : {1u, 2u, 3u, 4u}) {
    const BootstrapSet set = bootstrap_preset("exact16", kT, passes, 7);
    double planned = 0, left = 0;
    unsigned gain = 0;
    for (std::size_t key = 0; key < kKeys; ++key) {
      const BootstrappingParty<Bfv> party(set);
      const Plan& plan = party.bootstrapper.plan();
      const double precision = -plan.error_log2(), ratio = plan.ratio_bits(), more = passes - 1;
      // P + (k - 1) (P - r) - 1, less the cube, a quarter, and what gains are rounded down by.
      constexpr double kCube = 0.33;
      const double formula = precision + more * (precision - ratio) - 1;
      planned = plan.passes(ratio - 1).back().budget_bits;
      gain = plan.last_gain_log2();
      NTTF_CHECK(planned < formula && planned > formula - passes * kCube - more);
      const Values values = random_values(rng, party.context->n() * kBatch, kT);
      const Ciphertext y = party.bootstrapper.bootstrap(party.encrypt(values, kBatch), party.keys);
      NTTF_CHECK(party.decrypt(y) == values);
      left += (party.measured(y) - gain) / kKeys;
    }
    std::printf("  %u passes: planned %.2f, measured %.2f above the last gain of %u\n", passes, planned, left,
                gain);
    if (passes == 1)
      of_one = left;
    else
      NTTF_CHECK(std::abs(left - of_one) < 1);
  }
}

NTTF_TEST("exact bootstrap: a product after a bootstrap costs what products of fresh ciphertexts do") {
  Rng rng;
  constexpr std::size_t kCiphertexts = 8;  // the largest error of one varies by a bit: a mean over some
  for (const std::uint64_t t : {std::uint64_t{257}, std::uint64_t{65537}})
    for (const unsigned log_n : {7u, 9u}) {
      const BootstrappingParty<Bfv> party(bootstrap_preset("exact16", t, 3, log_n));
      const auto n = static_cast<double>(party.context->n());
      double costs[2] = {0, 0};
      for (std::size_t c = 0; c < kCiphertexts; ++c) {
        const Values values = random_values(rng, party.context->n(), t);
        Ciphertext x = party.bootstrapper.bootstrap(party.encrypt(values), party.keys);
        double before = party.measured(x);
        for (double& cost : costs) {
          x = party.evaluator.multiply_relinearize(x, x, party.relinearization);
          const double after = party.measured(x);
          cost += (before - after) / kCiphertexts;
          before = after;
        }
      }
      const double expected = std::log2(2 * double(t) * std::sqrt(n * n / 18));
      std::printf("  t %llu, n %zu: %.2f and %.2f bits, expected %.2f\n", static_cast<unsigned long long>(t),
                  party.context->n(), costs[0], costs[1], expected);
      for (const double cost : costs) NTTF_CHECK(std::abs(cost - expected) < 1.2);
    }
}

}  // namespace
}  // namespace nttforge::exact_bootstrap::testing
