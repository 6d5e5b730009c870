// SPDX-License-Identifier: Apache-2.0
// Whole bootstraps of small rings: every plaintext exact, budgets as predicted.

#include "nttforge/exact_bootstrap/bootstrapper.hpp"

#include <cstdio>

#include "nttforge/exact_bootstrap/testing.hpp"

namespace nttforge::exact_bootstrap::testing {
namespace {

/// Plaintexts, encoding and parts stay; the budget is what the plan says by a bound that is not far off.
template <class Scheme>
void check(const BootstrappingParty<Scheme>& party, const Ciphertext& x, const Values& values,
           std::optional<double> budget, double slack) {
  const Ciphertext y = party.bootstrapper.bootstrap(x, party.keys, budget);
  NTTF_CHECK(party.decrypt(y) == values);
  NTTF_CHECK(y.encoding() == x.encoding() && y.size() == 2 && y.batch() == x.batch());
  NTTF_CHECK(y.level() == party.context->top_level() && y.form() == party.context->form());
  const double measured = party.measured(y), said = *predicted_noise_budget_bits(y);
  const double planned = party.bootstrapper.plan()
                             .passes(budget.value_or(predicted_noise_budget_bits(x).value_or(0)))
                             .back()
                             .budget_bits;
  NTTF_CHECK(said <= planned && said > planned - 0.01);
  NTTF_CHECK(measured >= said && measured <= said + slack);
  NTTF_CHECK(proved_noise_budget_bits(y).value_or(0) <= said);
}

template <class Scheme>
void check_modulus(const char* name, std::uint64_t t, unsigned passes) {
  Rng rng;
  const BootstrappingParty<Scheme> party(bootstrap_preset(name, t, passes, 7, Scheme::kScheme));
  const Values values = random_values(rng, party.context->n(), t);
  check(party, party.encrypt(values), values, std::nullopt, 7);
  const double full = party.bootstrapper.full_budget_bits();
  check(party, party.noisy(party.encrypt(values), full, rng), values, full, 7);
}

template <class Scheme>
void check_moduli() {
  constexpr std::uint64_t kOne = 1;
  // Even, prime, neither; of 2 and 256 every prime of Q is 1 modulo t.
  for (const std::uint64_t t : {2 * kOne, 256 * kOne, 257 * kOne, 1000 * kOne, 65537 * kOne, 99999 * kOne,
                                (kOne << 20) + 7, (kOne << 30) + 3})
    for (const char* name : {"exact16", "exact16w"}) check_modulus<Scheme>(name, t, 3);
  for (const unsigned passes : {1, 2, 4})
    for (const char* name : {"exact16", "exact16w"}) check_modulus<Scheme>(name, 65537, passes);
}

NTTF_TEST("exact bootstrap: BFV, every plaintext modulus, one to four passes") { check_moduli<Bfv>(); }

NTTF_TEST("exact bootstrap: BGV, every plaintext modulus, one to four passes") { check_moduli<Bgv>(); }

NTTF_TEST("exact bootstrap: arguments with less budget than the full one give what the cube leaves") {
  Rng rng;
  const BootstrappingParty<Bfv> party(bootstrap_preset("exact16", 65537, 2, 8));
  const Values values = random_values(rng, party.context->n(), 65537);
  const double least = Bootstrapper::least_budget_bits();
  for (const double budget : {33.0, 20.3, 14.3, 10.0, 8.3, 6.0, least}) {
    const Ciphertext x = party.noisy(party.encrypt(values), budget, rng);
    NTTF_CHECK(std::abs(party.measured(x) - budget) < 0.01);
    check(party, x, values, budget, 7);
    // A pass never takes budget away.
    for (const Pass& pass : party.bootstrapper.plan().passes(budget))
      NTTF_CHECK(pass.budget_bits > budget - 3);
  }
  const Ciphertext x = party.encrypt(values);
  NTTF_CHECK_THROWS(party.bootstrapper.bootstrap(x, party.keys, least - 0.01), NoiseError,
                    "and a bootstrap needs 4.1 at least");
  NTTF_CHECK_THROWS(party.bootstrapper.bootstrap(party.noisy(x, 20, rng), party.keys), NoiseError,
                    "nothing is known of its noise");
}

NTTF_TEST("exact bootstrap: what a pass leaves is as large as its precision says") {
  constexpr std::uint64_t kT = 65537;
  constexpr std::size_t kBatch = 8;
  for (const unsigned log_n : {8u, 10u}) {
    const BootstrappingParty<Bfv> party(bootstrap_preset("exact15", kT, 1, log_n));
    const std::size_t n = party.context->n();
    // The phase of a plaintext of zeros is the noise.
    const Ciphertext y =
        party.bootstrapper.bootstrap(party.encrypt(Values(n * kBatch, 0), kBatch), party.keys);
    const RnsBase base(party.context->parameters().q);
    const std::size_t limbs = base.size();
    std::vector<std::uint64_t> words(n * kBatch * limbs), residues(limbs);
    party.context->queue().download(Phase(party.generator.secret_key()).of(y).data(), words);
    const double unit = std::log2(static_cast<double>(kT)) - base.product().log2();
    double squares = 0, largest = 0;
    for (std::size_t i = 0; i < n * kBatch; ++i) {
      for (std::size_t j = 0; j < limbs; ++j) residues[j] = words[(i / n * limbs + j) * n + i % n];
      const BigUint value = base.compose(residues);
      const double x = std::exp2(std::min(value, base.product() - value).log2() + unit);
      squares += x * x;
      largest = std::max(largest, x);
    }
    // The deviation is that of the worst I, and those of most are a third of it.
    const Precision& precision = party.bootstrapper.plan().precision();
    const double mean =
        std::sqrt(squares / static_cast<double>(n * kBatch)) / std::hypot(precision.sine, precision.entry);
    NTTF_CHECK(mean > 0.4 && mean < 0.75);
    NTTF_CHECK(std::log2(largest) < party.bootstrapper.plan().error_log2() - 2);
    NTTF_CHECK(party.measured(y) - *predicted_noise_budget_bits(y) < 6);
  }
}

NTTF_TEST("exact bootstrap: a proved bound where one pass has one, and none where it cannot") {
  Rng rng;
  for (const unsigned passes : {1, 3}) {
    const BootstrappingParty<Bgv> party(bootstrap_preset("exact16", 257, passes, 7, Scheme::bgv));
    const Values values = random_values(rng, party.context->n(), 257);
    const Ciphertext y = party.bootstrapper.bootstrap(party.encrypt(values), party.keys);
    const std::optional<double> proved = proved_noise_budget_bits(y);
    NTTF_CHECK_EQ(proved.has_value(), passes == 1);
    if (proved) NTTF_CHECK(*proved > 15 && *proved < *predicted_noise_budget_bits(y));
    NTTF_CHECK(party.decryptor.decrypt_shared(y, 20, NoiseBound::heuristic) == party.decryptor.decrypt(y));
  }
}

template <class Scheme>
void check_levels_and_batches() {
  Rng rng;
  // Three primes, of which some are dropped, and slots.
  BootstrapSet set = bootstrap_preset("exact16", 257, 3, 7);
  std::vector<std::uint64_t> taken = set.q;
  for (const auto* more : {&set.options.primes, &set.options.special})
    taken.insert(taken.end(), more->begin(), more->end());
  set.q.push_back(ntt_primes(set.n, 55, 1, taken).front());
  const BootstrappingParty<Scheme> party(set);
  const BatchEncoder encoder(party.context);
  const Values values = random_values(rng, 3 * set.n, 257);
  const Ciphertext x = party.encryptor.encrypt(encoder.encode(values, 3));
  for (std::size_t level = party.context->lowest_level(); level <= 3; ++level) {
    const Ciphertext low = party.evaluator.mod_switch_to(x, level);
    const Ciphertext y = party.bootstrapper.bootstrap(low, party.keys);
    NTTF_CHECK(y.level() == 3 && y.encoding() == Encoding::slots);
    NTTF_CHECK(encoder.decode(party.decryptor.decrypt(y)) == values);
    NTTF_CHECK(party.measured(y) >= *predicted_noise_budget_bits(y));
    // It goes together with others.
    const Ciphertext sum = party.evaluator.add(party.evaluator.mod_switch_to(y, level), low);
    Values twice = values;
    for (std::uint64_t& value : twice) value = 2 * value % 257;
    NTTF_CHECK(encoder.decode(party.decryptor.decrypt(sum)) == twice);
  }
}

NTTF_TEST("exact bootstrap: arguments of lower levels, batches, slots, a larger Q than is needed") {
  check_levels_and_batches<Bfv>();
  check_levels_and_batches<Bgv>();
}

template <class Scheme>
void check_circuit(unsigned rounds, std::uint64_t t, unsigned log_n) {
  Rng rng;
  const BootstrappingParty<Scheme> party(bootstrap_preset("exact16", t, 3, log_n, Scheme::kScheme));
  const Modulus modulus(t);
  const BatchEncoder encoder(party.context);
  const std::size_t n = party.context->n();
  Values a = random_values(rng, n, t), b = random_values(rng, n, t);
  Ciphertext x = party.encryptor.encrypt(encoder.encode(a));
  const Ciphertext y = party.encryptor.encrypt(encoder.encode(b));
  for (unsigned i = 0; i < rounds; ++i) {
    x = party.evaluator.add(party.evaluator.multiply_relinearize(x, x, party.relinearization), y);
    for (std::size_t j = 0; j < n; ++j) a[j] = modulus.add(modulus.mul(a[j], a[j]), b[j]);
    if (*predicted_noise_budget_bits(x) < 40) {
      NTTF_CHECK(party.measured(x) >= *predicted_noise_budget_bits(x));
      x = party.bootstrapper.bootstrap(x, party.keys);
      NTTF_CHECK(party.measured(x) >= *predicted_noise_budget_bits(x));
    }
    if (i % 10 == 9 || i + 1 == rounds) NTTF_CHECK(encoder.decode(party.decryptor.decrypt(x)) == a);
  }
}

NTTF_TEST("exact bootstrap: depth without end, squares and sums beside plain integers") {
  check_circuit<Bfv>(full_tests() ? 1000 : 20, 65537, 7);
  check_circuit<Bgv>(full_tests() ? 1000 : 20, 65537, 7);
  check_circuit<Bfv>(full_tests() ? 1000 : 20, 7681, 8);
}

/// Bootstraps of bootstraps: `count` ciphertexts, none of which may change.
template <class Scheme>
void check_often(std::size_t count) {
  Rng rng;
  constexpr std::size_t kBatch = 16;
  const BootstrappingParty<Scheme> party(bootstrap_preset("exact15", 257, 2, 7, Scheme::kScheme));
  const Values values = random_values(rng, kBatch * party.context->n(), 257);
  const double full = party.bootstrapper.full_budget_bits();
  Ciphertext x = party.encrypt(values, kBatch);
  double least = 1000;
  for (std::size_t i = 0; i < count; i += kBatch) {
    const Ciphertext y = party.bootstrapper.bootstrap(party.noisy(x, full, rng), party.keys, full);
    NTTF_CHECK(party.decrypt(y) == values);
    const double more = party.measured(y) - *predicted_noise_budget_bits(y);
    NTTF_CHECK(more >= 0);
    least = std::min(least, more);
    x = y;
  }
  std::printf("  %zu bootstraps: at least %.2f bits more than said\n", count, least);
}

NTTF_TEST("exact bootstrap: again and again, with as much noise as the full budget allows") {
  check_often<Bfv>(full_tests() ? 10000 : 64);
  check_often<Bgv>(full_tests() ? 10000 : 64);
}

}  // namespace
}  // namespace nttforge::exact_bootstrap::testing
