// SPDX-License-Identifier: Apache-2.0
// Whether operations on messages and keys take a time that depends on them: Welch's t-test between two
// classes of inputs, drawn at random for each call (after "Dude, is my code constant time?", Reparaz,
// Balasch, Verbauwhede, DATE 2017). Each input is copied into the same memory before its call. A control that
// branches on signs, as decode once did, shows that the test can see: timing_bench fails if it does not.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "bench/options.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/bfv/bfv.hpp"
#include "nttforge/device/make_device.hpp"

namespace {

using namespace nttforge;
using namespace nttforge::bfv;
using nttforge::testing::Rng;

constexpr double kThreshold = 4.5;  // of |t|, in both halves of the samples, with the same sign
constexpr double kSmallestShare =
    1e-3;                      // of the time of a call: less is not told from the machine's own drift
constexpr double kKept = 0.8;  // share of samples that are kept: the slowest are interrupts

struct Options {
  double seconds = 4;
  std::size_t n = 4096;

  void parse(int count, char** arguments) {
    bench::parse_options(count, arguments,
                         {bench::number_option("--seconds", "time for each line", seconds, 0.1, 600.0),
                          bench::number_option("--n", "ring dimension of the preset", n, std::size_t{4096},
                                               std::size_t{32768})});
  }
};

std::uint64_t fresh_state() {
  std::uint64_t state = 0;
  std::uint8_t bytes[8];
  os_random(bytes);
  std::memcpy(&state, bytes, sizeof state);
  return state;
}

/// Two classes of inputs: `prepare` copies one of the class into place, `call` is timed.
struct Experiment {
  std::string operation, classes;
  std::function<void(unsigned)> prepare;
  std::function<void()> call;
};

struct Comparison {
  double t = 0, difference_ns = 0;
};

struct Sample {
  double ns;
  unsigned group;
};

Comparison welch(const std::vector<Sample>& samples, std::size_t first, std::size_t last, double limit) {
  double count[2] = {}, mean[2] = {}, squares[2] = {};
  for (std::size_t i = first; i < last; ++i) {
    if (samples[i].ns > limit) continue;
    const unsigned g = samples[i].group;
    const double delta = samples[i].ns - mean[g];
    mean[g] += delta / ++count[g];
    squares[g] += delta * (samples[i].ns - mean[g]);
  }
  if (count[0] < 2 || count[1] < 2) return {};
  const double error =
      std::sqrt(squares[0] / (count[0] - 1) / count[0] + squares[1] / (count[1] - 1) / count[1]);
  return {error == 0 ? 0 : (mean[1] - mean[0]) / error, mean[1] - mean[0]};
}

/// True if the time depends on the class.
bool run(const Experiment& experiment, double seconds) {
  using Clock = std::chrono::steady_clock;
  Rng rng(fresh_state());
  std::vector<Sample> samples;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (std::size_t i = 0; Clock::now() < end; ++i) {
    const auto group = static_cast<unsigned>(rng.next() >> 63);
    experiment.prepare(group);
    const auto begin = Clock::now();
    experiment.call();
    const std::chrono::duration<double, std::nano> elapsed = Clock::now() - begin;
    if (i >= 100) samples.push_back({elapsed.count(), group});  // the first ones warm up
  }
  std::vector<double> sorted;
  for (const Sample& sample : samples) sorted.push_back(sample.ns);
  std::sort(sorted.begin(), sorted.end());
  if (sorted.size() < 200) throw Error(experiment.operation + ": too few samples; use more --seconds");
  const double median = sorted[sorted.size() / 2];
  const double limit = sorted[static_cast<std::size_t>(kKept * static_cast<double>(sorted.size()))];
  const std::size_t half = samples.size() / 2;
  const Comparison all = welch(samples, 0, samples.size(), limit), first = welch(samples, 0, half, limit),
                   second = welch(samples, half, samples.size(), limit);
  const bool depends = std::abs(first.t) > kThreshold && std::abs(second.t) > kThreshold &&
                       first.t * second.t > 0 && std::abs(all.difference_ns) > kSmallestShare * median;
  std::printf("%-24s %-36s %9zu %12.0f %+10.1f %+8.3f %+8.1f  %s\n", experiment.operation.c_str(),
              experiment.classes.c_str(), samples.size(), median, all.difference_ns,
              100 * all.difference_ns / median, all.t, depends ? "depends" : "not seen to depend");
  std::fflush(stdout);
  return depends;
}

constexpr std::size_t kPool = 16;  // inputs of each class

/// Inputs of both classes. They are chosen at random, so that no branch predictor learns one, and change
/// places all the time: where an input lay when it was copied shows in a few nanoseconds, and must not go
/// with its class.
template <class T>
class Pools {
 public:
  void add(unsigned group, T value) {
    values_.push_back(std::move(value));
    groups_.push_back(group);
  }
  const T& any(unsigned group) {
    if (rng_.below(4) == 0) {
      const std::size_t a = rng_.below(values_.size()), b = rng_.below(values_.size());
      const T other = values_[a];
      values_[a] = values_[b];
      values_[b] = other;
      std::swap(groups_[a], groups_[b]);
    }
    std::size_t i = rng_.below(values_.size());
    while (groups_[i] != group) i = rng_.below(values_.size());
    return values_[i];
  }

