// BFV operations on the presets and the sets of [Bad18b] Table 4. Verifies first, then times: minimum and
// median of repeated calls.
//
//   bfv_bench [--threads N] [--seconds S per operation] [--t T for the presets] [--only n] [--clock
//   wall|thread]
//   [--json file] [--flags text] [--commit text]
//
// --clock thread counts the CPU time of the calling thread: for one thread on a busy machine.

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/bfv/bfv.hpp"

namespace {

using namespace nttforge;
using namespace nttforge::bfv;

struct Options {
  unsigned threads = 1;
  double seconds = 0.5;
  std::uint64_t t = 786433;
  std::size_t only = 0;
  bool thread_time = false;
  std::string json, flags, commit;
};

using Timings = std::vector<std::pair<std::string, bench::Timing>>;

double now_ms(bool thread_time) {
#ifdef CLOCK_THREAD_CPUTIME_ID
  if (thread_time) {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
  }
#endif
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bench::Timing measure(const Options& options, const std::function<void()>& body) {
  body();  // warm-up
  std::vector<double> times;
  const double start = now_ms(options.thread_time);
  do {
    const double before = now_ms(options.thread_time);
    body();
    times.push_back((now_ms(options.thread_time) - before) * 1e6);
  } while (times.size() < 3 || now_ms(options.thread_time) - start < options.seconds * 1e3);
  std::sort(times.begin(), times.end());
  return {times.front(), times[times.size() / 2], times[times.size() * 3 / 4], times.size(), 1};
}

/// Decrypts a rotated product; throws on a wrong answer.
void verify(const ContextPtr& context, const KeyGenerator& generator, const RelinearizationKey& key,
            const RotationKeys& rotations) {
  const CoefficientEncoder encoder(context);
  const Encryptor encryptor(generator.public_key());
  const Decryptor decryptor(generator.secret_key());
  const Evaluator evaluator(context);
  // (1 + X)(1 + X^2) under X -> X^3.
  const Ciphertext x = encryptor.encrypt(encoder.encode(std::vector<std::uint64_t>{1, 1}));
  const Ciphertext y = encryptor.encrypt(encoder.encode(std::vector<std::uint64_t>{1, 0, 1}));
  const Ciphertext z = evaluator.rotate_rows(evaluator.multiply_relinearize(x, y, key), 1, rotations);
  std::vector<std::uint64_t> expected(context->n(), 0);
  for (std::size_t i = 0; i < 4; ++i) expected[3 * i] = 1;
  if (encoder.decode(decryptor.decrypt(z)) == expected) return;
  throw Error("wrong result for " + context->parameters().describe());
}

Timings run(const ContextPtr& context, const Options& options) {
  const KeyGenerator generator(context);
  const RelinearizationKey key = generator.relinearization_key();
  const RotationKeys rotations = generator.rotation_keys(std::vector<std::int64_t>{1});
  verify(context, generator, key, rotations);
  const Encryptor encryptor(generator.public_key());
  const Decryptor decryptor(generator.secret_key());
  const Evaluator evaluator(context);
  std::vector<std::uint64_t> values(context->n());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = (i * i + 1) % context->t();
  const Plaintext plain(context, values);
  const PreparedPlaintext prepared(plain);
  const Ciphertext x = encryptor.encrypt(plain), y = encryptor.encrypt(plain);
  const Ciphertext product = evaluator.multiply(x, y);
  Ciphertext sum = x;
  const Options& o = options;
  return {{"secret and public key", measure(o, [&] { KeyGenerator(context).public_key(); })},
          {"relinearization key", measure(o, [&] { generator.relinearization_key(); })},
          {"encrypt (public key)", measure(o, [&] { encryptor.encrypt(plain); })},
          {"decrypt", measure(o, [&] { decryptor.decrypt(x); })},
          {"add in place", measure(o, [&] { evaluator.add_in_place(sum, y); })},
          {"multiply plain (prepared)", measure(o, [&] { evaluator.multiply_plain(x, prepared); })},
          {"multiply", measure(o, [&] { evaluator.multiply(x, y); })},
          {"square", measure(o, [&] { evaluator.square(x); })},
          {"relinearize", measure(o, [&] { evaluator.relinearize(product, key); })},
          {"multiply + relinearize", measure(o, [&] { evaluator.multiply_relinearize(x, y, key); })},
          {"rotate", measure(o, [&] { evaluator.rotate_rows(x, 1, rotations); })}};
}

void print(const Parameters& parameters, const Timings& timings) {
  std::printf("\n%s\n", parameters.describe().c_str());
  for (const auto& [name, t] : timings)
    std::printf("  %-28s %10.4f ms min %10.4f ms median (%zu calls)\n", name.c_str(), t.min_ns * 1e-6,
                t.median_ns * 1e-6, t.runs);
  std::fflush(stdout);
}

Json to_json(const Parameters& parameters, const Timings& timings) {
  Json times = Json::object();
  for (const auto& [name, timing] : timings) times.set(name, bench::to_json(timing));
  Json json = Json::object();
  json.set("parameters", parameters.describe());
  json.set("n", parameters.n);
  json.set("log2_q", parameters.q_bits());
  json.set("t", parameters.t);
  json.set("operations", times);
  return json;
}

Options parse(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; i += 2) {
    const std::string name = arguments[i];
    if (i + 1 == count) throw ParameterError(name + " needs a value");
    const std::string value = arguments[i + 1];
    if (name == "--threads") {
      options.threads = static_cast<unsigned>(std::stoul(value));
    } else if (name == "--seconds") {
      options.seconds = std::stod(value);
    } else if (name == "--t") {
      options.t = std::stoull(value);
    } else if (name == "--only") {
      options.only = std::stoull(value);
    } else if (name == "--clock" && (value == "wall" || value == "thread")) {
      options.thread_time = value == "thread";
    } else if (name == "--json") {
      options.json = value;
    } else if (name == "--flags") {
      options.flags = value;
    } else if (name == "--commit") {
      options.commit = value;
    } else {
      throw ParameterError("unknown option " + name + " " + value +
                           "; the first lines of bench/bfv_bench.cpp list them");
    }
  }
  return options;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const Options options = parse(count, arguments);
    const auto backend = make_cpu_backend(options.threads);
    std::vector<Parameters> sets;
    for (std::size_t n : {4096u, 8192u, 16384u, 32768u}) sets.push_back(Parameters::preset(n, options.t));
    for (std::size_t n : {2048u, 4096u, 8192u, 16384u}) sets.push_back(Parameters::badawi2018(n));
    std::printf("%s; %s\n", backend->description().c_str(),
                options.thread_time ? "CPU time of the calling thread" : "wall time");
    Json results = Json::array();
    for (const Parameters& parameters : sets) {
      if (options.only != 0 && parameters.n != options.only) continue;
      const Timings timings = run(Context::create(parameters, backend), options);
      print(parameters, timings);
      results.push_back(to_json(parameters, timings));
    }
    if (options.json.empty()) return 0;
    Json json = bench::circumstances(options.flags, options.commit);
    json.set("backend", backend->description());
    json.set("clock", options.thread_time ? "thread" : "wall");
    json.set("results", results);
    std::ofstream file(options.json);
    file << json.dump(1) << "\n";
    if (!file) throw Error("cannot write " + options.json);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
