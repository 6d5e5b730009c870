// SPDX-License-Identifier: Apache-2.0
// BFV on one GPU: every figure of the comparison with other libraries. The words of every result are first
// compared with the CPU's and the slots with the definition; only then is anything timed. With
// --device cuda:host the same runs on the CPU, slowly: try --grid small there.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "bench/gpu_bfv_breakdown.hpp"
#include "bench/gpu_bfv_party.hpp"
#include "bench/gpu_bfv_sets.hpp"
#include "bench/queue_clock.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/cuda/device.hpp"
#include "nttforge/device/make_device.hpp"

namespace {

using namespace nttforge;
using namespace nttforge::bfv;

constexpr std::size_t kBatchSize = 8;

struct Options : bench::Output {
  unsigned runs = 25, calls = 20, threads = 0;
  std::size_t only = 0, digit_primes = 0;
  std::string words = "both";
  std::string device = "cuda", grid = "cells", what = "operations";

  void parse(int count, char** arguments) {
    const std::vector<bench::Option> own = {
        bench::text_option("--device", "cuda, cuda:1, cuda:host or cpu", device),
        bench::choice_option("--grid", "small: an insecure set of n = 256, for tests", grid,
                             {"cells", "small"}),
        bench::choice_option("--what", "operations, the steps of a product one by one, or both", what,
                             {"operations", "breakdown", "both", "check"}),
        bench::number_option("--only", "sets of this n only (0: all)", only, std::size_t{0},
                             std::size_t{1} << 17),
        bench::choice_option("--words", "sets with words of so many bits", words, {"both", "64", "32"}),
        bench::number_option("--digit-primes",
                             "primes of a digit of key switching (0: as the set recommends)", digit_primes,
                             std::size_t{0}, std::size_t{16}),
        bench::number_option("--runs", "timed runs of each operation", runs, 3u, 10000u),
        bench::number_option("--calls", "calls of a run", calls, 1u, 10000u),
        bench::number_option("--threads", "of the CPU that checks (0: all)", threads, 0u, 1024u)};
    bench::parse_options(count, arguments, own + bench::Output::options());
  }
};

struct NamedSet {
  Parameters parameters;
  std::string variant;
};

std::vector<NamedSet> sets_of(const Options& options) {
  std::vector<NamedSet> sets;
  const auto add = [&](const Parameters& p) {
    sets.push_back({p, std::to_string(p.word_bits) + "-bit words, " + std::to_string(p.limbs()) + " + " +
                           std::to_string(p.key_limbs() - p.limbs()) + " primes"});
  };
  if (options.grid == "small") {
    const std::size_t n = 256;
    const auto level = SecurityLevel::insecure_by_request;
    const std::vector<std::uint64_t> primes = ntt_primes(n, 45, 3), narrow = ntt_primes(n, 30, 5);
    if (options.words != "32") add(Parameters::custom(n, 7681, {primes[1], primes[2]}, primes[0], level));
    if (options.words != "64")
      add(Parameters::custom(n, 7681, {narrow.begin() + 2, narrow.end()},
                             std::vector<std::uint64_t>{narrow[0], narrow[1]}, level,
                             SecretDistribution::ternary, ErrorDistribution::sigma_3_2, kStrictestTable, 32));
    return sets;
  }
  for (const bench::GpuBfvCell& cell : bench::kGpuBfvCells) {
    if (options.only != 0 && options.only != cell.n()) continue;
    for (const unsigned word_bits : {64u, 32u}) {
      if (options.words != "both" && options.words != std::to_string(word_bits)) continue;
      add(Parameters::preset(cell.n(), bench::kGpuBfvPlainModulus, SecurityLevel::classical128,
                             SecurityTable::hes2018, word_bits, options.digit_primes));
    }
  }
  return sets;
}

bench::GpuBfvSet described(const NamedSet& set) {
  const Parameters& p = set.parameters;
  bench::GpuBfvSet facts;
  facts.n = p.n;
  facts.log2_q = p.q_bits();
  facts.log2_qp = p.modulus_bits();
  facts.limbs = p.limbs();
  facts.special = p.key_limbs() - p.limbs();
  facts.word_bits = p.word_bits;
  facts.t = p.t;
  facts.variant = set.variant;
  return facts;
}

/// The card's number; negative: not a card.
int ordinal_of(const Options& options) {
  return options.device == "cpu" ? -1 : cuda::parse_device(options.device);
}

std::shared_ptr<const Device> device_of(const Options& options) {
  if (options.device == "cpu") return make_cpu_device(options.threads);
  return make_cuda_device(cuda::parse_device(options.device));
}

/// What one set is measured with.
class Measurement {
 public:
  Measurement(const Options& options, bench::Report& report, const NamedSet& set,
              const bench::BfvParty& party)
      : options_(options),
        report_(report),
        facts_(described(set)),
        party_(party),
        clock_(party.context->queue(), ordinal_of(options), options.runs, options.calls) {}

