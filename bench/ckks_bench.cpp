// SPDX-License-Identifier: Apache-2.0
// CKKS on the presets, and bootstraps of named sets, on a CPU or a card. Verifies first, then times: minimum
// and median of repeated calls; on a card ten calls and what they wait for. ckks_bench --help lists the
// options.

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/ckks_message.hpp"
#include "bench/measure.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/ckks/bootstrap/presets.hpp"
#include "nttforge/ckks/ckks.hpp"
#include "nttforge/ckks/polynomial.hpp"
#include "nttforge/cuda/runtime/runtime.hpp"
#include "nttforge/device/make_device.hpp"

namespace {

using namespace nttforge;
using namespace nttforge::ckks;
using Values = bench::Numbers;
using bench::message;

struct Options : bench::Output {
  unsigned threads = 1, word_bits = 64;
  double seconds = 0.5;
  std::size_t only = 0, iterations = 1;
  std::string device = "cpu", bootstrap = "none", profile = "no";

  void parse(int count, char** arguments) {
    std::vector<std::string> sets = bootstrap_set_names();
    sets.insert(sets.begin(), {"none", "all"});
    const std::vector<bench::Option> own = {
        bench::choice_option("--device", "where to compute", device, {"cpu", "cuda", "cuda:host"}),
        bench::choice_option("--profile", "print what launches of each operation take", profile,
                             {"no", "yes"}),
        bench::number_option("--threads", "threads of a CPU", threads, 1u, 1024u),
        bench::number_option("--word-bits", "words of the presets, 32 or 64", word_bits, 32u, 64u),
        bench::number_option("--seconds", "time for each operation", seconds, 0.001, 60.0),
        bench::number_option("--only", "sets of this n only (0: all, 1: none)", only, std::size_t{0},
                             std::size_t{1} << 17),
        bench::choice_option("--bootstrap", "a bootstrapping set", bootstrap, sets),
        bench::number_option("--iterations", "of each bootstrap", iterations, std::size_t{1},
                             std::size_t{4})};
    bench::parse_options(count, arguments, own + bench::Output::options());
  }
};

double log2_of_error(const Values& found, const Values& expected) {
  double largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    largest = std::max(largest, std::abs(found[i] - expected[i]));
  return std::log2(largest);
}

/// Times operations of one set.
class Bench {
 public:
  Bench(const Options& options, bench::Report& report, ContextPtr context, std::string set)
      : options_(options), report_(report), context_(std::move(context)), set_(std::move(set)) {
    std::printf("\n%s: %s\n", set_.c_str(), context_->parameters().describe().c_str());
  }

  /// Launches of a GPU one by one, with a wait after each, by what they do.
  void profile(const std::function<void()>& body) {
    using Clock = std::chrono::steady_clock;
    struct Entry {
      std::size_t launches = 0;
      double us = 0;
    };
    std::map<std::string, Entry> entries;
    const Queue& queue = context_->queue();
    cuda::CudaRuntime& runtime = options_.device == "cuda" ? cuda::machine_runtime() : cuda::host_runtime();
    queue.wait();
    Clock::time_point last = Clock::now();
    runtime.after_launch = [&](const char* what) {
      queue.wait();
      const Clock::time_point now = Clock::now();
      Entry& entry = entries[what];
      ++entry.launches;
      entry.us += std::chrono::duration<double, std::micro>(now - last).count();
      last = Clock::now();
    };
    body();
    runtime.after_launch = nullptr;
    std::vector<std::pair<std::string, Entry>> sorted(entries.begin(), entries.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.second.us > b.second.us; });
    for (const auto& [what, entry] : sorted)
      std::printf("    %5zu %10.1f us  %s\n", entry.launches, entry.us, what.c_str());
  }

  /// `facts` are written beside the times. `warm`: the body has just been run.
  void time(const std::string& operation, const std::function<void()>& body,
            const std::vector<std::pair<const char*, double>>& facts = {}, bool warm = false) {
    const std::size_t calls = options_.device == "cuda" ? 10 : 1;
    bench::Timing timing = bench::measure_for(
        [&] {
          for (std::size_t i = 0; i < calls; ++i) body();
          context_->queue().wait();
        },
        options_.seconds, warm);
    for (double* ns : {&timing.min_ns, &timing.median_ns, &timing.quartile_ns})
      *ns /= static_cast<double>(calls);
    std::printf("  %-34s %12.1f us  (median %.1f)\n", operation.c_str(), timing.min_ns / 1e3,
                timing.median_ns / 1e3);
    for (const auto& [name, value] : facts) std::printf("    %s %.2f\n", name, value);
    if (options_.profile == "yes" && options_.device != "cpu") profile(body);
    std::fflush(stdout);
    Json row = Json::object();
    row.set("scheme", std::string("CKKS"));
    row.set("set", set_);
    row.set("n", context_->n());
    row.set("word_bits", static_cast<std::uint64_t>(context_->parameters().word_bits));
    row.set("device", options_.device);
    row.set("threads", static_cast<std::uint64_t>(options_.threads));
    row.set("operation", operation);
    for (const auto& [name, value] : facts) row.set(name, value);
    report_.add(std::move(row), timing);
  }

