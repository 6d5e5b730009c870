// SPDX-License-Identifier: Apache-2.0
// The seven algorithms of [Din24] on the current GPU, as the paper has them and tuned, on one core of the
// CPU, and the engine's own kernels, in one run: n = 2^10 ... 2^20, one polynomial and a batch, words of 64
// and 32 bits, forward, cyclic. Everything is checked against the CPU's words and then timed; --check only
// checks, forward and back, 10^5 random polynomials in all.

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/gpu_measure.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/cuda/candidates.hpp"
#include "nttforge/cuda/device.hpp"
#include "nttforge/cuda/plan.hpp"
#include "nttforge/cuda/plan/tables.hpp"
#include "nttforge/ntt/algorithms/algorithms.hpp"
#include "nttforge/ntt/order.hpp"
#include "nttforge/ntt/plan.hpp"

using namespace nttforge;

namespace {

struct Options {
  unsigned min_log_n = 10, max_log_n = 20, runs = 30, bits = 0, batch = 32, check = 0;
  std::string json, commit, flags;

  void parse(int count, char** arguments) {
    bench::parse_options(
        count, arguments,
        {bench::number_option("--min-log-n", "smallest transform", min_log_n, 10u, 20u),
         bench::number_option("--max-log-n", "largest transform", max_log_n, 10u, 20u),
         bench::number_option("--runs", "timed runs of each graph", runs, 3u, 10000u),
         bench::number_option("--bits", "only primes of so many bits, 60 or 30 (0: both)", bits, 0u, 60u),
         bench::number_option("--batch", "polynomials of a batch", batch, 2u, 4096u),
         bench::number_option("--check", "1: check everything, 2: a little of each kernel; time nothing",
                              check, 0u, 2u),
         bench::text_option("--json", "file for the results", json),
         bench::text_option("--commit", "commit, kept with the results", commit),
         bench::text_option("--flags", "compiler flags, kept with the results", flags)});
  }
};

constexpr const char* kSeven[] = {"dit", "dif", "flat", "pease", "pease_nc", "six_step", "stockham"};

/// Input of some polynomials modulo one prime, and the right values in natural and in bit-reversed order.
template <class Word>
struct Polynomials {
  NttSpec spec;
  std::size_t count;
  std::vector<Word> input, natural, reversed;

  /// `distinct` of them are random, the others repeat these.
  Polynomials(unsigned log_n, Ring ring, std::size_t of, std::size_t distinct, std::uint64_t seed)
      : count(of) {
    const std::size_t n = std::size_t{1} << log_n;
    const unsigned bits = sizeof(Word) == 8 ? 60 : 30;
    spec = validated({.n = n,
                      .moduli = {ntt_primes(n, bits, 4).at(seed % 4)},
                      .ring = ring,
                      .output_order = Order::natural,
                      .word_bits = 8 * sizeof(Word)});
    distinct = std::min(distinct, count);
    input.resize(count * n);
    natural.resize(count * n);
    reversed.resize(count * n);
    bench::parallel_for(distinct, [&](std::size_t p) {
      std::uint64_t state = seed * 1000003 + p;
      for (std::size_t i = 0; i < n; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const std::uint64_t pick = state >> 60;
        input[p * n + i] = static_cast<Word>(pick == 0 ? spec.moduli[0] - 1 : (state >> 2) % spec.moduli[0]);
      }
    });
    const std::size_t words = distinct * n;
    NttPlan(spec).forward(std::span<const Word>(input.data(), words), std::span<Word>(natural.data(), words));
    bench::parallel_for(
        distinct, [&](std::size_t p) { permute_bit_reversed(&natural[p * n], &reversed[p * n], log_n); });
    for (std::size_t p = distinct; p < count; ++p) {
      for (auto* all : {&input, &natural, &reversed})
        std::copy_n(all->begin() + static_cast<std::ptrdiff_t>(p % distinct * n), n,
                    all->begin() + static_cast<std::ptrdiff_t>(p * n));
    }
  }
  const std::vector<Word>& values(bool in_natural_order) const {
    return in_natural_order ? natural : reversed;
  }
};

/// The arrays of a cell on the card.
template <class Word>
struct Arrays {
  bench::OnDevice<Word> x, y, work;
  explicit Arrays(const Polynomials<Word>& data)
      : x(data.input), y(data.input.size()), work(data.input.size()) {}
};

/// A row of the launch table with the tables of one prime: all polynomials of a batch in one call.
template <class Word>
class RowOnCard {
 public:
  RowOnCard(const cuda::CudaKernelRow<Word>& row, const Polynomials<Word>& data, const Arrays<Word>& arrays,
            bool both_directions)
      : row_(row), limbs_(data.count) {
    const cuda::TableSource source{data.spec, 0};
    cuda::CudaLimb<Word> limb = cuda::make_limb(source, row);
    limb.forward = limb.inverse = upload(source, false);
    if (both_directions) limb.inverse = upload(source, true);
    limbs_.set(std::vector<cuda::CudaLimb<Word>>(data.count, limb));
    launch_.limbs = limbs_.data();
    launch_.limb_count = static_cast<std::uint32_t>(data.count);
    launch_.batch = 1;
    while (std::size_t{1} << launch_.log_n < data.spec.n) ++launch_.log_n;
    launch_.workspace = arrays.work.data();
  }
  void run(bool inverse, const Word* in, Word* out, cudaStream_t stream) {
    launch_.in = in;
    launch_.out = out;
    const int error = (inverse ? row_.inverse : row_.forward)(launch_, stream);
    bench::require(static_cast<cudaError_t>(error), row_.recipe.algorithm.c_str());
  }