  void operations() {
    const Context& context = *party_.context;
    const std::uint64_t t = context.t();
    const std::vector<std::uint64_t> values = bench::slot_values(context.n(), t, 3),
                                     many = bench::slot_values(kBatchSize * context.n(), t, 4);
    const Plaintext plain = party_.encoder.encode(std::span<const std::uint64_t>(values)),
                    plains = party_.encoder.encode(std::span<const std::uint64_t>(many), kBatchSize);
    const Ciphertext x = party_.encryptor.encrypt(plain), y = party_.encryptor.encrypt(plain),
                     xs = party_.encryptor.encrypt(plains), ys = party_.encryptor.encrypt(plains);
    const Ciphertext product = party_.evaluator.multiply(x, y);
    const auto& relinearization = party_.relinearization;

    both(
        "multiply + relinearize", [&] { party_.evaluator.multiply_relinearize(x, y, relinearization); },
        [&] { party_.evaluator.multiply_relinearize(xs, ys, relinearization); });
    single("multiply", [&] { party_.evaluator.multiply(x, y); });
    single("relinearize", [&] { party_.evaluator.relinearize(product, relinearization); });
    both("rotate", [&] { party_.rotate(x); }, [&] { party_.rotate(xs); });
    both("encrypt", [&] { party_.encryptor.encrypt(plain); }, [&] { party_.encryptor.encrypt(plains); });
    both("decrypt", [&] { party_.decryptor.decrypt(x); }, [&] { party_.decryptor.decrypt(xs); });
    single("decrypt, noise unchecked", [&] { party_.decryptor.decrypt_unchecked(x); });
    single("add", [&] { party_.evaluator.add(x, y); });
    encoding(values, plain);
    keys();
  }

  void breakdown() {
    for (const std::size_t batch : {std::size_t{1}, kBatchSize}) {
      bench::BfvBreakdown parts(party_, batch);
      double sum = 0;
      for (const bench::BfvStep& step : parts.steps()) {
        const bench::Timing timing = clock_.back_to_back(step.run);
        add_step(step, batch, bench::kStream, timing);
        double best = timing.median_ns;
        in_a_graph(step.run, step.name.c_str(), [&](const bench::Timing& graph) {
          add_step(step, batch, bench::kGraph, graph);
          best = graph.median_ns;
        });
        if (!step.fused) sum += best;
      }
      std::printf("%-32s %10.2f us: the steps one by one, in graphs where there are any\n", "", sum * 1e-3);
    }
  }

 private:
  void single(const char* name, const bench::Body& body) {
    add(name, bench::kStream, clock_.back_to_back(body));
    add(name, bench::kOneCall, clock_.one_call(body));
    in_a_graph(body, name, [&](const bench::Timing& timing) { add(name, bench::kGraph, timing); });
  }
  /// Measures and keeps what can be recorded.
  template <class Keep>
  void in_a_graph(const bench::Body& body, const char* name, const Keep& keep) {
    if (!graphs_) return;
    try {
      keep(clock_.in_a_graph(body));
    } catch (const UnsupportedError& error) {
      std::printf("no graphs: %s\n", error.what());
      graphs_ = false;
    } catch (const ParameterError& error) {
      std::printf("%s is not recorded: %s\n", name, error.what());
    }
  }
  void both(const char* name, const bench::Body& body, const bench::Body& batch) {
    single(name, body);
    add(name, bench::kBatch, share(clock_.back_to_back(batch)));
    in_a_graph(batch, name,
               [&](const bench::Timing& timing) { add(name, bench::kBatchGraph, share(timing)); });
  }
  /// The share of each element of a batch.
  static bench::Timing share(bench::Timing timing) {
    for (double* ns : {&timing.min_ns, &timing.median_ns, &timing.quartile_ns}) *ns /= kBatchSize;
    return timing;
  }
  void encoding(const std::vector<std::uint64_t>& values, const Plaintext& plain) {
    std::vector<std::uint64_t> out(values.size());
    single("encode from host memory", [&] { party_.encoder.encode(std::span<const std::uint64_t>(values)); });
    single("decode to host memory", [&] { party_.encoder.decode(plain, out); });
    // What of both runs on the device.
    const Context& context = *party_.context;
    const Queue& queue = context.queue();
    const auto slots = context.device().make_permutation(slot_positions(context.n()));
    DeviceArray a = queue.allocate(context.ring_t(), 1), b = queue.allocate(context.ring_t(), 1);
    queue.upload(values, a.data());
    single("encode on the device", [&] {
      queue.gather(*slots, a.data(), b.data(), 1);
      queue.inverse(context.ring_t(), b.data(), 1);
    });
    single("decode on the device", [&] {
      queue.copy(a.data(), b.data(), context.n());
      queue.forward(context.ring_t(), b.data(), 1);
      queue.gather(*slots, b.data(), a.data(), 1);
    });
  }
  void keys() {
    const Context& context = *party_.context;
    const auto& level = context.key_switching(context.limbs());
    const std::size_t words = 2 * level.digits.size() * level.key_ring->words();
    add("make a relinearization key", bench::kStream,
        clock_.back_to_back([&] { party_.generator.relinearization_key(); }),
        words * (level.key_ring->spec().word_bits / 8));
    const std::vector<std::uint8_t> bytes = to_bytes(party_.relinearization);
    add("load a relinearization key", bench::kOneCall,
        clock_.one_call([&] { relinearization_key_from_bytes(party_.context, bytes); }), bytes.size());
  }

