// SPDX-License-Identifier: Apache-2.0
// What a bootstrap of CKKS takes at least on one thread: its operations, counted by a device that computes
// nothing, each at the rate of its kernel, measured alone at the set's highest level. Moves and what waits
// between kernels are not in it. docs/bounds/ckks_bootstrap.md compares it with what is measured.

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/ckks_message.hpp"
#include "bench/counting_device.hpp"
#include "bench/measure.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/ckks/bootstrap/presets.hpp"
#include "nttforge/ckks/ckks.hpp"
#include "nttforge/device/make_device.hpp"

namespace {

using namespace nttforge;
using namespace nttforge::ckks;

struct Options : bench::Output {
  double seconds = 0.3;
  std::string set = "boot16w_40";

  void parse(int count, char** arguments) {
    const std::vector<bench::Option> own = {
        bench::number_option("--seconds", "time for each kernel", seconds, 0.001, 60.0),
        bench::choice_option("--set", "a bootstrapping set", set, bootstrap_set_names())};
    bench::parse_options(count, arguments, own + bench::Output::options());
  }
};

/// The work of one bootstrap.
bench::Work counted(const BootstrapSet& set, bool real) {
  const auto device = std::make_shared<bench::CountingDevice>();
  const ContextPtr context = Context::create(set.parameters, device);
  const KeyGenerator generator(context);
  const ckks::Evaluator evaluator(context);
  const Bootstrapper bootstrapper(context, set.options);
  const BootstrapKeys keys = bootstrapper.make_keys(generator);
  const Plaintext plain(context, bench::uniform_numbers(context->slots()), {.real = real});
  const Ciphertext low =
      evaluator.mod_switch_to(Encryptor(generator.public_key()).encrypt(plain), bootstrapper.input_level());
  device->work = {};
  const Ciphertext fresh = bootstrapper.bootstrap(evaluator, low, keys);
  return device->work;
}

/// Seconds of one of each kind of work.
struct Rates {
  std::array<double, bench::kPrimeClasses.size()> forward{}, inverse{};
  double conversion_product = 0, key_product = 0, factor_product = 0, pointwise = 0;
};

/// Processor time of the fastest call: other work on the machine does not count.
double thread_seconds(double at_least, const std::function<void()>& body) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  };
  body();  // warm-up
  double least = 1e9, all = 0;
  for (int run = 0; run < 5 || all < at_least; ++run) {
    const double start = now();
    body();
    const double took = now() - start;
    least = std::min(least, took);
    all += took;
  }
  return least;
}

/// The kernels of a set, on one thread of this machine.
class Kernels {
 public:
  Kernels(const BootstrapSet& set, double seconds)
      : seconds_(seconds),
        context_(Context::create(set.parameters, make_cpu_device(1))),
        level_(context_->key_switching(context_->top_level())) {}

  Rates rates() const {
    Rates rates;
    for (std::size_t c = 0; c < bench::kPrimeClasses.size(); ++c) time_transforms(c, rates);
    const std::size_t digits = level_.digits.size(), n = keys().n();
    DeviceArray a = zeros(digits), b = zeros(digits);
    const StepTables& step = *level_.digits.front();
    rates.conversion_product = time([&] { queue().apply(step, a.data(), nullptr, b.data(), 1); }) /
                               double(step.sources() * step.targets() * n);
    rates.pointwise =
        time([&] { queue().multiply(keys(), a.data(), b.data(), b.data(), 1); }) / double(keys().words());
    time_maps(rates);
    return rates;
  }

 private:
  const Queue& queue() const { return context_->queue(); }
  const RingTables& keys() const { return *level_.key_ring; }
  double time(const std::function<void()>& body) const { return thread_seconds(seconds_, body); }
  DeviceArray zeros(const RingTables& ring, std::size_t polynomials) const {
    DeviceArray words = queue().allocate(ring, polynomials);
    queue().fill_zero(words.data(), words.size());
    return words;
  }
  DeviceArray zeros(std::size_t polynomials) const { return zeros(keys(), polynomials); }

