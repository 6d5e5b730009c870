// SPDX-License-Identifier: Apache-2.0
// The forms of BFV products on the presets, for words of 64 and of 32 bits: what a product costs with fresh
// operands, with half of the budget gone and near its end, and how much budget every level of a chain leaves.
// Every result is decrypted and compared first. Forms are timed by turns, minimum and median; by --clock
// thread it is the CPU time of the calling thread: for one thread on a busy machine. bfv_products_bench
// --help lists the options.

#include <time.h>

#include <cstdio>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/bfv/bfv.hpp"
#include "nttforge/device/make_device.hpp"

namespace {

using namespace nttforge;
using namespace nttforge::bfv;

constexpr ProductForm kForms[] = {ProductForm::behz, ProductForm::hps, ProductForm::hps_over_q,
                                  ProductForm::hps_levelled};

struct Options : bench::Output {
  unsigned threads = 1;
  std::size_t runs = 12;
  std::size_t only = 0;
  std::string device = "cpu", clock = "wall";

  void parse(int count, char** arguments) {
    const std::vector<bench::Option> own = {
        bench::choice_option("--device", "where to compute", device, {"cpu", "cuda"}),
        bench::choice_option("--clock", "what time is counted", clock, {"wall", "thread"}),
        bench::number_option("--threads", "threads of a CPU", threads, 1u, 1024u),
        bench::number_option("--runs", "timed runs of each operation", runs, std::size_t{3},
                             std::size_t{100000}),
        bench::number_option("--only", "sets of this n only (0: all)", only, std::size_t{0},
                             std::size_t{1} << 17)};
    bench::parse_options(count, arguments, own + bench::Output::options());
  }
};

/// One form with keys that are the same for all.
struct Party {
  Party(const Parameters& parameters, const std::shared_ptr<const Device>& device, ProductForm how)
      : form(how),
        context(Context::create(parameters, device, how)),
        generator(context, Seed{{1, 2, 3}}),
        encryptor(generator.public_key()),
        decryptor(generator.secret_key()),
        evaluator(context),
        key(generator.relinearization_key()) {}
  ProductForm form;
  ContextPtr context;
  KeyGenerator generator;
  Encryptor encryptor;
  Decryptor decryptor;
  Evaluator evaluator;
  RelinearizationKey key;
};

double now_ns(const Options& options) {
  timespec t{};
  clock_gettime(options.clock == "thread" ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

Json row_of(const Parameters& parameters, ProductForm form, const std::string& operation) {
  Json row = Json::object();
  row.set("kind", "bfv product");
  row.set("n", parameters.n);
  row.set("log2_q", parameters.q_bits());
  row.set("primes", parameters.limbs());
  row.set("word_bits", parameters.word_bits);
  row.set("t", parameters.t);
  row.set("form", std::string(product_form_name(form)));
  row.set("operation", operation);
  return row;
}

/// Squares of an encrypted polynomial, as deep as is promised: budgets after each level, and what they
/// decrypt to.
std::vector<std::vector<double>> follow(std::deque<Party>& parties) {
  std::vector<std::vector<double>> budgets;
  std::vector<std::vector<std::uint64_t>> expected;
  for (const Party& party : parties) {
    std::vector<double>& left = budgets.emplace_back();
    std::vector<std::uint64_t> values(party.context->n());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = (i * i + 1) % party.context->t();
    Ciphertext x = party.encryptor.encrypt(Plaintext(party.context, values), Seed{{9}}, 0);
    const Ciphertext fresh = x;
    for (unsigned depth = 0; depth < party.context->parameters().promised_depth(); ++depth) {
      x = party.evaluator.multiply_relinearize(x, depth % 2 == 0 ? x : fresh, party.key);
      left.push_back(party.decryptor.noise_budget_bits(x));
      const auto found = party.decryptor.decrypt(x).coefficients();
      if (expected.size() <= depth) expected.push_back(found);
      if (expected[depth] != found) throw Error("forms decrypt to different products");
    }
  }
  return budgets;
}

void run(const Parameters& parameters, const std::shared_ptr<const Device>& device, const Options& options,
         bench::Report& report) {
  std::deque<Party> parties;
  for (const ProductForm form : kForms) parties.emplace_back(parameters, device, form);
  const auto budgets = follow(parties);
  std::printf("\n%s\n", parameters.describe().c_str());
  for (std::size_t i = 0; i < parties.size(); ++i) {
    Json row = row_of(parameters, parties[i].form, "budget bits after each level");
    Json left = Json::array();
    for (const double bits : budgets[i]) left.push_back(bits);
    row.set("budget_bits", left);
    report.add(std::move(row));
    if (budgets[i].empty()) continue;
    std::printf("%-14s budget after 1 level %7.2f, after %2zu %7.2f bits\n",
                std::string(product_form_name(parties[i].form)).c_str(), budgets[i].front(),
                budgets[i].size(), budgets[i].back());
  }
  struct Case {
    const char* name;
    double used;  // part of the budget
    bool square;
  };
  for (const Case& one : {Case{"multiply", 0, false}, Case{"square", 0, true},
                          Case{"multiply, half the budget left", 0.5, false},
                          Case{"multiply, a tenth of the budget left", 0.9, false}}) {
    std::vector<std::vector<double>> samples(parties.size());
    std::vector<std::function<void()>> bodies;
    for (const Party& party : parties) {
      const Plaintext plain(party.context, std::vector<std::uint64_t>(party.context->n(), 1));
      Ciphertext x = party.encryptor.encrypt(plain), y = party.encryptor.encrypt(plain);
      const NoiseModel& model = party.context->noise_model();
      const double bits = one.used * model.budget_bits(model.fresh_public());
      for (Ciphertext* c : {&x, &y}) {
        if (one.used == 0) continue;
        Noise noise = c->noise();
        noise.coefficient += bits, noise.canonical += bits;
        c->set_noise(noise);
      }
      bodies.emplace_back([&party, x, y, square = one.square] {
        party.evaluator.multiply(x, square ? x : y);
        party.context->queue().wait();
      });
      bodies.back()();
    }
    for (std::size_t run = 0; run < options.runs; ++run)
      for (std::size_t i = 0; i < parties.size(); ++i) {
        const double start = now_ns(options);
        bodies[i]();
        samples[i].push_back(now_ns(options) - start);
      }
    for (std::size_t i = 0; i < parties.size(); ++i) {
      const bench::Timing timing = bench::timing_of(samples[i], 1);
      std::printf("%-14s %-38s %10.4f ms min %10.4f median\n",
                  std::string(product_form_name(parties[i].form)).c_str(), one.name, timing.min_ns * 1e-6,
                  timing.median_ns * 1e-6);
      report.add(row_of(parameters, parties[i].form, one.name), timing);
    }
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("bfv_products_bench", [&] {
    Options options;
    options.parse(count, arguments);
    const auto device = options.device == "cuda" ? make_cuda_device(0) : make_cpu_device(options.threads);
    bench::Report report = options.report();
    report.note("device", device->description());
    report.note("clock", options.clock);
    for (const std::size_t n : {4096, 8192, 16384, 32768})
      for (const unsigned word_bits : {64u, 32u})
        if (options.only == 0 || options.only == n)
          run(Parameters::preset(n, 0, SecurityLevel::classical128, kStrictestTable, word_bits), device,
              options, report);
    report.write(options.json);
  });
}