  void add(const char* name, const char* mode, const bench::Timing& timing, std::size_t bytes = 0) {
    bench::add_gpu_bfv(report_, "nttforge", facts_, name, mode, timing, bytes);
  }
  void add_step(const bench::BfvStep& step, std::size_t batch, const char* mode,
                const bench::Timing& timing) {
    std::printf("2^%-2d %-28s batch %zu %-32s %-8s %10.2f us", __builtin_ctzll(facts_.n),
                facts_.variant.c_str(), batch, step.name.c_str(), mode, timing.median_ns * 1e-3);
    if (step.transforms != 0)
      std::printf("  %zu limb transforms, %.3f us each", step.transforms,
                  timing.median_ns * 1e-3 / static_cast<double>(step.transforms));
    if (step.products != 0) std::printf("  %.1f million products", static_cast<double>(step.products) * 1e-6);
    if (step.bytes != 0)
      std::printf("  %.0f GB/s of keys", static_cast<double>(step.bytes) / timing.median_ns);
    std::printf("%s\n", step.fused ? "  (fused)" : "");
    std::fflush(stdout);
    Json row = Json::object();
    row.set("kind", "gpu_bfv_step");
    row.set("n", facts_.n);
    row.set("log2_qp", facts_.log2_qp);
    row.set("word_bits", facts_.word_bits);
    row.set("variant", facts_.variant);
    row.set("batch", batch);
    row.set("step", step.name);
    row.set("mode", mode);
    row.set("fused", step.fused);
    row.set("limb_transforms", step.transforms);
    row.set("products", step.products);
    row.set("key_bytes", step.bytes);
    report_.add(std::move(row), timing);
  }

  const Options& options_;
  bench::Report& report_;
  bench::GpuBfvSet facts_;
  const bench::BfvParty& party_;
  bench::QueueClock clock_;
  bool graphs_ = true;  ///< until the device has said that it has none
};

void run(const NamedSet& set, const Options& options, const std::shared_ptr<const Device>& device,
         bench::Report& report) {
  std::printf("\n%s\n%s\n", set.variant.c_str(), set.parameters.describe().c_str());
  Seed seed;
  std::fill(seed.bytes.begin(), seed.bytes.end(), std::uint8_t{17});
  const bench::BfvParty party(set.parameters, device, seed);
  {
    const bench::BfvParty reference(set.parameters, make_cpu_device(options.threads), seed);
    for (const std::size_t batch : {std::size_t{1}, kBatchSize})
      bench::require_same(party, reference, seed, batch);
    std::printf("keys, encryption, product, rotation and decryption: words and bytes of the CPU\n");
  }
  Measurement measurement(options, report, set, party);
  if (options.what == "operations" || options.what == "both") measurement.operations();
  if (options.what == "breakdown" || options.what == "both") measurement.breakdown();
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("gpu_bfv_bench", [&] {
    Options options;
    options.parse(count, arguments);
    const auto device = device_of(options);
    bench::Report report = options.report();
    report.note("device", device->description());
    bench::describe_card(ordinal_of(options), report);
    for (const NamedSet& set : sets_of(options)) run(set, options, device, report);
    report.write(options.json);
  });
}
