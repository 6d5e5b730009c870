// SPDX-License-Identifier: Apache-2.0
// What several threads make of batches and of keys: encryption, decryption, products and rotations of a batch
// of ciphertexts, and evaluation keys read from bytes, on one thread and on several by turns. Every result is
// compared with that of one thread first. batch_bench --help lists the options.

#include <cstdio>
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

struct Options : bench::Output {
  unsigned threads = 2;
  std::size_t only = 0, batch = 1000, runs = 7, keys_mib = 120;
  std::string operations = "all";

  void parse(int count, char** arguments) {
    const std::vector<bench::Option> own = {
        bench::number_option("--threads", "threads that are compared with one", threads, 2u, 1024u),
        bench::number_option("--only", "sets of this n only (0: 4096, 8192 and 16384)", only, std::size_t{0},
                             std::size_t{1} << 15),
        bench::number_option("--batch", "ciphertexts that are encrypted and decrypted", batch, std::size_t{1},
                             std::size_t{100000}),
        bench::number_option("--keys-mib", "least bytes of the rotation keys that are read, in MiB", keys_mib,
                             std::size_t{1}, std::size_t{100000}),
        bench::choice_option("--operations", "what is timed", operations, {"all", "batches", "keys"}),
        bench::number_option("--runs", "timed runs of each operation", runs, std::size_t{3},
                             std::size_t{100000})};
    bench::parse_options(count, arguments, own + bench::Output::options());
  }
};

/// The same parameters and keys on a device of so many threads.
struct Party {
  Party(const Parameters& parameters, unsigned threads)
      : context(Context::create(parameters, make_cpu_device(threads))),
        generator(context, Seed{{1, 2, 3}}),
        by_public(generator.public_key()),
        by_secret(generator.secret_key()),
        decryptor(generator.secret_key()),
        evaluator(context),
        relinearization(generator.relinearization_key()),
        rotations(generator.rotation_keys(std::vector<std::int64_t>{1})) {}
  ContextPtr context;
  KeyGenerator generator;
  Encryptor by_public, by_secret;
  Decryptor decryptor;
  Evaluator evaluator;
  RelinearizationKey relinearization;
  RotationKeys rotations;
};

class Comparison {
 public:
  Comparison(const Options& options, bench::Report& report, std::size_t n)
      : options_(options), report_(report), n_(n) {}

  /// scale: what a call works on, in `unit`s, and how many of these a second are shown.
  void operator()(const char* operation, const std::function<void()>& one,
                  const std::function<void()>& several, double amount, const char* unit) const {
    const bench::ByTurns times = bench::measure_by_turns(one, several, options_.runs, 1000);
    const double rates[] = {amount / times.first.median_ns * 1e9, amount / times.second.median_ns * 1e9};
    std::printf("n = %-6zu %-28s %10.2f ms, %u threads %10.2f ms: %5.2f times; %.4g and %.4g %s/s\n", n_,
                operation, times.first.median_ns * 1e-6, options_.threads, times.second.median_ns * 1e-6,
                times.ratio, rates[0], rates[1], unit);
    std::fflush(stdout);
    const bench::Timing* timings[] = {&times.first, &times.second};
    for (int which = 0; which < 2; ++which) {
      Json row = Json::object();
      row.set("kind", "batch");
      row.set("n", n_);
      row.set("operation", operation);
      row.set("threads", which == 0 ? 1u : options_.threads);
      row.set("amount", amount);
      row.set("unit", unit);
      row.set("faster_than_one_thread", which == 0 ? 1.0 : times.ratio);
      report_.add(std::move(row), *timings[which]);
    }
  }

 private:
  const Options& options_;
  bench::Report& report_;
  std::size_t n_;
};

void require_equal(bool equal, const char* what) {
  if (!equal) throw Error(std::string("threads give other words: ") + what);
}

