// SPDX-License-Identifier: Apache-2.0
// Bootstraps of BFV and BGV, on a CPU or a card: budget that is said and that is left, keys, times. Verifies
// every coefficient first, with as much noise as the full budget allows. exact_bootstrap_bench --help lists
// the options.

#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/bfv/bfv.hpp"
#include "nttforge/bgv/bgv.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/exact_bootstrap/presets.hpp"

namespace {

using namespace nttforge;
using namespace nttforge::exact_bootstrap;

struct Arguments : bench::Output {
  unsigned threads = 1, passes = 0, log_n = 0;
  std::uint64_t t = 65537;
  std::size_t batch = 1, in_a_row = 0;
  double seconds = 0.5;
  std::string device = "cpu", set = "exact16", scheme = "bfv";

  void parse(int count, char** arguments) {
    const std::vector<bench::Option> own = {
        bench::choice_option("--device", "where to compute", device, {"cpu", "cuda"}),
        bench::choice_option("--set", "a bootstrapping set", set, {"exact16", "exact16w", "exact15"}),
        bench::choice_option("--scheme", "whose ciphertexts", scheme, {"bfv", "bgv"}),
        bench::number_option("--log-n", "a smaller n than the set's (0: the set's)", log_n, 0u, 16u),
        bench::number_option("--t", "plaintext modulus", t, std::uint64_t{2}, std::uint64_t{1} << 40),
        bench::number_option("--passes", "passes of a bootstrap (0: the set's)", passes, 0u, 8u),
        bench::number_option("--batch", "ciphertexts at once", batch, std::size_t{1}, std::size_t{64}),
        bench::number_option("--count", "bootstraps in a row, each checked; nothing is timed", in_a_row,
                             std::size_t{0}, std::size_t{1} << 20),
        bench::number_option("--threads", "threads of a CPU", threads, 1u, 1024u),
        bench::number_option("--seconds", "time for each operation", seconds, 0.001, 60.0)};
    bench::parse_options(count, arguments, own + bench::Output::options());
  }
};

/// Bootstraps of x in a row: before each, products with numbers and their inverses modulo t spend what the
/// one before left. Every coefficient is compared, and the budget that is left with the one that is said.
void check_chain(const IntegerContextPtr& context, const IntegerEvaluator& evaluator,
                 const Bootstrapper& bootstrapper, const BootstrapKeys& keys, const Decryptor& decryptor,
                 Ciphertext x, std::size_t count, Json& row) {
  const CoefficientEncoder encoder(context);
  const std::vector<std::uint64_t> values = encoder.decode(decryptor.decrypt(x));
  const std::uint64_t t = context->t();
  std::mt19937_64 random(1);
  double least = HUGE_VAL, more = HUGE_VAL;
  std::size_t products = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (;;) {
      std::uint64_t factor = 1;
      while (factor == 1 || std::gcd(factor, t) != 1) factor = 1 + random() % (t - 1);
      const auto times = [&](const Ciphertext& y, std::uint64_t c) {
        return evaluator.multiply_plain(y, encoder.encode(std::vector{c}));
      };
      Ciphertext same = times(times(x, factor), Modulus(t).inverse(factor));
      if (*predicted_noise_budget_bits(same) < bootstrapper.full_budget_bits()) break;
      x = std::move(same);
      products += 2;
    }
    x = bootstrapper.bootstrap(x, keys);
    if (encoder.decode(decryptor.decrypt(x)) != values) throw Error("wrong result of a bootstrap");
    const double left = decryptor.noise_budget_bits(x);
    least = std::min(least, left);
    more = std::min(more, left - *predicted_noise_budget_bits(x));
    if (more < 0) throw Error("a bootstrap left less budget than it said");
  }
  std::printf(
      "%zu bootstraps, %zu products: every coefficient right, at least %.2f bits left, %.2f more than said\n",
      count, products, least, more);
  row.set("bootstraps", static_cast<std::uint64_t>(count));
  row.set("products", static_cast<std::uint64_t>(products));
  row.set("least_budget", least);
  row.set("least_more_than_said", more);
}