 private:
  std::vector<T> values_;
  std::vector<unsigned> groups_;
  Rng rng_{fresh_state()};
};

using Values = std::vector<std::int64_t>;

Values values_of(Rng& rng, std::size_t n, std::uint64_t t, bool zeros) {
  Values values(n, 0);
  if (zeros) return values;
  const auto half = static_cast<std::int64_t>(t / 2);
  for (std::int64_t& value : values) value = static_cast<std::int64_t>(rng.below(t)) - half;
  return values;
}

Seed seed_of(Rng& rng) {
  Seed seed;
  for (std::uint8_t& byte : seed.bytes) byte = static_cast<std::uint8_t>(rng.next() >> 32);
  return seed;
}

/// What decode_signed was before it was freed of branches.
__attribute__((noinline)) void centre_with_branches(const std::vector<std::uint64_t>& values, std::uint64_t t,
                                                    Values& out) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<std::int64_t>(values[i]);
    if (values[i] > (t - 1) / 2) {
      out[i] = value - static_cast<std::int64_t>(t);
      __asm__ __volatile__("");  // keeps the branch a branch
    } else {
      out[i] = value;
    }
  }
}

/// Everything the experiments work on; the working copies lie at one address for both classes.
struct Inputs {
  Inputs(std::size_t n, Rng& rng)
      : context(Context::create(Parameters::preset(n, 65537), make_cpu_device(1))),
        batch(context),
        generator(context),
        by_public_key(generator.public_key()),
        by_secret_key(generator.secret_key()),
        decryptor(generator.secret_key()),
        evaluator(context) {
    const Seed fixed = seed_of(rng);
    for (unsigned group = 0; group < 2; ++group)
      for (std::size_t i = 0; i < kPool; ++i) {
        const Values numbers = values_of(rng, n, context->t(), group == 0);
        const Plaintext plain = batch.encode(numbers);
        const Seed seed = group == 0 ? fixed : seed_of(rng);
        const SecretKey key = KeyGenerator(context, seed).secret_key();
        values.add(group, numbers);
        plains.add(group, plain);
        ciphertexts.add(group, by_public_key.encrypt(plain));
        plain_bytes.add(group, to_bytes(plain));
        seeds.add(group, seed);
        keys.add(group, key);
        key_bytes.add(group, to_bytes(key));
      }
    work_values.resize(n);
    work_words.resize(n);
    out.resize(n);
  }

  ContextPtr context;
  BatchEncoder batch;
  KeyGenerator generator;
  Encryptor by_public_key, by_secret_key;
  Decryptor decryptor;
  bfv::Evaluator evaluator;
  Pools<Values> values;
  Pools<Plaintext> plains;
  Pools<Ciphertext> ciphertexts;
  Pools<Seed> seeds;
  Pools<SecretKey> keys;
  Pools<std::vector<std::uint8_t>> plain_bytes, key_bytes;
  Values work_values, out;
  std::vector<std::uint64_t> work_words;
  std::vector<std::uint8_t> work_bytes;
  Plaintext work_plain;
  Ciphertext work_ciphertext;
  SecretKey work_key;
  Seed work_seed, other_seed;
  std::size_t sink = 0;
};

