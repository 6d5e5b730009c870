// SPDX-License-Identifier: Apache-2.0
// What is refused, at the limits: the size of Q and of its first prime, the range, keys, parts.

#include "nttforge/exact_bootstrap/testing.hpp"

namespace nttforge::exact_bootstrap::testing {
namespace {

BootstrapSet small_set() { return bootstrap_preset("exact16", 65537, 3, 7); }

Plan plan_of(const BootstrapSet& set) { return Plan(parameters_of<Bfv>(set), set.t, set.options); }

/// Sizes of primes in turn: those that are too small are refused with `text`, from one on all are taken. The
/// first two of these bootstrap as they say.
template <class Sized>
void check_limit(const Sized& sized, unsigned first, unsigned last, const char* text) {
  Rng rng;
  unsigned refused = 0, taken = 0;
  for (unsigned bits = first; bits <= last; ++bits) {
    const BootstrapSet set = sized(bits);
    const Plan plan = plan_of(set);
    try {
      plan.require_primes();
      if (++taken > 2) continue;
      const BootstrappingParty<Bfv> party(set);
      const Values values = random_values(rng, set.n, set.t);
      const double full = plan.ratio_bits() - 1;
      const Ciphertext y =
          party.bootstrapper.bootstrap(party.noisy(party.encrypt(values), full, rng), party.keys, full);
      NTTF_CHECK(party.decrypt(y) == values);
      NTTF_CHECK(party.measured(y) >= *predicted_noise_budget_bits(y));
    } catch (const ParameterError& error) {
      ++refused;
      NTTF_CHECK_EQ(taken, 0u);
      NTTF_CHECK(std::string_view(error.what()).find(text) != std::string_view::npos);
    }
  }
  NTTF_CHECK(refused > 0 && taken > 0);
}

NTTF_TEST("exact bootstrap: Q and its first prime, from what is too small to what is not") {
  const BootstrapSet set = small_set();
  std::vector<std::uint64_t> others = set.options.primes;
  others.insert(others.end(), set.options.special.begin(), set.options.special.end());
  const auto of_size = [&](unsigned first, unsigned second) {
    BootstrapSet result = set;
    result.q = ntt_primes(set.n, first, 1, others);
    std::vector<std::uint64_t> all = others;
    all.push_back(result.q[0]);
    result.q.push_back(ntt_primes(set.n, second, 1, all).front());
    return result;
  };
  check_limit([&](unsigned bits) { return of_size(60, bits); }, 40, 60,
              "is too small for t = 65537 and 3 passes: need");
  BootstrapSet wide = set;
  check_limit(
      [&](unsigned bits) {
        wide.q = of_size(bits, 61).q;
        std::vector<std::uint64_t> all = others;
        all.insert(all.end(), wide.q.begin(), wide.q.end());
        wide.q.push_back(ntt_primes(set.n, 60, 1, all).front());
        return wide;
      },
      38, 52, "its rounding would be a large part of the error: need");
}

NTTF_TEST("exact bootstrap: the range at the limit of the ephemeral secret's weight") {
  BootstrapSet set = small_set();
  // 14 is the last that is refused; at 15 an I of 16 alone is beyond it, all signs alike.
  for (const unsigned range : {13u, 14u}) {
    set.options.range = range;
    NTTF_CHECK_THROWS(plan_of(set), ParameterError, "one bootstrap in 2^");
  }
  Rng rng;
  double before = 0;
  for (const unsigned range : {15u, 16u, 17u, 18u}) {
    set.options.range = range;
    const Plan plan = plan_of(set);
    NTTF_CHECK(plan.failure_log2() <= -128);
    const BootstrappingParty<Bfv> party(set);
    const Values values = random_values(rng, set.n, set.t);
    const Ciphertext y = party.bootstrapper.bootstrap(party.encrypt(values), party.keys);
    NTTF_CHECK(party.decrypt(y) == values && party.measured(y) >= *predicted_noise_budget_bits(y));
    // |I| = 16 is beyond the interval of a range of 16, where the polynomial grows.
    if (range == 17) NTTF_CHECK(plan.error_log2() < before - 0.5);
    before = plan.error_log2();
  }
  set.options.range = 17;
  set.options.weight = 64;
  NTTF_CHECK_THROWS(plan_of(set), ParameterError, "with an ephemeral secret of weight 64");
}

NTTF_TEST("exact bootstrap: the ratio of an argument at the least one, and where all is gained") {
  const Plan plan = plan_of(small_set());
  const double least = Plan::kLeastRatio - 1, full = plan.ratio_bits() - 1;
  NTTF_CHECK_THROWS(plan.passes(std::nextafter(least, 0)), NoiseError, "and a bootstrap needs 4.1 at least");
  NTTF_CHECK_THROWS(plan.passes(std::nan("")), NoiseError, "bootstrap earlier");
  NTTF_CHECK(plan.passes(least).back().budget_bits > least);
  const double all = plan.passes(full).back().budget_bits;
  NTTF_CHECK(plan.passes(full - 1).back().budget_bits < all - 0.5);
  NTTF_CHECK(plan.passes(full + 1).back().budget_bits >= all);
  NTTF_CHECK(plan.passes(full + 1).back().budget_bits < all + 1);
}

NTTF_TEST("exact bootstrap: options out of range name what is needed") {
  const auto refused = [](const auto& change, const char* text) {
    BootstrapSet set = small_set();
    change(set);
    NTTF_CHECK_THROWS(plan_of(set), ParameterError, text);
  };
  refused([](BootstrapSet& set) { set.options.passes = 0; }, "passes = 0 is out of range [1, 8]");
  refused([](BootstrapSet& set) { set.options.passes = 9; }, "passes = 9 is out of range [1, 8]");
  refused([](BootstrapSet& set) { set.options.degree = 61; }, "degree = 61 must be even and in [4, 254]");
  refused([](BootstrapSet& set) { set.options.double_angles = 9; }, "double_angles = 9 is out of range");
  refused([](BootstrapSet& set) { set.options.weight = 0; }, "weight = 0 is out of range");
  refused([](BootstrapSet& set) { set.options.range = 1; }, "range = 1 is out of range");
  refused([](BootstrapSet& set) { set.options.primes.pop_back(); }, "primes has 14, and 3 and 4 matrices");
  refused(
      [](BootstrapSet& set) {
        set.q.pop_back();
        set.t = 2;
      },
      "q has 1 prime, and a bootstrap needs 2 at least");
  refused([](BootstrapSet& set) { set.options.to_slots = {3, 2}; }, "matrices");
  NTTF_CHECK_THROWS(bootstrap_preset("exact", 2), ParameterError,
                    "no bootstrapping set: exact16, exact16w, exact15");
  NTTF_CHECK_THROWS(bootstrap_preset("exact16", 1), ParameterError, "t = 1 must be 2 at least");
  NTTF_CHECK_THROWS(bootstrap_preset("exact15", 2, 3, 16), ParameterError,
                    "log_n = 16 is out of range [7, 15]");
  const auto context = bfv::Context::create(
      bfv::Parameters::preset(8192, 65537, SecurityLevel::classical128, kStrictestTable, 32),
      make_cpu_device(1));
  NTTF_CHECK_THROWS(Bootstrapper(context, {}), ParameterError, "take 30");
  const auto narrow = [](std::size_t primes) {
    BootstrapSet set = bootstrap_preset("exact16w", 257, 3, 7);
    set.q.resize(primes);
    return set;
  };
  NTTF_CHECK_THROWS(plan_of(narrow(2)), ParameterError,
                    "q has 2 primes, and a bootstrap needs 3 at least: its circuit begins at the first two");
  NTTF_CHECK_THROWS(plan_of(narrow(3)).require_primes(), ParameterError, "log2 Q = ");
  // A secure ring whose chain would not be.
  BootstrapSet set = bootstrap_preset("exact15", 257, 3, 13);
  set.security = SecurityLevel::classical128;
  NTTF_CHECK_THROWS(plan_of(set), ParameterError, "128-bit");
}

NTTF_TEST("exact bootstrap: arguments and keys of another context, three parts") {
  Rng rng;
  const BootstrappingParty<Bfv> party(small_set());
  const BootstrappingParty<Bfv> other(bootstrap_preset("exact16", 257, 3, 7));
  const BootstrappingParty<Bgv> scheme(small_set());
  const Values values = random_values(rng, party.context->n(), 257);
  const Ciphertext x = party.encrypt(values);
  const Bootstrapper& bootstrapper = party.bootstrapper;
  NTTF_CHECK_THROWS(bootstrapper.bootstrap(x, other.keys), ContextError, "of another context");
  NTTF_CHECK_THROWS(bootstrapper.bootstrap(x, scheme.keys), ContextError, "of another context");
  NTTF_CHECK_THROWS(bootstrapper.bootstrap(other.encrypt(values), party.keys), ContextError,
                    "a belongs to another context");
  NTTF_CHECK_THROWS(bootstrapper.bootstrap(party.evaluator.multiply(x, x), party.keys), ParameterError,
                    "relinearize");
  NTTF_CHECK_THROWS(bootstrapper.make_keys(other.generator.secret_key()), ContextError, "secret key");
  NTTF_CHECK_THROWS(Bootstrapper(nullptr, {}), ContextError, "context is null");
  // Keys of a chain with fewer special primes.
  BootstrapSet set = small_set();
  set.options.special.resize(8);
  set.options.digit_primes = 7;
  set.options.passes = 2;
  NTTF_CHECK_THROWS(Bootstrapper(party.context, set.options).bootstrap(x, party.keys), ContextError,
                    "bootstrap keys");
}

NTTF_TEST("exact bootstrap: the named sets are as secure as they say, and gain what they say") {
  struct Case {
    const char* name;
    std::uint64_t t;
    unsigned bits;
    double budget, usable;
  };
  for (const Case& c : {Case{"exact16", 65537, 1578, 69, 57}, Case{"exact16", (1u << 30) + 3, 1600, 69, 57},
                        Case{"exact16w", 65537, 1545, 66, 55}, Case{"exact16w", (1u << 30) + 3, 1558, 66, 55},
                        Case{"exact15", 257, 868, 50, 43}, Case{"exact15", 65537, 868, 50, 43}}) {
    // BGV's has as many bits in other primes.
    const BootstrapSet fine = bootstrap_preset(c.name, c.t, 0, 0, Scheme::bgv);
    const Plan of_fine(parameters_of<Bgv>(fine), fine.t, fine.options);
    of_fine.require_primes();
    NTTF_CHECK(of_fine.chain().modulus_bits() <= c.bits);
    NTTF_CHECK(of_fine.passes(20).back().budget_bits >= c.budget - 1);
    const BootstrapSet set = bootstrap_preset(c.name, c.t);
    const Plan plan = plan_of(set);
    const ckks::Parameters chain = plan.chain();
    NTTF_CHECK(chain.security == SecurityLevel::classical128 && chain.modulus_bits() <= c.bits);
    const double full = plan.ratio_bits() - 1, budget = plan.passes(full).back().budget_bits;
    std::printf("  %s, t = %llu: %u bits, budget %.1f, from %.1f\n", c.name,
                static_cast<unsigned long long>(c.t), chain.modulus_bits(), budget, full);
    NTTF_CHECK(budget >= c.budget && budget - full >= c.usable);
    NTTF_CHECK(plan.failure_log2() < -128);
  }
}

/// Bits that the noise models leave after a bootstrap and a product, and what the next bootstrap wants.
template <class Scheme, class Model>
std::pair<double, double> after_product(const BootstrapSet& set) {
  const auto parameters = parameters_of<Scheme>(set);
  const Plan plan(parameters, set.t, set.options);
  const Model model(parameters);
  const double full = plan.ratio_bits() - 1, root = std::log2(static_cast<double>(set.n)) / 2;
  const double scale = Scheme::kScheme == rlwe::Scheme::bfv ? std::log2(static_cast<double>(set.t)) : 0;
  const double coefficient =
      BigUint::product(set.q).log2() - 1 - plan.passes(full).back().budget_bits - scale;
  std::size_t level = set.q.size();
  const Noise noise{coefficient, coefficient + root - 3, 1};
  if constexpr (Scheme::kScheme == rlwe::Scheme::bfv) {
    return {model.budget_bits(model.key_switch(model.multiply(noise, noise), level), level), full};
  } else {
    const auto at = model.product_level(noise, level, noise, level);
    return {model.budget_bits(model.key_switch(model.multiply(at.a, at.b), at.level), at.level), full};
  }
}

NTTF_TEST("exact bootstrap: the named sets have room for a product between two bootstraps") {
  for (const char* name : {"exact16", "exact16w", "exact15"})
    for (const std::uint64_t t : {257, 65537}) {
      const auto [bfv, full] = after_product<Bfv, bfv::NoiseModel>(bootstrap_preset(name, t));
      NTTF_CHECK(bfv > full);
      // BGV's products want more at n = 2^15.
      if (name == std::string_view("exact15") && t == 65537) continue;
      const auto [bgv, full_bgv] =
          after_product<Bgv, bgv::NoiseModel>(bootstrap_preset(name, t, 0, 0, rlwe::Scheme::bgv));
      NTTF_CHECK(bgv > full_bgv);
    }
}

}  // namespace
}  // namespace nttforge::exact_bootstrap::testing