 private:
  const Word* upload(const cuda::TableSource& source, bool inverse) {
    const auto table = cuda::build_table(source, row_, inverse);
    tables_.emplace_back(table.size());
    tables_.back().set(table.data(), table.size());
    return tables_.back().data();
  }

  const cuda::CudaKernelRow<Word>& row_;
  std::vector<bench::OnDevice<Word>> tables_;
  bench::OnDevice<cuda::CudaLimb<Word>> limbs_;
  cuda::CudaLaunch<Word> launch_;
};

class Runner {
 public:
  Runner(const Options& options, bench::Report& report)
      : options_(options), report_(report), clock_(options.runs), slow_(5, clock_.stream()) {}

  void run() {
    if (options_.bits != 30) words<std::uint64_t>();
    if (options_.bits != 60) words<std::uint32_t>();
  }

 private:
  template <class Word>
  void words() {
    std::size_t checked = 0;
    for (unsigned log_n = options_.min_log_n; log_n <= options_.max_log_n; ++log_n) {
      if (options_.check != 0) {
        checked += check<Word>(log_n);
        continue;
      }
      if (sizeof(Word) == 8 || log_n % 2 == 0) cpu<Word>(log_n);
      cell<Word>(log_n, 1);
      cell<Word>(log_n, options_.batch);
    }
    if (options_.check != 0)
      std::printf("%zu random polynomials of %zu-bit words: every kernel gives the CPU's words\n", checked,
                  8 * sizeof(Word));
  }

  template <class Word, class Body>
  static void each_row(const Body& body) {
    bool found = false;
    for (const auto& row : cuda::cuda_rows<Word>(cuda::CudaRowKind::papers)) {
      if (!row.recipe.algorithm.starts_with("din24_")) continue;
      found = true;
      body(row);
    }
    if (!found) throw Error("the kernels of papers are not in this build: build with -DNTTFORGE_PAPERS=ON");
  }
  template <class Word>
  void expect(const std::vector<Word>& want, const bench::OnDevice<Word>& found, const std::string& what) {
    bench::require(cudaStreamSynchronize(clock_.stream()), what.c_str());
    if (found.get(want.size()) != want) throw Error("wrong result, not timed: " + what);
  }

  /// Both directions, both rings, out of place and in place. Returns how many polynomials.
  template <class Word>
  std::size_t check(unsigned log_n) {
    std::size_t checked = 0;
    const std::size_t most = options_.check == 2 ? 2 : std::max<std::size_t>(2, (1200u << 10) >> log_n);
    for (const Ring ring : {Ring::cyclic, Ring::negacyclic}) {
      const Polynomials<Word> data(log_n, ring, most, most, log_n * 2 + (ring == Ring::cyclic ? 0 : 1));
      const Arrays<Word> arrays(data);
      each_row<Word>([&](const cuda::CudaKernelRow<Word>& row) {
        const std::string name = row.recipe.algorithm + ", n = 2^" + std::to_string(log_n);
        const std::vector<Word>& values = data.values(row.natural_values);
        RowOnCard<Word> kernels(row, data, arrays, true);
        arrays.x.set(data.input);
        kernels.run(false, arrays.x.data(), arrays.y.data(), clock_.stream());
        expect(values, arrays.y, name);
        kernels.run(true, arrays.y.data(), arrays.x.data(), clock_.stream());
        expect(data.input, arrays.x, name + ", inverse");
        kernels.run(false, arrays.x.data(), arrays.x.data(), clock_.stream());
        expect(values, arrays.x, name + ", in place");
        kernels.run(true, arrays.x.data(), arrays.x.data(), clock_.stream());
        expect(data.input, arrays.x, name + ", inverse in place");
        checked += data.count;
      });
    }
    return checked;
  }

