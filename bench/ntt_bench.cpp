// Transforms of one limb, in place, data in cache: every target this CPU has, every arithmetic, forward and
// inverse. Each output is checked against the definition before it is timed.
//
//   ntt_bench [--min-log-n 10] [--max-log-n 16] [--step 2] [--target name] [--json file] [--flags text]
//   [--commit text]

#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/ntt/explorer.hpp"
#include "nttforge/ntt/plan.hpp"

using namespace nttforge;

namespace {

struct Options {
  unsigned min_log_n = 10, max_log_n = 16, step = 2;
  std::string target, json, flags, commit;
};

Options parse(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; i += 2) {
    const std::string name = arguments[i];
    if (i + 1 == count) throw ParameterError(name + " needs a value");
    const std::string value = arguments[i + 1];
    const auto number = [&] { return static_cast<unsigned>(std::stoul(value)); };
    if (name == "--min-log-n") {
      options.min_log_n = number();
    } else if (name == "--max-log-n") {
      options.max_log_n = number();
    } else if (name == "--step") {
      options.step = number();
    } else if (name == "--target") {
      options.target = value;
    } else if (name == "--json") {
      options.json = value;
    } else if (name == "--flags") {
      options.flags = value;
    } else if (name == "--commit") {
      options.commit = value;
    } else {
      throw ParameterError("unknown option " + name + "; the first lines of bench/ntt_bench.cpp list them");
    }
  }
  return options;
}

/// X[k] by its sum.
template <class Word>
bool equals_definition(const NttPlan& plan, const std::vector<Word>& a, const std::vector<Word>& x) {
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
void verify(const NttSpec& spec, const NttRecipe& recipe, const std::vector<Word>& input) {
  NttSpec natural = spec;
  natural.output_order = Order::natural;
  const NttPlan plan(natural, recipe);
  auto x = input;
  plan.forward(std::span<const Word>(x), std::span<Word>(x));
  const bool right = equals_definition(plan, input, x);
  plan.inverse(std::span<const Word>(x), std::span<Word>(x));
  if (!right || x != input) throw Error("wrong result, not timed: " + recipe.to_json());
}

template <class Word>
Json run(const NttSpec& spec, const NttRecipe& recipe, const char* kind) {
  std::vector<Word> x(spec.n);
  std::uint64_t state = 1;
  for (Word& v : x)
    v = static_cast<Word>((state = state * 6364136223846793005u + 1442695040888963407u) % spec.moduli[0]);
  verify(spec, recipe, x);
  const NttPlan plan(spec, recipe);
  const std::span<Word> words(x);
  const auto forward = bench::measure([&] { plan.forward(std::span<const Word>(words), words); });
  const auto inverse = bench::measure([&] { plan.inverse(std::span<const Word>(words), words); });
  unsigned log_n = 0;
  while ((std::size_t{1} << log_n) < spec.n) ++log_n;
  const double butterflies = static_cast<double>(spec.n) / 2 * log_n;
  std::printf("%-12s %-10s r%u %-8s 2^%-2u %11.0f %11.0f %11.0f %11.0f   %.3f %.3f\n",
              std::string(target_name(recipe.target)).c_str(),
              std::string(arithmetic_name(recipe.arithmetic[0])).c_str(), recipe.radix, kind, log_n,
              forward.min_ns, forward.median_ns, inverse.min_ns, inverse.median_ns,
              forward.min_ns / butterflies, inverse.min_ns / butterflies);
  std::fflush(stdout);
  Json json = Json::object();
  json.set("n", spec.n);
  json.set("q", spec.moduli[0]);
  json.set("word_bits", spec.word_bits);
  json.set("recipe", Json::parse(recipe.to_json()));
  json.set("forward", bench::to_json(forward));
  json.set("inverse", bench::to_json(inverse));
  return json;
}

/// Recipes whose kernels differ.
template <class Word>
std::vector<NttRecipe> distinct_recipes(const NttSpec& spec, const std::vector<Target>& targets) {
  std::vector<NttRecipe> recipes;
  std::set<const void*> seen;
  for (const NttRecipe& recipe : candidate_recipes(spec, targets)) {
    const KernelRow<Word>& row = find_kernel<Word>(spec, recipe, 0);
    if (row.target == recipe.target && seen.insert(&row).second) recipes.push_back(recipe);
  }
  return recipes;
}

void run_all(const Options& options) {
  auto targets = available_targets();
  if (!options.target.empty()) targets = {parse_target(options.target)};
  Json results = Json::array();
  std::printf("%-12s %-10s %-2s %-8s %-4s %11s %11s %11s %11s   ns per butterfly\n", "target", "arithmetic",
              "", "prime", "n", "forward min", "median", "inverse min", "median");
  struct Kind {
    const char* name;
    unsigned bits, word_bits;
  };
  for (const Kind& kind : {Kind{"30-bit/32", 30, 32}, Kind{"50-bit", 50, 64}, Kind{"60-bit", 60, 64},
                           Kind{"62-bit", 62, 64}, Kind{"goldi", 64, 64}}) {
    for (unsigned log_n = options.min_log_n; log_n <= options.max_log_n; log_n += options.step) {
      const std::size_t n = std::size_t{1} << log_n;
      const std::uint64_t q = kind.bits == 64 ? kGoldilocks : ntt_primes(n, kind.bits, 1)[0];
      NttSpec spec{n, {q}};
      spec.word_bits = kind.word_bits;
      spec = validated(spec);
      if (kind.word_bits == 64) {
        for (const auto& recipe : distinct_recipes<std::uint64_t>(spec, targets)) {
          results.push_back(run<std::uint64_t>(spec, recipe, kind.name));
        }
      } else {
        for (const auto& recipe : distinct_recipes<std::uint32_t>(spec, targets)) {
          results.push_back(run<std::uint32_t>(spec, recipe, kind.name));
        }
      }
    }
  }
  if (options.json.empty()) return;
  Json document = Json::object();
  document.set("circumstances", bench::circumstances(options.flags, options.commit));
  document.set("results", results);
  std::ofstream(options.json) << document.dump(1) << '\n';
}

}  // namespace

int main(int count, char** arguments) {
  try {
    run_all(parse(count, arguments));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ntt_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
