// SPDX-License-Identifier: Apache-2.0
// Transforms of one limb, in place, data in cache: every target this CPU has, every arithmetic, forward and
// inverse; polynomial products, fused against the sum of their parts; a batch of limbs on one thread and on
// several. Each output is checked against the definition before it is timed. ntt_bench --help lists the
// options.

#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "bench/aligned.hpp"
#include "bench/clock.hpp"
#include "bench/measure.hpp"
#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/ntt/candidates.hpp"
#include "nttforge/ntt/plan.hpp"

using namespace nttforge;
using bench::AlignedVector;

namespace {

struct Options : bench::Output {
  unsigned min_log_n = 10, max_log_n = 16, step = 2, threads = 2;
  std::string target = "all", classes = "all", recipes = "all", kind = "transform";
  bench::Repetition repetition;

  void parse(int count, char** arguments) {
    std::vector<std::string> targets = {"all"};
    for (const Target available : available_targets()) targets.emplace_back(target_name(available));
    const std::vector<bench::Option> own = {
        bench::number_option("--min-log-n", "smallest transform", min_log_n, 1u, 24u),
        bench::number_option("--max-log-n", "largest transform", max_log_n, 1u, 24u),
        bench::number_option("--step", "between the log2 of sizes", step, 1u, 24u),
        bench::number_option("--threads", "threads of a batch, against one", threads, 1u, 1024u),
        bench::choice_option("--target", "one target only", target, targets),
        bench::choice_option("--class", "one class of primes only", classes,
                             {"all", "30-bit", "50-bit", "60-bit", "62-bit", "goldilocks"}),
        bench::choice_option("--recipes", "all distinct kernels, or the explorer's choice for each target",
                             recipes, {"all", "chosen"}),
        bench::choice_option("--kind", "what to measure", kind, {"transform", "product", "batch", "all"})};
    bench::parse_options(count, arguments, own + repetition.options() + bench::Output::options());
  }
  bool wants(const std::string& what) const { return kind == "all" || kind == what; }
};

struct Class {
  const char* name;
  unsigned bits, word_bits;
};
constexpr Class kClasses[] = {
    {"30-bit", 30, 32}, {"50-bit", 50, 64}, {"60-bit", 60, 64}, {"62-bit", 62, 64}, {"goldilocks", 64, 64}};

unsigned log2_of(std::size_t n) {
  unsigned log_n = 0;
  while ((std::size_t{1} << log_n) < n) ++log_n;
  return log_n;
}

/// X[k] by its sum.
template <class Word>
bool equals_definition(const NttPlan& plan, const Word* a, const Word* x) {
  const std::uint64_t q = plan.spec().moduli[0], n = plan.n();
  for (const std::uint64_t k : {std::uint64_t{0}, std::uint64_t{1}, n / 3, n - 1}) {
    const std::uint64_t point = wide_pow_mod(plan.spec().roots[0], 2 * k + 1, q);
    std::uint64_t value = 0;
    for (std::size_t j = n; j-- > 0;) {  // Horner
      value = static_cast<std::uint64_t>((static_cast<u128>(value) * point + a[j]) % q);
    }
    if (value != x[k]) return false;
  }
  return true;
}

template <class Word>
void verify(const NttSpec& spec, const NttRecipe& recipe, const AlignedVector<Word>& input) {
  NttSpec natural = spec;
  natural.output_order = Order::natural;
  const NttPlan plan(natural, recipe);
  auto x = input;
  plan.forward(std::span<const Word>(x), std::span<Word>(x));
  const bool right = equals_definition(plan, input.data(), x.data());
  plan.inverse(std::span<const Word>(x), std::span<Word>(x));
  if (!right || x != input) throw Error("wrong result, not timed: " + recipe.to_json());
}

template <class Word>
AlignedVector<Word> random_residues(const NttSpec& spec, std::uint64_t state) {
  AlignedVector<Word> x;
  for (const std::uint64_t q : spec.moduli) {
    for (std::size_t i = 0; i < spec.n; ++i) {
      x.push_back(static_cast<Word>((state = state * 6364136223846793005u + 1442695040888963407u) % q));
    }
  }
  return x;
}

/// Measures recipes of one class of primes; words of that class.
template <class Word>
class Runner {
 public:
  Runner(const Options& options, const Class& the_class, bench::Report& report)
      : options_(options), class_(the_class), report_(report) {}