void compare_batches(const Options& options, const Comparison& compare, const Party& one,
                     const Party& several) {
  const std::size_t n = one.context->n();
  const Seed seed{{7}};
  const auto plaintext = [&](const Party& party, std::size_t batch) {
    std::vector<std::uint64_t> values(batch * n);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = (i * i + 1) % party.context->t();
    return BatchEncoder(party.context).encode(values, batch);
  };
  const Plaintext plain[] = {plaintext(one, options.batch), plaintext(several, options.batch)};
  const auto amount = static_cast<double>(options.batch);
  const Ciphertext x = one.by_public.encrypt(plain[0], seed, 0),
                   y = several.by_public.encrypt(plain[1], seed, 0);
  require_equal(to_bytes(x) == to_bytes(y), "encryption by the public key");
  require_equal(to_bytes(one.by_secret.encrypt(plain[0], seed, 0)) ==
                    to_bytes(several.by_secret.encrypt(plain[1], seed, 0)),
                "encryption by the secret key");
  require_equal(to_bytes(one.decryptor.decrypt(x)) == to_bytes(several.decryptor.decrypt(y)), "decryption");
  compare(
      "encrypt (public key)", [&] { one.by_public.encrypt(plain[0], seed, 0); },
      [&] { several.by_public.encrypt(plain[1], seed, 0); }, amount, "ciphertexts");
  compare(
      "encrypt (secret key)", [&] { one.by_secret.encrypt(plain[0], seed, 0); },
      [&] { several.by_secret.encrypt(plain[1], seed, 0); }, amount, "ciphertexts");
  compare(
      "decrypt", [&] { one.decryptor.decrypt(x); }, [&] { several.decryptor.decrypt(y); }, amount,
      "ciphertexts");
  for (const std::size_t batch : {std::size_t{1}, std::size_t{2}, std::size_t{16}}) {
    const Ciphertext a = one.by_public.encrypt(plaintext(one, batch), seed, 0),
                     b = several.by_public.encrypt(plaintext(several, batch), seed, 0);
    const Ciphertext product = one.evaluator.multiply_relinearize(a, a, one.relinearization);
    require_equal(
        to_bytes(product) == to_bytes(several.evaluator.multiply_relinearize(b, b, several.relinearization)),
        "products");
    const std::string of = " of " + std::to_string(batch);
    compare(("multiply" + of).c_str(), [&] { one.evaluator.multiply(a, a); },
            [&] { several.evaluator.multiply(b, b); }, static_cast<double>(batch), "ciphertexts");
    compare(("rotate" + of).c_str(), [&] { one.evaluator.rotate_rows(a, 1, one.rotations); },
            [&] { several.evaluator.rotate_rows(b, 1, several.rotations); }, static_cast<double>(batch),
            "ciphertexts");
  }
}

void compare_keys(const Options& options, const Comparison& compare, const Party& one, const Party& several) {
  const ObjectSizes sizes = one.context->parameters().serialized_sizes();
  const std::size_t count = (options.keys_mib << 20) / sizes.rotation_key + 1;
  std::vector<std::int64_t> steps;
  for (std::size_t i = 1; i <= count; ++i) steps.push_back(static_cast<std::int64_t>(i));
  const std::vector<std::uint8_t> bytes = to_bytes(one.generator.rotation_keys(steps));
  const auto read = [&](const Party& party) { return rotation_keys_from_bytes(party.context, bytes); };
  require_equal(to_bytes(read(several)) == bytes, "rotation keys");
  const double megabytes = static_cast<double>(bytes.size()) * 1e-6;
  compare("read rotation keys, of bytes", [&] { read(one); }, [&] { read(several); }, megabytes, "MB");
  const double words = static_cast<double>(count * one.context->parameters().memory_sizes().rotation_key);
  std::printf("    %zu keys: %.1f MB of bytes, %.1f MB in memory, of which half follows from seeds\n", count,
              megabytes, words * 1e-6);
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("batch_bench", [&] {
    Options options;
    options.parse(count, arguments);
    bench::Report report = options.report();
    report.note("device", make_cpu_device(options.threads)->description());
    for (const std::size_t n : {4096, 8192, 16384}) {
      if (options.only != 0 && options.only != n) continue;
      const Parameters parameters = Parameters::preset(n);
      std::printf("\n%s\n", parameters.describe().c_str());
      const Party one(parameters, 1), several(parameters, options.threads);
      const Comparison compare(options, report, n);
      if (options.operations != "keys" && n <= 8192) compare_batches(options, compare, one, several);
      if (options.operations != "batches") compare_keys(options, compare, one, several);
    }
    report.write(options.json);
  });
}
