// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/explorer.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/cuda/memory.hpp"
#include "nttforge/cuda/plan.hpp"
#include "nttforge/ntt/plan.hpp"

namespace nttforge::cuda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kMostRounds = 8, kCalls = 20, kRuns = 5;
constexpr double kHopeless = 6;  ///< not tried if predicted so many times slower than the best measured
constexpr double kBehind = 1.3;  ///< takes no more turns if so many times slower than the best measured

template <class Word>
class Explorer {
 public:
  Explorer(const NttSpec& spec, const CudaExploreOptions& options, CudaExploration& result)
      : spec_(spec), options_(options), result_(result), runtime_(runtime_of(options.device)) {}

  void run() {
    make_data();
    prepare();
    for (unsigned round = 1; round < kMostRounds && !stopped_ && candidates_.size() > 1; ++round) {
      measure(round);
    }
    for (const Candidate& c : candidates_) {
      c.explored->measured_ns = c.ns();
      measure_product(*c.explored);
    }
    result_.complete = !stopped_;
    result_.elapsed_s = elapsed_s();
  }

 private:
  struct Candidate {
    CudaExploredRecipe* explored;
    CudaNttPlan plan;
    double forward_ns = 0, inverse_ns = 0;
    double ns() const { return (forward_ns + inverse_ns) / 2; }
  };

  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  std::span<Word> words(const CudaBuffer& buffer) const {
    return {static_cast<Word*>(buffer.data()), buffer.bytes() / sizeof(Word)};
  }

  void make_data() {
    const std::size_t count = options_.batch * spec_.moduli.size() * spec_.n;
    input_.resize(count);
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < count; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      input_[i] = static_cast<Word>((state >> 2) % spec_.moduli[i / spec_.n % spec_.moduli.size()]);
    }
    expected_.resize(count);
    NttPlan(spec_).forward(std::span<const Word>(input_), std::span<Word>(expected_));
    buffer_ = CudaBuffer(options_.device, count * sizeof(Word));
    buffer_.share();  // used in the streams that time_ns() makes
  }

  bool agrees(const CudaNttPlan& plan) {
    std::vector<Word> got(input_.size());
    buffer_.from_host(input_.data());
    plan.forward(words(buffer_), words(buffer_));
    buffer_.to_host(got.data());
    if (got != expected_) return false;
    plan.inverse(words(buffer_), words(buffer_));
    buffer_.to_host(got.data());
    return got == input_;
  }

  void time(Candidate& c) {
    const bool host = options_.device < 0;  // there one call takes long enough
    const auto least = [&](double& ns, const auto& call) {
      const double now = runtime_.time_ns(options_.device, host ? 1 : kCalls, host ? 1 : kRuns, call);
      ns = ns == 0 ? now : std::min(ns, now);
    };
    least(c.forward_ns, [&](CudaStream s) { c.plan.forward(words(buffer_), words(buffer_), s); });
    least(c.inverse_ns, [&](CudaStream s) { c.plan.inverse(words(buffer_), words(buffer_), s); });
    c.explored->rounds += 1;
    c.explored->state = CudaExploredRecipe::State::measured;
    c.explored->measured_ns = c.ns();
    best_ns_ = best_ns_ == 0 ? c.ns() : std::min(best_ns_, c.ns());
  }

  bool go_on(std::size_t step, std::size_t steps, const CudaExploredRecipe& at) {
    if (options_.progress && !options_.progress(step, steps, at)) stopped_ = true;
    if (!candidates_.empty() && elapsed_s() > options_.budget_s) stopped_ = true;
    return !stopped_;
  }

  void prepare() {
    for (std::size_t i = 0; i < result_.recipes.size(); ++i) {
      CudaExploredRecipe& explored = result_.recipes[i];
      if (!go_on(i + 1, result_.recipes.size(), explored)) return;
      if (best_ns_ != 0 && explored.predicted_ns > kHopeless * best_ns_) continue;
      try {
        Candidate c{&explored, CudaNttPlan(spec_, explored.recipe, options_.device)};
        if (!agrees(c.plan)) {
          explored.state = CudaExploredRecipe::State::wrong;
          continue;
        }
        time(c);
        candidates_.push_back(std::move(c));
      } catch (const UnsupportedError&) {  // no memory for more tables, or a launch the card refuses
        if (candidates_.empty() && i + 1 == result_.recipes.size()) throw;
      }
      drop_slow();
    }
  }

  void measure(unsigned round) {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      Candidate& c = candidates_[(i + round) % candidates_.size()];  // every round begins with another
      if (!go_on(round, kMostRounds, *c.explored)) return;
      time(c);
    }
    drop_slow();
  }

  /// Measures the fused and the composed product of a recipe that is still in the race.
  void measure_product(CudaExploredRecipe& explored) {
    if (!explored.recipe.fused_product) return;
    const std::size_t bytes = buffer_.bytes();
    const CudaBuffer other(options_.device, bytes), out(options_.device, bytes), work(options_.device, bytes);
    for (const CudaBuffer* made : {&other, &out, &work}) made->share();
    other.from_host(input_.data());
    buffer_.from_host(input_.data());
    const bool host = options_.device < 0;
    const auto time_product = [&](const CudaRecipe& recipe) {
      const CudaNttPlan plan(spec_, recipe, options_.device);
      return runtime_.time_ns(options_.device, host ? 1 : kCalls, host ? 1 : kRuns, [&](CudaStream s) {
        plan.polynomial_product(words(buffer_), words(other), words(out), words(work), s);
      });
    };
    explored.fused_product_ns = time_product(explored.recipe);
    explored.composed_product_ns = time_product(explored.recipe.of_transform());
    explored.recipe.fused_product = explored.fused_product_ns <= explored.composed_product_ns;
  }

  void drop_slow() {
    std::erase_if(candidates_, [&](const Candidate& c) { return c.ns() > kBehind * best_ns_; });
  }

  const NttSpec& spec_;
  const CudaExploreOptions& options_;
  CudaExploration& result_;
  CudaRuntime& runtime_;
  std::vector<Word> input_, expected_;
  CudaBuffer buffer_;
  std::vector<Candidate> candidates_;
  double best_ns_ = 0;
  bool stopped_ = false;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace

CudaExploration explore(const NttSpec& given, const CudaExploreOptions& options) {
  if (options.batch == 0 || options.batch > (std::size_t{1} << 20)) {
    throw ParameterError("batch = " + std::to_string(options.batch) +
                         " is out of range: allowed are 1 ... 1048576");
  }
  if (!(options.budget_s > 0 && options.budget_s <= 3600)) {
    throw ParameterError("budget_s = " + std::to_string(options.budget_s) +
                         " is out of range: allowed are seconds in (0, 3600]");
  }
  const NttSpec spec = validated(given);
  const CudaDevice card = describe_device(options.device);
  CudaExploration result;
  for (CudaRecipe& recipe : candidate_recipes(spec, card, options.batch)) {
    const double ns = predicted_ns(spec, recipe, card, options.batch);
    result.recipes.push_back({{std::move(recipe), ns}});
  }
  if (spec.word_bits == 64) {
    Explorer<std::uint64_t>(spec, options, result).run();
  } else {
    Explorer<std::uint32_t>(spec, options, result).run();
  }
  sort_measured_first(result.recipes);
  if (result.recipes.front().state != CudaExploredRecipe::State::measured) {
    throw Error("no GPU recipe was measured: give more time (budget_s), or let it run");
  }
  return result;
}

}  // namespace nttforge::cuda