template <class Parameters, class Context, class Evaluator>
void run(const Arguments& options, const std::shared_ptr<const Device>& device, bench::Report& report) {
  const BootstrapSet set = bootstrap_preset(options.set, options.t, options.passes, options.log_n,
                                            options.scheme == "bgv" ? rlwe::Scheme::bgv : rlwe::Scheme::bfv);
  const auto context = Context::create(
      Parameters::custom(set.n, set.t, set.q, set.special, set.security, SecretDistribution::ternary,
                         ErrorDistribution::sigma_3_2, kStrictestTable, set.word_bits),
      device);
  const Bootstrapper bootstrapper(context, set.options);
  const Plan& plan = bootstrapper.plan();
  const KeyGenerator generator(context);
  const BootstrapKeys keys = bootstrapper.make_keys(generator.secret_key());
  std::vector<std::uint64_t> values(set.n * options.batch);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i * i % set.t;
  const CoefficientEncoder encoder(context);
  const Encryptor encryptor(generator.public_key());
  const Decryptor decryptor(generator.secret_key());
  const Ciphertext x = encryptor.encrypt(encoder.encode(values, options.batch));
  // As of an argument of the full budget: gains are what they are there.
  const double full = bootstrapper.full_budget_bits();
  const Ciphertext y = bootstrapper.bootstrap(x, keys, full);
  if (encoder.decode(decryptor.decrypt(y)) != values) throw Error("wrong result of a bootstrap");
  const double left = decryptor.noise_budget_bits(y), said = *predicted_noise_budget_bits(y);
  if (left < said) throw Error("a bootstrap left less budget than it said");
  const std::vector<std::pair<const char*, double>> facts = {
      {"precision_bits", -plan.error_log2()},
      {"full_budget", full},
      {"said_budget", said},
      {"measured_budget", left},
      {"usable_bits", said - full},
      {"q_bits", BigUint::product(set.q).log2()},
      {"chain_bits", static_cast<double>(bootstrapper.chain()->parameters().modulus_bits())},
      {"key_gigabytes", static_cast<double>(bootstrapper.keys_bytes()) / 1e9},
      {"rotation_keys", static_cast<double>(keys.rotations.elements().size())}};
  std::printf("%s\n", bootstrapper.chain()->parameters().describe().c_str());
  Json row = Json::object();
  row.set("scheme", options.scheme == "bfv" ? std::string("BFV") : std::string("BGV"));
  row.set("set", options.set);
  row.set("n", set.n);
  row.set("t", set.t);
  row.set("passes", static_cast<std::uint64_t>(set.options.passes));
  row.set("batch", options.batch);
  row.set("device", options.device);
  row.set("threads", static_cast<std::uint64_t>(options.threads));
  row.set("operation", std::string("bootstrap"));
  for (const auto& [name, value] : facts) row.set(name, value);
  bench::Timing timing{};
  if (options.in_a_row != 0) {
    check_chain(context, Evaluator(context), bootstrapper, keys, decryptor, y, options.in_a_row, row);
  } else {
    const std::size_t calls = options.device == "cuda" ? 10 : 1;
    timing = bench::measure_for(
        [&] {
          for (std::size_t i = 0; i < calls; ++i) bootstrapper.bootstrap(x, keys, full);
          context->queue().wait();
        },
        options.seconds);
    for (double* ns : {&timing.min_ns, &timing.median_ns, &timing.quartile_ns})
      *ns /= static_cast<double>(calls * options.batch);
    std::printf("%s of %zu passes, a ciphertext: %.2f ms (median %.2f)\n", options.set.c_str(),
                std::size_t{set.options.passes}, timing.min_ns / 1e6, timing.median_ns / 1e6);
    for (const auto& [name, value] : facts) std::printf("  %s %.2f\n", name, value);
  }
  report.add(std::move(row), timing);
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("exact_bootstrap_bench", [&] {
    Arguments options;
    options.parse(count, arguments);
    const std::shared_ptr<const Device> device = options.device == "cuda"
                                                     ? std::shared_ptr<const Device>(make_cuda_device(0))
                                                     : make_cpu_device(options.threads);
    bench::Report report = options.report();
    report.note("device", device->description());
    if (options.scheme == "bfv")
      run<bfv::Parameters, bfv::Context, bfv::Evaluator>(options, device, report);
    else
      run<bgv::Parameters, bgv::Context, bgv::Evaluator>(options, device, report);
    report.write(options.json);
  });
}