 private:
  const Options& options_;
  bench::Report& report_;
  ContextPtr context_;
  std::string set_;
};

/// log2 of the modulus of a level.
double modulus_bits(const Context& context, std::size_t level) {
  double bits = 0;
  for (const std::uint64_t q : context.ring_q(level).spec().moduli) bits += std::log2(static_cast<double>(q));
  return bits;
}

void require_error(double error, double said, const char* what) {
  if (!(error <= said)) throw Error(std::string("wrong result of ") + what);
}

void run(const Parameters& parameters, const std::string& name, const std::shared_ptr<const Device>& device,
         const Options& options, bench::Report& report) {
  const ContextPtr context = Context::create(parameters, device);
  const KeyGenerator generator(context);
  const RelinearizationKey key = generator.relinearization_key();
  const Encryptor encryptor(generator.public_key());
  const Decryptor decryptor(generator.secret_key());
  const ckks::Evaluator evaluator(context);
  const std::size_t slots = context->slots();
  const Values a = message(slots);
  Diagonals matrix{128, {}};
  for (std::size_t d = 0; d < 128; ++d) matrix.of_step[d] = Values(128, {1.0 / 128, 0});
  const LinearTransform map(context, matrix, context->top_level(), steps_of(matrix));
  std::vector<std::int64_t> steps, needed = map.rotations();
  for (std::int64_t i = 1; i <= 8; ++i) steps.push_back(i);
  needed.insert(needed.end(), steps.begin(), steps.end());
  const RotationKeys rotations = generator.rotation_keys(needed);
  const Plaintext plain(context, a, {});
  const Plaintext values = plain.in(Form::values);
  const Ciphertext x = encryptor.encrypt(plain);
  const Ciphertext product = evaluator.multiply_relinearize(x, x, key);
  Values square = a;
  for (auto& value : square) value *= value;
  require_error(log2_of_error(decryptor.decrypt(product), square), error_log2(product), "a product");
  const Ciphertext three = evaluator.multiply(x, x), low = evaluator.mod_switch_to(x, 1),
                   small = encryptor.encrypt(Plaintext(context, message(128), {.slots = 128}));
  Bench bench(options, report, context, name);
  bench.time("encode", [&] { Plaintext(context, a, {.form = Form::values}); });
  const Queue& queue = context->queue();
  DeviceArray there = queue.allocate(2 * slots, 64);
  std::vector<std::uint64_t> words;
  for (const auto& value : a)
    for (const double part : {value.real(), value.imag()})
      words.push_back(std::bit_cast<std::uint64_t>(part));
  queue.upload(words, there.data());
  bench.time("encode what is on the device",
             [&] { Plaintext(context, NumberRows{there.data(), slots, 2}, {.form = Form::values}); });
  bench.time("encrypt (public key)", [&] { encryptor.encrypt(plain); });
  bench.time("decrypt and decode, lowest level", [&] { decryptor.decrypt(low); });
  bench.time("decrypt and decode to the device", [&] { decryptor.decrypt(low, there.data()); });
  bench.time("relinearization key", [&] { generator.relinearization_key(); });
  bench.time("add", [&] { evaluator.add(x, x); });
  bench.time("multiply plain and rescale", [&] { evaluator.multiply_plain(x, values); });
  bench.time("multiply, relinearize, rescale", [&] { evaluator.multiply_relinearize(x, x, key); });
  bench.time("multiply", [&] { evaluator.multiply(x, x); });
  bench.time("relinearize", [&] { evaluator.relinearize(three, key); });
  bench.time("rescale", [&] { evaluator.rescale(three); });
  bench.time("rotate", [&] { evaluator.rotate_rows(x, 1, rotations); });
  bench.time("8 rotations, hoisted", [&] { evaluator.rotate_many(x, steps, rotations); });
  bench.time("matrix 128 x 128", [&] { map.apply(evaluator, small, rotations); });
  if (parameters.depth() >= 5) {
    std::vector<double> c(32);
    for (std::size_t k = 0; k < c.size(); ++k) c[k] = 1.0 / static_cast<double>(1 + k * k);
    const Ciphertext real = encryptor.encrypt(Plaintext(context, Values(slots, {0.4, 0}), {.real = true}));
    bench.time("Chebyshev polynomial of degree 31", [&] { evaluate_chebyshev(evaluator, real, c, key); });
  }
}

