// BFV operations on the presets and the sets of [Bad18b] Table 4. Verifies first, then times: minimum and
// median of repeated calls.
//
//   bfv_bench [--threads N] [--seconds S per operation] [--t T for the presets] [--only n] [--json]
//   [--thread-time]
//
// --thread-time counts the CPU time of the calling thread (use with one thread on a busy machine) instead of
// wall time.

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "nttforge/base/target.hpp"
#include "nttforge/bfv/bfv.hpp"

namespace {

using namespace nttforge;
using namespace nttforge::bfv;

struct Options {
  unsigned threads = 1;
  double seconds = 0.5;
  std::uint64_t t = 786433;
  std::size_t only = 0;
  bool json = false;
  bool thread_time = false;
};

struct Timing {
  std::string name;
  double min_ms = 0, median_ms = 0;
  std::size_t calls = 0;
};

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

Timing measure(const std::string& name, const Options& options, const std::function<void()>& body) {
  body();  // warm-up
  std::vector<double> times;
  const double start = now_ms(options.thread_time);
  do {
    const double before = now_ms(options.thread_time);
    body();
    times.push_back(now_ms(options.thread_time) - before);
  } while (times.size() < 3 || now_ms(options.thread_time) - start < options.seconds * 1e3);
  std::sort(times.begin(), times.end());
  return {name, times.front(), times[times.size() / 2], times.size()};
}

/// Decrypts a rotated product; exits on a wrong answer.
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
  std::fprintf(stderr, "wrong result for %s\n", context->parameters().describe().c_str());
  std::exit(1);
}

std::vector<Timing> run(const ContextPtr& context, const Options& options) {
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
  const Options& s = options;
  return {measure("secret and public key", s, [&] { KeyGenerator(context).public_key(); }),
          measure("relinearization key", s, [&] { generator.relinearization_key(); }),
          measure("encrypt (public key)", s, [&] { encryptor.encrypt(plain); }),
          measure("decrypt", s, [&] { decryptor.decrypt(x); }),
          measure("add in place", s, [&] { evaluator.add_in_place(sum, y); }),
          measure("multiply plain (prepared)", s, [&] { evaluator.multiply_plain(x, prepared); }),
          measure("multiply", s, [&] { evaluator.multiply(x, y); }),
          measure("square", s, [&] { evaluator.square(x); }),
          measure("relinearize", s, [&] { evaluator.relinearize(product, key); }),
          measure("multiply + relinearize", s, [&] { evaluator.multiply_relinearize(x, y, key); }),
          measure("rotate", s, [&] { evaluator.rotate_rows(x, 1, rotations); })};
}

void print_text(const Parameters& parameters, const std::vector<Timing>& timings) {
  std::printf("\n%s\n", parameters.describe().c_str());
  for (const Timing& t : timings)
    std::printf("  %-28s %10.4f ms min %10.4f ms median (%zu calls)\n", t.name.c_str(), t.min_ms, t.median_ms,
                t.calls);
}

void print_json(const Parameters& parameters, const std::vector<Timing>& timings, bool first) {
  std::printf("%s{\"n\": %zu, \"log2_q\": %u, \"t\": %llu, \"parameters\": \"%s\", \"ms\": {",
              first ? "" : ",\n", parameters.n, parameters.q_bits(),
              static_cast<unsigned long long>(parameters.t), parameters.describe().c_str());
  for (std::size_t i = 0; i < timings.size(); ++i)
    std::printf("%s\"%s\": {\"min\": %.5f, \"median\": %.5f}", i == 0 ? "" : ", ", timings[i].name.c_str(),
                timings[i].min_ms, timings[i].median_ms);
  std::printf("}}");
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--json" || name == "--thread-time") {
      (name == "--json" ? options.json : options.thread_time) = true;
      continue;
    }
    if (i + 1 == argc) {
      std::fprintf(stderr, "%s needs a value or is unknown\n", name.c_str());
      std::exit(2);
    }
    const char* value = argv[++i];
    if (name == "--threads") {
      options.threads = static_cast<unsigned>(std::strtoul(value, nullptr, 10));
    } else if (name == "--seconds") {
      options.seconds = std::strtod(value, nullptr);
    } else if (name == "--t") {
      options.t = std::strtoull(value, nullptr, 10);
    } else if (name == "--only") {
      options.only = std::strtoull(value, nullptr, 10);
    } else {
      std::fprintf(stderr, "unknown option %s\n", name.c_str());
      std::exit(2);
    }
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = parse(argc, argv);
    const auto backend = make_cpu_backend(options.threads);
    std::vector<Parameters> sets;
    for (std::size_t n : {4096u, 8192u, 16384u, 32768u}) sets.push_back(Parameters::preset(n, options.t));
    for (std::size_t n : {2048u, 4096u, 8192u, 16384u}) sets.push_back(Parameters::badawi2018(n));
    const CpuDescription cpu = describe_cpu();
    if (options.json) {
      std::printf("{\"cpu\": \"%s\", \"backend\": \"%s\", \"clock\": \"%s\", \"results\": [\n",
                  cpu.brand.c_str(), backend->description().c_str(), options.thread_time ? "thread" : "wall");
    } else {
      std::printf("%s; %s\n", backend->description().c_str(),
                  options.thread_time ? "CPU time of the calling thread" : "wall time");
    }
    bool first = true;
    for (const Parameters& parameters : sets) {
      if (options.only != 0 && parameters.n != options.only) continue;
      const auto timings = run(Context::create(parameters, backend), options);
      if (options.json) {
        print_json(parameters, timings, first);
      } else {
        print_text(parameters, timings);
      }
      first = false;
      std::fflush(stdout);
    }
    if (options.json) std::printf("\n]}\n");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