  template <class Word>
  static Json describe(const char* kind, unsigned log_n, std::size_t batch, const std::string& algorithm) {
    Json row = Json::object();
    row.set("kind", std::string(kind));
    row.set("word_bits", 8 * sizeof(Word));
    row.set("log_n", log_n);
    row.set("batch", batch);
    row.set("algorithm", algorithm);
    return row;
  }
  void keep(const Json& row, const bench::Timing& timing) {
    report_.add(row, timing);
    std::printf("%10.2f us  %s\n", timing.median_ns / 1e3, row.dump().c_str());
    std::fflush(stdout);
  }
  /// Graphs of as many calls as take about a millisecond, 20 at most; few runs of what takes longer.
  template <class Body>
  bench::Timing time(const Body& body) {
    const double once = slow_.time(1, body).median_ns;
    if (once > 1e6) return slow_.time(1, body);
    return clock_.time(static_cast<unsigned>(std::clamp(1e6 / once, 2.0, 20.0)), body);
  }

  /// The seven, twice each, and the engine's own kernels in their order and in natural order.
  template <class Word>
  void cell(unsigned log_n, std::size_t batch) {
    const Polynomials<Word> data(log_n, Ring::cyclic, batch, 4, log_n);
    const Arrays<Word> arrays(data);
    each_row<Word>([&](const cuda::CudaKernelRow<Word>& row) {
      RowOnCard<Word> kernels(row, data, arrays, false);
      kernels.run(false, arrays.x.data(), arrays.y.data(), clock_.stream());
      expect(data.values(row.natural_values), arrays.y, row.recipe.algorithm);
      const std::string& name = row.recipe.algorithm;
      Json described = describe<Word>(name.ends_with("_tuned") ? "tuned" : "paper", log_n, batch,
                                      name.substr(6, name.size() - 12));
      described.set("output_order", std::string(row.natural_values ? "natural" : "bit_reversed"));
      keep(described,
           time([&](unsigned) { kernels.run(false, arrays.x.data(), arrays.y.data(), clock_.stream()); }));
    });
    engine(data, arrays, log_n, batch);
  }
  template <class Word>
  void engine(const Polynomials<Word>& data, const Arrays<Word>& arrays, unsigned log_n, std::size_t batch) {
    const cuda::CudaDevice card = cuda::describe_device(0);
    const std::span<const Word> in(arrays.x.data(), data.input.size());
    const std::span<Word> out(arrays.y.data(), data.input.size());
    for (const Order order : {Order::bit_reversed, Order::natural}) {
      NttSpec spec = data.spec;
      spec.output_order = order;
      bool chosen = true;
      for (const cuda::CudaRecipe& recipe : cuda::candidate_recipes(spec, card, batch)) {
        const cuda::CudaNttPlan plan(spec, recipe, 0);
        plan.forward(in, out, clock_.stream());
        expect(data.values(order == Order::natural), arrays.y, "the engine");
        Json described = describe<Word>("engine", log_n, batch, recipe.algorithm);
        described.set("output_order", std::string(order_name(order)));
        described.set("chosen", chosen);
        described.set("recipe", Json::parse(recipe.of_transform().to_json()));
        keep(described, time([&](unsigned) { plan.forward(in, out, clock_.stream()); }));
        chosen = false;
      }
    }
  }

  /// One polynomial on one core: each algorithm as the collection has it, and the engine.
  template <class Word>
  void cpu(unsigned log_n) {
    const Polynomials<Word> data(log_n, Ring::cyclic, 1, 1, log_n);
    std::vector<Word> out(data.spec.n);
    const auto measure = [&](const std::string& algorithm, const NttPlan& plan,
                             const std::vector<Word>& want) {
      const auto transform = [&] { plan.forward(std::span<const Word>(data.input), std::span<Word>(out)); };
      transform();
      if (out != want) throw Error("wrong result, not timed: " + algorithm + " on the CPU");
      Json row = describe<Word>("cpu", log_n, 1, algorithm);
      row.set("output_order", std::string(order_name(plan.spec().output_order)));
      keep(row, bench::measure_for(transform, 0.06));
    };
    NttSpec reversed = data.spec;
    reversed.output_order = Order::bit_reversed;
    for (const char* name : kSeven) {
      const bool natural = std::string(name) != "dif";
      const NttSpec& spec = natural ? data.spec : reversed;
      measure(name, NttPlan(spec, algorithm_recipe(spec, name)), data.values(natural));
    }
    measure("engine", NttPlan(reversed), data.reversed);
    measure("engine", NttPlan(data.spec), data.natural);
  }

  const Options& options_;
  bench::Report& report_;
  bench::GpuClock clock_, slow_;
};

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("gpu_nttsuite_bench", [&] {
    Options options;
    options.parse(count, arguments);
    bench::Report report("nttforge", options.commit, options.flags);
    bench::describe_gpu(report);
    Runner(options, report).run();
    report.write(options.json);
  });
}