void run_bootstrap(const std::string& name, const std::shared_ptr<const Device>& device,
                   const Options& options, bench::Report& report) {
  const BootstrapSet set = bootstrap_preset(name);
  const ContextPtr context = Context::create(set.parameters, device);
  Bench bench(options, report, context, name);
  const KeyGenerator generator(context);
  const ckks::Evaluator evaluator(context);
  const Encryptor encryptor(generator.public_key());
  const Decryptor decryptor(generator.secret_key());
  const Bootstrapper bootstrapper(context, set.options);
  const BootstrapKeys keys = bootstrapper.make_keys(generator);
  Values a = bench::uniform_numbers(context->slots());
  for (const bool real : {false, true}) {
    if (real)
      for (auto& value : a) value.imag(0);
    const Ciphertext low = evaluator.mod_switch_to(encryptor.encrypt(Plaintext(context, a, {.real = real})),
                                                   bootstrapper.input_level());
    const auto bootstrapped = [&](const Ciphertext& x) {
      return bootstrapper.bootstrap(evaluator, x, keys, 0, options.iterations);
    };
    const Ciphertext fresh = bootstrapped(low);
    const Values found = decryptor.decrypt(fresh);
    require_error(log2_of_error(found, a), error_log2(fresh), "a bootstrap");
    const bench::Bits bits = bench::bits_of(found, a, real);
    const auto left = static_cast<double>(fresh.level() - bootstrapper.input_level());
    std::string what = real ? "bootstrap, real numbers" : "bootstrap";
    if (options.iterations != 1) what += ", " + std::to_string(options.iterations) + " iterations";
    bench.time(
        what, [&] { bootstrapped(low); },
        {{"mean_bits", bits.mean},
         {"median_bits", bits.median},
         {"worst_bits", bits.worst},
         {"error_log2", error_log2(fresh)},
         {"levels_between", left},
         {"modulus_bits_between",
          modulus_bits(*context, fresh.level()) - modulus_bits(*context, bootstrapper.input_level())},
         {"rotation_keys", static_cast<double>(keys.rotations.elements().size())},
         {"key_gigabytes", static_cast<double>(bootstrapper.keys_bytes()) / 1e9}},
        options.device == "cpu");
    if (options.device != "cuda") continue;
    const Queue& queue = context->queue();
    const auto capture = queue.begin_capture();
    const Ciphertext recorded = bootstrapped(low);
    const auto graph = capture->finish();
    bench.time(what + ", as a graph", [&] { graph->run(queue); });
    require_error(log2_of_error(decryptor.decrypt(recorded), a), error_log2(recorded),
                  "a recorded bootstrap");
    const Ciphertext* four[] = {&low, &low, &low, &low};
    const Ciphertext batch = Ciphertext::stack(four);
    bench.time(what + ", batch of four", [&] { bootstrapped(batch); });
  }
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("ckks_bench", [&] {
    Options options;
    options.parse(count, arguments);
    const std::shared_ptr<const Device> device =
        options.device == "cpu" ? make_cpu_device(options.threads)
                                : make_cuda_device(options.device == "cuda" ? 0 : cuda::kHost);
    bench::Report report = options.report();
    report.note("device", device->description());
    for (const auto& [log_n, scale_bits] : {std::pair(13u, 36u), {14u, 40u}, {15u, 40u}, {16u, 40u}}) {
      const std::size_t n = std::size_t{1} << log_n;
      if ((options.only != 0 && options.only != n) || (options.word_bits == 32 && log_n == 13)) continue;
      run(Parameters::preset(n, scale_bits, SecurityLevel::classical128, kStrictestTable, options.word_bits),
          "n = 2^" + std::to_string(log_n) + ", scale 2^" + std::to_string(scale_bits), device, options,
          report);
    }
    for (const std::string& name : bootstrap_set_names())
      if (options.bootstrap == "all" || options.bootstrap == name)
        run_bootstrap(name, device, options, report);
    report.write(options.json);
  });
}