std::vector<Experiment> experiments(Inputs& in) {
  const char* const signs = "zeros / random signs";
  const char* const messages = "zeros / random messages";
  const char* const secrets = "one secret / random secrets";
  const CoefficientEncoder coefficients(in.context);
  const auto plain = [&](unsigned g) { in.work_plain = in.plains.any(g); };
  const auto values = [&](unsigned g) {
    const Values& from = in.values.any(g);
    std::copy(from.begin(), from.end(), in.work_values.begin());
  };
  const auto ciphertext = [&](unsigned g) { in.work_ciphertext = in.ciphertexts.any(g); };
  const auto seed = [&](unsigned g) { in.work_seed = in.seeds.any(g); };
  const auto key = [&](unsigned g) { in.work_key = in.keys.any(g); };
  return {
      {"control: branches", signs,
       [&](unsigned g) {
         const Values& from = in.values.any(g);
         const auto t = static_cast<std::int64_t>(in.context->t());
         for (std::size_t i = 0; i < from.size(); ++i)
           in.work_words[i] = static_cast<std::uint64_t>(from[i] < 0 ? from[i] + t : from[i]);
       },
       [&] { centre_with_branches(in.work_words, in.context->t(), in.out); }},
      {"encode", signs, values, [&] { in.sink += in.batch.encode(in.work_values).empty(); }},
      {"encode coefficients", signs, values,
       [&, coefficients] { in.sink += coefficients.encode(in.work_values).empty(); }},
      {"decode", messages, plain, [&] { in.batch.decode(in.work_plain, in.work_words); }},
      {"decode signed", signs, plain, [&] { in.batch.decode_signed(in.work_plain, in.out); }},
      {"encrypt, public key", messages, plain,
       [&] { in.sink += in.by_public_key.encrypt(in.work_plain, in.other_seed, 0).size(); }},
      {"encrypt, secret key", messages, plain,
       [&] { in.sink += in.by_secret_key.encrypt(in.work_plain, in.other_seed, 0).size(); }},
      {"encrypt, public key", "one seed / random seeds", seed,
       [&] { in.sink += in.by_public_key.encrypt(in.work_plain, in.work_seed, 0).size(); }},
      {"decrypt", messages, ciphertext, [&] { in.sink += in.decryptor.decrypt(in.work_ciphertext).empty(); }},
      {"prepare a plaintext", messages, plain, [&] { in.sink += PreparedPlaintext(in.work_plain).empty(); }},
      {"save a plaintext", messages, plain, [&] { in.sink += to_bytes(in.work_plain).size(); }},
      {"load a plaintext", messages, [&](unsigned g) { in.work_bytes = in.plain_bytes.any(g); },
       [&] { in.sink += plaintext_from_bytes(in.context, in.work_bytes).empty(); }},
      {"generate a secret key", secrets, seed,
       [&] { in.sink += KeyGenerator(in.context, in.work_seed).secret_key().empty(); }},
      {"generate a sparse secret key", secrets, seed,
       [&] {
         const KeyGenerator generator(in.context, in.work_seed, SecretDistribution::sparse(64));
         in.sink += generator.secret_key().empty();
       }},
      {"save a secret key", secrets, key, [&] { in.sink += to_bytes(in.work_key).size(); }},
      {"load a secret key", secrets, [&](unsigned g) { in.work_bytes = in.key_bytes.any(g); },
       [&] { in.sink += secret_key_from_bytes(in.context, in.work_bytes).empty(); }}};
}

void print_cost_of_wiping() {
  for (const StackDepth depth : {StackDepth::shallow, StackDepth::deep}) {
    std::vector<double> samples;
    for (int i = 0; i < 20000; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      for (int j = 0; j < 8; ++j) const StackWipe wipe(depth);
      const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begin;
      samples.push_back(elapsed.count() / 8);
    }
    std::nth_element(samples.begin(), samples.begin() + 10000, samples.end());
    std::printf("wiping %zu KiB of stack takes %.0f ns\n", static_cast<std::size_t>(depth) >> 10,
                samples[10000]);
  }
}

void compare(int count, char** arguments) {
  Options options;
  options.parse(count, arguments);
  Rng rng(fresh_state());
  Inputs inputs(options.n, rng);
  std::printf("%s\n", inputs.context->parameters().describe().c_str());
  std::printf("%s; verdict \"depends\": |t| > %.1f in both halves and more than %.1f %% of a call\n\n",
              inputs.context->device().description().c_str(), kThreshold, 100 * kSmallestShare);
  std::printf("%-24s %-36s %9s %12s %10s %8s %8s\n", "operation", "classes", "calls", "median ns",
              "differ, ns", "%", "t");
  bool seen = false, leaks = false;
  for (const Experiment& experiment : experiments(inputs)) {
    const bool control = experiment.operation.starts_with("control");
    (control ? seen : leaks) |= run(experiment, options.seconds);
  }
  print_cost_of_wiping();
  if (!seen)
    throw Error("the control was not seen to depend on signs: the machine is too noisy; use more --seconds");
  if (leaks)
    throw Error("a time was seen to depend on a message or key: repeat with more --seconds, then look at it");
  std::printf("no time was seen to depend on messages or keys\n");
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("timing_bench", [&] { compare(count, arguments); });
}