  void transform(const NttSpec& spec, Target target, const NttRecipe& recipe) {
    auto x = random_residues<Word>(spec, 1);
    verify(spec, recipe, x);
    const NttPlan plan(spec, recipe);
    const std::span<Word> words(x);
    keep("transform", "forward", spec, target, recipe,
         options_.repetition.time([&] { plan.forward(std::span<const Word>(words), words); }));
    keep("transform", "inverse", spec, target, recipe,
         options_.repetition.time([&] { plan.inverse(std::span<const Word>(words), words); }));
  }

  /// a b, all in coefficient form: in one call, and by its four parts.
  void product(const NttSpec& spec, Target target, const NttRecipe& recipe) {
    const NttPlan plan(spec, recipe);
    const auto a = random_residues<Word>(spec, 1), b = random_residues<Word>(spec, 2);
    AlignedVector<Word> fused(a.size()), x(a.size()), y(a.size());
    const auto in = [](const AlignedVector<Word>& v) { return std::span<const Word>(v); };
    const auto out = [](AlignedVector<Word>& v) { return std::span<Word>(v); };
    const auto in_parts = [&] {
      plan.forward(in(a), out(x));
      plan.forward(in(b), out(y));
      plan.multiply(in(x), in(y), out(x));
      plan.inverse(in(x), out(x));
    };
    const auto in_one = [&] { plan.polynomial_product(in(a), in(b), out(fused), out(y)); };
    in_parts();
    in_one();
    if (x != fused) throw Error("the fused product differs, not timed: " + recipe.to_json());
    const bench::ByTurns times = options_.repetition.time_by_turns(in_parts, in_one);
    keep("product", "parts", spec, target, recipe, times.first);
    keep("product", "fused", spec, target, recipe, times.second);
  }

  /// Measures all limbs of the spec, on one thread and on several.
  void batch(const NttSpec& spec, Target target, const NttRecipe& recipe) {
    NttRecipe several = recipe;
    several.threads = options_.threads;
    const NttPlan one_plan(spec, recipe), plan(spec, several);
    auto x = random_residues<Word>(spec, 1), y = x;
    const std::span<Word> one_words(x), words(y);
    const auto on_one = [&] { one_plan.forward(std::span<const Word>(one_words), one_words); };
    const auto on_several = [&] { plan.forward(std::span<const Word>(words), words); };
    on_one();
    on_several();
    if (x != y) throw Error("the result depends on the threads, not timed: " + several.to_json());
    const bench::ByTurns times = options_.repetition.time_by_turns(on_one, on_several);
    keep("batch", "forward", spec, target, recipe, times.first);
    if (options_.threads != 1) keep("batch", "forward", spec, target, several, times.second, times.ratio);
  }

