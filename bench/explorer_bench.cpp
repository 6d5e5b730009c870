// SPDX-License-Identifier: Apache-2.0
// How far the static model's choice is behind the best recipe that measuring finds, over a grid of classes,
// sizes, orders and threads. The model's choice is always among those measured.

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "bench/options.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/ntt/candidates.hpp"
#include "nttforge/ntt/explorer.hpp"

using namespace nttforge;

namespace {

struct Options {
  unsigned min_log_n = 4, max_log_n = 18, step = 2, threads = 1, limbs = 1;
  double budget_s = 0.3;
  std::string target = "active", json, flags, commit;
};

struct Class {
  const char* name;
  unsigned bits, word_bits;
};
constexpr Class kClasses[] = {
    {"30-bit/32", 30, 32}, {"30-bit", 30, 64}, {"50-bit", 50, 64}, {"60-bit", 60, 64}, {"62-bit", 62, 64}};

Json explored(const ExploredRecipe& r) {
  Json json = Json::object();
  json.set("recipe", Json::parse(r.recipe.to_json()));
  json.set("predicted_ns", r.predicted_ns);
  if (r.state == ExploredRecipe::State::measured) json.set("measured_ns", r.measured_ns);
  return json;
}

class Grid {
 public:
  Grid(const Options& options, Target target)
      : options_(options), target_(target), report_("nttforge", options.commit, options.flags) {
    for (const Target t : kAllTargets) {
      if (t <= target) targets_.push_back(t);
    }
    std::printf("%-9s %-4s %-12s %-2s %-26s %-26s %8s %8s\n", "class", "n", "output", "x", "model", "best",
                "us", "regret");
  }

  void cell(const Class& the_class, std::size_t n, Order output, unsigned threads) {
    NttSpec spec{n, ntt_primes(n, the_class.bits, options_.limbs)};
    spec.output_order = output;
    spec.word_bits = the_class.word_bits;
    const NttRecipe choice = choose_recipe(spec, target_, threads);
    ExploreOptions explore_options;
    explore_options.threads = threads;
    explore_options.budget_s = options_.budget_s;
    explore_options.targets = targets_;
    const Exploration found = explore(spec, explore_options);
    const auto measured_as = [&](unsigned on) {
      NttRecipe recipe = choice;
      recipe.threads = on;
      return std::find_if(found.recipes.begin(), found.recipes.end(),
                          [&](const ExploredRecipe& r) { return r.recipe == recipe; });
    };
    auto chosen = measured_as(choice.threads);
    if (chosen == found.recipes.end()) chosen = measured_as(1);  // too little work for more threads
    if (chosen == found.recipes.end() || chosen->state != ExploredRecipe::State::measured)
      throw Error("the model's choice was not measured: give more --budget");
    const ExploredRecipe& best = found.recipes.front();
    const double regret = chosen->measured_ns / best.measured_ns - 1;
    regrets_.push_back(regret);
    std::printf("%-9s %-4zu %-12s %-2u %-26s %-26s %8.2f %7.1f%%\n", the_class.name, n,
                std::string(order_name(output)).c_str(), threads, name(choice).c_str(),
                name(best.recipe).c_str(), best.measured_ns / 1e3, regret * 100);
    std::fflush(stdout);
    Json recipes = Json::array();
    for (const ExploredRecipe& r : found.recipes) recipes.push_back(explored(r));
    Json json = Json::object();
    json.set("class", the_class.name);
    json.set("n", n);
    json.set("limbs", options_.limbs);
    json.set("threads", threads);
    json.set("output_order", order_name(output));
    json.set("regret", regret);
    json.set("model", explored(*chosen));
    json.set("recipes", recipes);
    report_.add(json);
  }

  void finish() {
    std::sort(regrets_.begin(), regrets_.end());
    const auto within = std::count_if(regrets_.begin(), regrets_.end(), [](double r) { return r <= 0.1; });
    std::printf("\nwithin 10 %% of the best: %td of %zu; worst %.1f %%, median %.1f %%\n", within,
                regrets_.size(), regrets_.back() * 100, regrets_[regrets_.size() / 2] * 100);
    report_.note("within_10_percent", within);
    report_.note("cells", regrets_.size());
    report_.note("worst_regret", regrets_.back());
    report_.write(options_.json);
  }

 private:
  static std::string name(const NttRecipe& r) {
    return std::string(target_name(r.target)) + " " + std::string(arithmetic_name(r.arithmetic[0])) + " r" +
           std::to_string(r.radix) + " x" + std::to_string(r.threads);
  }

  const Options& options_;
  Target target_;
  std::vector<Target> targets_;
  std::vector<double> regrets_;
  bench::Report report_;
};

void run(const Options& options) {
  Grid grid(options, options.target == "active" ? active_target() : parse_target(options.target));
  for (const Class& the_class : kClasses) {
    for (unsigned log_n = options.min_log_n; log_n <= options.max_log_n; log_n += options.step) {
      const std::size_t n = std::size_t{1} << log_n;
      grid.cell(the_class, n, Order::bit_reversed, options.threads);
      if (the_class.bits == 50) grid.cell(the_class, n, Order::natural, options.threads);
    }
  }
  grid.finish();
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("explorer_bench", [&] {
    Options o;
    bench::parse_options(count, arguments,
                         {bench::number_option("--min-log-n", "smallest n", o.min_log_n, 0u, 24u),
                          bench::number_option("--max-log-n", "largest n", o.max_log_n, 0u, 24u),
                          bench::number_option("--step", "between them", o.step, 1u, 24u),
                          bench::number_option("--threads", "most threads", o.threads, 1u, 1024u),
                          bench::number_option("--limbs", "moduli", o.limbs, 1u, 64u),
                          bench::number_option("--budget", "seconds a cell", o.budget_s, 0.01, 60.0),
                          bench::text_option("--target", "highest target", o.target),
                          bench::text_option("--json", "file to write", o.json),
                          bench::text_option("--flags", "compiler flags, for the record", o.flags),
                          bench::text_option("--commit", "commit, for the record", o.commit)});
    run(o);
  });
}
