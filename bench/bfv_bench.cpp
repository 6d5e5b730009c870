// SPDX-License-Identifier: Apache-2.0
// BFV operations on the presets and the sets of [Bad18b] Table 4. Verifies first, then times: minimum and
// median of repeated calls. bfv_bench --help lists the options; --clock thread counts the CPU time of the
// calling thread: for one thread on a busy machine.

#include <time.h>

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "bench/bfv_matrix.hpp"
#include "bench/bfv_sets.hpp"
#include "bench/measure.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/text/bytes.hpp"
#include "nttforge/bfv/bfv.hpp"
#include "nttforge/device/make_device.hpp"

namespace {

using namespace nttforge;
using namespace nttforge::bfv;

struct Options : bench::Output {
  unsigned threads = 1;
  double seconds = 0.5;
  std::uint64_t t = 786433;
  std::size_t only = 0, digit_primes = 0;
  std::string clock = "wall";

  void parse(int count, char** arguments) {
    const std::vector<bench::Option> own = {
        bench::number_option("--threads", "threads of the device", threads, 1u, 1024u),
        bench::number_option("--seconds", "time for each operation", seconds, 0.001, 60.0),
        bench::number_option("--t", "plaintext modulus of the presets", t, std::uint64_t{2},
                             std::uint64_t{1} << 59),
        bench::number_option("--only", "sets of this n only (0: all)", only, std::size_t{0},
                             std::size_t{1} << 17),
        bench::number_option("--digit-primes", "primes of a digit of the presets (0: the recommended)",
                             digit_primes, std::size_t{0}, std::size_t{16}),
        bench::choice_option("--clock", "what time is counted", clock, {"wall", "thread"})};
    bench::parse_options(count, arguments, own + bench::Output::options());
  }
};

double thread_ns() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

bench::Timing measure(const Options& options, const std::function<void()>& body) {
  if (options.clock == "wall") return bench::measure_for(body, options.seconds);
  body();  // warm-up
  std::vector<double> samples;
  const double start = thread_ns();
  do {
    const double before = thread_ns();
    body();
    samples.push_back(thread_ns() - before);
  } while (samples.size() < 5 || thread_ns() - start < options.seconds * 1e9);
  return bench::timing_of(std::move(samples), 1);
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
  const Ciphertext z = evaluator.apply_galois(evaluator.multiply_relinearize(x, y, key), 3, rotations);
  std::vector<std::uint64_t> expected(context->n(), 0);
  for (std::size_t i = 0; i < 4; ++i) expected[3 * i] = 1;
  if (encoder.decode(decryptor.decrypt(z)) == expected) return;
  throw Error("wrong result for " + context->parameters().describe());
}

/// Eight rotations, each by itself and sharing a decomposition, and products of a matrix with a vector
/// (bfv_matrix.hpp).
void add_linear(const ContextPtr& context, const KeyGenerator& generator,
                const std::function<void(const char*, const std::function<void()>&)>& time) {
  const Evaluator evaluator(context);
  const BatchEncoder encoder(context);
  const Encryptor encryptor(generator.public_key());
  const Decryptor decryptor(generator.secret_key());
  std::vector<std::int64_t> steps, babies, giants;
  for (std::int64_t i = 1; i <= bench::kRotations; ++i) steps.push_back(i);
  const std::size_t n = context->n();
  std::vector<std::uint64_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = bench::vector_entry(i);
  const Ciphertext x = encryptor.encrypt(encoder.encode(values));
  {
    const RotationKeys keys = generator.rotation_keys(steps);
    const std::vector<Ciphertext> many = evaluator.rotate_many(x, steps, keys);
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (encoder.decode(decryptor.decrypt(many[i])) !=
          encoder.decode(decryptor.decrypt(evaluator.rotate_rows(x, steps[i], keys))))
        throw Error("wrong result of rotate_many");
    time("8 rotations", [&] {
      for (const std::int64_t step : steps) evaluator.rotate_rows(x, step, keys);
    });
    time("8 rotations, hoisted", [&] { evaluator.rotate_many(x, steps, keys); });
  }
  if (!bench::has_matrix(n)) return;
  for (std::size_t j = 0; j < bench::kBabySteps; ++j) babies.push_back(static_cast<std::int64_t>(j));
  for (std::size_t g = 0; g < bench::kMatrixSize; g += bench::kBabySteps)
    giants.push_back(static_cast<std::int64_t>(g));
  std::vector<std::uint64_t> factors;
  for (std::size_t d = 0; d < bench::kMatrixSize; ++d) {
    const std::vector<std::uint64_t> factor = bench::matrix_factor(d, n);
    factors.insert(factors.end(), factor.begin(), factor.end());
  }
  const LinearMap map(babies, giants, PreparedPlaintext(encoder.encode(factors, bench::kMatrixSize)));
  const RotationKeys keys = generator.rotation_keys(map.rotations());
  const Ciphertext y = evaluator.apply(map, x, keys);
  if (*y.predicted_noise_budget_bits() <= 0) return;
  if (encoder.decode(decryptor.decrypt(y)) != bench::matrix_product(n, context->t()))
    throw Error("wrong result of a linear map");
  time("matrix 1024 x 1024", [&] { evaluator.apply(map, x, keys); });
}

void run(const bench::BfvSet& set, const std::shared_ptr<const Device>& device, const Options& options,
         bench::Report& report) {
  const Parameters parameters = set.t == 2 ? Parameters::badawi2018(set.n)
                                           : Parameters::preset(set.n, options.t, SecurityLevel::classical128,
                                                                kStrictestTable, 64, options.digit_primes);
  const ContextPtr context = Context::create(parameters, device);
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
  const auto time = [&](const char* operation, const std::function<void()>& body) {
    const std::string threads = options.threads == 1 ? "" : std::to_string(options.threads) + " threads";
    bench::BfvSet shown = set;
    shown.t = parameters.t;
    bench::add_bfv(report, "nttforge", shown, parameters.q_bits(), threads, operation,
                   measure(options, body));
  };
  std::printf("\n%s\n", parameters.describe().c_str());
  time("secret and public key", [&] { KeyGenerator(context).public_key(); });
  time("relinearization key", [&] { generator.relinearization_key(); });
  time("encrypt (public key)", [&] { encryptor.encrypt(plain); });
  time("decrypt", [&] { decryptor.decrypt(x); });
  time("save a ciphertext", [&] { to_bytes(x); });
  const std::vector<std::uint8_t> bytes = to_bytes(x);
  time("load a ciphertext", [&] { ciphertext_from_bytes(context, bytes); });
  time("checksum of its bytes", [&] { checksum64(bytes); });
  time("add", [&] { evaluator.add(x, y); });
  time("add in place", [&] { evaluator.add_in_place(sum, y); });
  time("copy of a ciphertext", [&] {  // what memory takes for the rows of an addition in place
    context->queue().copy(y.data(), sum.data(), y.words());
  });
  time("multiply plain (prepared)", [&] { evaluator.multiply_plain(x, prepared); });
  time("multiply", [&] { evaluator.multiply(x, y); });
  time("square", [&] { evaluator.square(x); });
  time("relinearize", [&] { evaluator.relinearize(product, key); });
  time("multiply + relinearize", [&] { evaluator.multiply_relinearize(x, y, key); });
  if (parameters.has_batching()) add_linear(context, generator, time);
  time("rotate", [&] { evaluator.apply_galois(x, rotation_element(context->n(), 1), rotations); });
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("bfv_bench", [&] {
    Options options;
    options.parse(count, arguments);
    const auto device = make_cpu_device(options.threads);
    bench::Report report = options.report();
    report.note("device", device->description());
    report.note("clock", options.clock);
    report.note("digit_primes", std::to_string(options.digit_primes));
    for (const bench::BfvSet& set : bench::bfv_sets()) {
      if (options.only == 0 || options.only == set.n) run(set, device, options, report);
    }
    report.write(options.json);
  });
}