 private:
  void keep(const char* kind, const char* direction, const NttSpec& spec, Target target,
            const NttRecipe& recipe, const bench::Timing& timing, double speedup = 0) {
    const double ghz = bench::chain_ghz(500);  // before anything else: the clock the code ran at
    const unsigned log_n = log2_of(spec.n);
    const double butterflies = static_cast<double>(spec.n * spec.moduli.size()) / 2 * log_n;
    std::printf("%-12s %-11s %-10s r%-2u %-10s 2^%-2u %-8s %zux %ut %11.0f %11.0f   %.3f\n",
                std::string(target_name(target)).c_str(), std::string(target_name(recipe.target)).c_str(),
                std::string(arithmetic_name(recipe.arithmetic[0])).c_str(), recipe.radix, class_.name, log_n,
                direction, spec.moduli.size(), recipe.threads, timing.min_ns, timing.median_ns,
                timing.min_ns / butterflies);
    std::fflush(stdout);
    Json row = Json::object();
    row.set("kind", kind);
    row.set("bits", class_.bits);
    row.set("word_bits", class_.word_bits);
    row.set("q", spec.moduli[0]);
    row.set("n", spec.n);
    row.set("ring", "negacyclic");
    row.set("limbs", spec.moduli.size());
    row.set("threads", recipe.threads);
    row.set("target", std::string(target_name(target)));
    row.set("direction", direction);
    row.set("recipe", Json::parse(recipe.to_json()));
    if (ghz > 0) row.set("ghz", ghz);
    if (speedup > 0) row.set("speedup", speedup);
    report_.add(std::move(row), timing);
  }

  const Options& options_;
  const Class& class_;
  bench::Report& report_;
};

/// Recipes to measure for one target: all whose kernels differ, or the explorer's choice.
template <class Word>
std::vector<NttRecipe> recipes_for(const NttSpec& spec, Target target, const Options& options) {
  if (options.recipes == "chosen") return {choose_recipe(spec, target)};
  std::vector<NttRecipe> recipes;
  std::set<const void*> seen;
  for (const NttRecipe& recipe : candidate_recipes(spec, std::vector<Target>{target})) {
    if (recipe.algorithm != kMergedAlgorithm) continue;
    const TransformKernel<Word>& kernel = find_kernel<Word>(spec, recipe, 0);
    if (kernel.target == recipe.target && seen.insert(&kernel).second) recipes.push_back(recipe);
  }
  return recipes;
}

NttSpec spec_of(const Class& the_class, std::size_t n, std::size_t limbs) {
  NttSpec spec{n, {}};
  spec.moduli =
      the_class.bits == 64 ? std::vector<std::uint64_t>{kGoldilocks} : ntt_primes(n, the_class.bits, limbs);
  spec.word_bits = the_class.word_bits;
  return validated(spec);
}

template <class Word>
void run_class(const Class& the_class, const Options& options, bench::Report& report) {
  Runner<Word> runner(options, the_class, report);
  constexpr std::size_t kBatchLimbs = 8;
  for (unsigned log_n = options.min_log_n; log_n <= options.max_log_n; log_n += options.step) {
    const std::size_t n = std::size_t{1} << log_n;
    const NttSpec spec = spec_of(the_class, n, 1);
    for (const Target target : available_targets()) {
      if (options.target != "all" && options.target != target_name(target)) continue;
      for (const NttRecipe& recipe : recipes_for<Word>(spec, target, options)) {
        if (options.wants("transform")) runner.transform(spec, target, recipe);
        if (options.wants("product")) runner.product(spec, target, recipe);
      }
    }
    if (options.wants("batch") && the_class.bits != 64) {
      const NttSpec limbs = spec_of(the_class, n, kBatchLimbs);
      const Target target =
          options.target == "all" ? available_targets().back() : parse_target(options.target);
      runner.batch(limbs, target, choose_recipe(limbs, target));
    }
  }
}

void run(const Options& options) {
  bench::Report report = options.report();
  std::printf("%-12s %-11s %-10s %-3s %-10s %-4s %-8s %-5s %11s %11s   ns per butterfly\n", "target",
              "kernel", "arithmetic", "", "class", "n", "", "", "min ns", "median ns");
  for (const Class& the_class : kClasses) {
    if (options.classes != "all" && options.classes != the_class.name) continue;
    if (the_class.word_bits == 64) {
      run_class<std::uint64_t>(the_class, options, report);
    } else {
      run_class<std::uint32_t>(the_class, options, report);
    }
  }
  report.write(options.json);
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("ntt_bench", [&] {
    Options options;
    options.parse(count, arguments);
    run(options);
  });
}