  /// Another row and other roots each time, as in a circuit.
  void time_transforms(std::size_t of_class, Rates& rates) const {
    NttSpec spec = keys().spec();
    spec.moduli.clear(), spec.roots.clear();
    for (std::size_t j = 0; j < keys().limbs(); ++j) {
      if (bench::class_of(keys().spec().moduli[j]) != of_class) continue;
      spec.moduli.push_back(keys().spec().moduli[j]);
      spec.roots.push_back(keys().spec().roots[j]);
    }
    if (spec.moduli.empty()) return;
    const auto ring = context_->device().make_ring(spec);
    DeviceArray x = zeros(*ring, 1);
    rates.forward[of_class] = time([&] { queue().forward(*ring, x.data(), 1); }) / double(ring->limbs());
    rates.inverse[of_class] = time([&] { queue().inverse(*ring, x.data(), 1); }) / double(ring->limbs());
  }

  /// A map of kImages images with keys of their own, once with one sum and once with several: what the others
  /// take is products with factors, the rest products with keys.
  void time_maps(Rates& rates) const {
    constexpr std::size_t kImages = 8, kGroups = 5;
    const std::size_t count = level_.digits.size(), n = keys().n(), words = keys().words();
    const auto index = automorphism_index(n, 5);
    const auto permutation = context_->device().make_permutation(index);
    std::vector<DeviceArray> key;
    for (std::size_t i = 0; i < kImages; ++i) key.push_back(zeros(2 * count));
    const DeviceArray digits = zeros(count), parts = zeros(2), factors = zeros(kGroups * kImages);
    DeviceArray out = zeros(2 * kGroups);
    const auto image = [&](std::size_t i) {
      SwitchedImage x;
      x.image = permutation;
      x.key = {std::as_const(key[i]).data(), keys().limbs(), keys().limbs() - level_.ring->limbs(), 0};
      return x;
    };
    const auto seconds = [&](std::size_t groups) {
      const MapFactors map{factors.data(), groups, kImages, 1};
      return time([&] {
        queue().sums_of_images(level_, digits.data(), {parts.data(), 0}, map, image, out.data(), 1);
      });
    };
    const double one = seconds(1), several = seconds(kGroups);
    const double group = (several - one) / double(kGroups - 1), products = 2.0 * double(kImages * words);
    rates.factor_product = group / products;
    rates.key_product = (one - group) / (products * double(count));
  }

  double seconds_;
  ContextPtr context_;
  const SwitchTables& level_;
};

void report_floor(const Options& options, bench::Report& report, const Rates& rates, const bench::Work& work,
                  bool real) {
  const char* const what = real ? "real" : "complex";
  std::printf("\n%s, %s numbers\n%-34s %14s %12s %9s\n", options.set.c_str(), what, "", "count", "ns each",
              "s");
  Json row = Json::object();
  row.set("scheme", "CKKS");
  row.set("set", options.set);
  row.set("numbers", what);
  double all = 0;
  const auto line = [&](const std::string& name, double count, double each) {
    if (count == 0) return;
    all += count * each;
    std::printf("%-34s %14.5g %12.4g %9.3f\n", name.c_str(), count, each * 1e9, count * each);
    Json part = Json::object();
    part.set("count", count);
    part.set("ns_each", each * 1e9);
    row.set(name, part);
  };
  for (std::size_t c = 0; c < bench::kPrimeClasses.size(); ++c) {
    const std::string bits = std::string(", primes ") + bench::kPrimeClasses[c];
    line("forward transforms" + bits, work.forward[c], rates.forward[c]);
    line("inverse transforms" + bits, work.inverse[c], rates.inverse[c]);
  }
  line("products of conversions", work.conversion_products, rates.conversion_product);
  line("products with keys", work.key_products, rates.key_product);
  line("products with factors of maps", work.factor_products, rates.factor_product);
  line("other words", work.pointwise, rates.pointwise);
  std::printf("%-34s %14s %12s %9.3f\n%.2f GB of keys and %.2f GB of factors are read, %.3g words moved\n",
              "together", "", "", all, work.key_bytes / 1e9, work.factor_bytes / 1e9, work.moved);
  row.set("floor_seconds", all);
  row.set("key_bytes", work.key_bytes);
  row.set("factor_bytes", work.factor_bytes);
  row.set("words_moved", work.moved);
  report.add(std::move(row));
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("ckks_floor_bench", [&] {
    Options options;
    options.parse(count, arguments);
    const BootstrapSet set = bootstrap_preset(options.set);
    bench::Report report = options.report();
    report.note("device", make_cpu_device(1)->description());
    const Rates rates = Kernels(set, options.seconds).rates();
    for (const bool real : {false, true}) report_floor(options, report, rates, counted(set, real), real);
    report.write(options.json);
  });
}
