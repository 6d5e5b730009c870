// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/explorer.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <span>
#include <thread>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/memory.hpp"
#include "nttforge/base/threads/cpu_count.hpp"
#include "nttforge/ntt/candidates.hpp"
#include "nttforge/ntt/kernels.hpp"
#include "nttforge/ntt/plan/row_threads.hpp"

namespace nttforge {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostRounds = 100, kEnoughRounds = 16;  ///< the latter for one that is alone
constexpr double kSliceNs =
    300e3;                       ///< of one candidate in one round and direction: below a scheduler's slice
constexpr double kHopeless = 4;  ///< not tried if predicted so many times slower than the best measured
constexpr double kMostTableBytes = 1.5 * (1u << 30);
/// (rounds, factor): after so many rounds, whoever is slower than the best by the factor drops out.
constexpr std::pair<unsigned, double> kDropOuts[] = {{3, 1.4}, {8, 1.12}, {16, 1.05}};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

template <class Word>
std::vector<Word> random_batch(const NttSpec& spec, std::size_t batch) {
  std::vector<Word> x(batch * spec.moduli.size() * spec.n);
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x[i] = static_cast<Word>((state >> 2) % spec.moduli[i / spec.n % spec.moduli.size()]);
  }
  return x;
}

template <class Word>
bool agree(const NttPlan& a, const NttPlan& b, std::size_t batch) {
  const auto in = random_batch<Word>(a.spec(), batch);
  auto x = in, y = in;
  a.forward(std::span<const Word>(in), std::span<Word>(x));
  b.forward(std::span<const Word>(in), std::span<Word>(y));
  if (x != y) return false;
  a.inverse(std::span<const Word>(x), std::span<Word>(x));
  return x == in;
}

struct Candidate {
  ExploredRecipe* explored;
  std::unique_ptr<NttPlan> plan;
  double forward_ns, inverse_ns;

  double mean_ns() const { return (forward_ns + inverse_ns) / 2; }
};

template <class Word>
class Explorer {
 public:
  Explorer(const NttSpec& spec, const ExploreOptions& options, Exploration& result)
      : spec_(spec), options_(options), result_(result), data_(random_batch<Word>(spec, options.batch)) {}

  void run() {
    prepare();
    measure();
    for (const Candidate& c : candidates_) c.explored->measured_ns = c.mean_ns();
    result_.elapsed_s = seconds_since(begin_);
  }

 private:
  bool report(const char* what, std::size_t step, std::size_t steps, const ExploredRecipe* recipe) {
    if (!options_.progress) return true;
    return options_.progress({what, step, steps, seconds_since(begin_), recipe});
  }

  /// Makes and checks plans, best predicted first, while half of the time and some memory last.
  void prepare() {
    const NttPlan reference(spec_, choose_recipe(spec_, Target::scalar));
    double tables = 0, best = 0;
    for (std::size_t i = 0; i < result_.recipes.size(); ++i) {
      ExploredRecipe& explored = result_.recipes[i];
      const double bytes = 4.0 * static_cast<double>(spec_.n * spec_.moduli.size() * sizeof(Word));
      if (!candidates_.empty()) {
        if (seconds_since(begin_) > options_.budget_s / 2) return;
        if (tables + bytes > kMostTableBytes || explored.predicted_ns > kHopeless * best) continue;
      }
      if (!report("preparing", i + 1, result_.recipes.size(), &explored)) {
        stopped_ = true;
        return;
      }
      auto plan = std::make_unique<NttPlan>(spec_, explored.recipe);
      if (!plans_agree(*plan, reference, 1)) {
        explored.state = ExploredRecipe::State::wrong;
        continue;
      }
      candidates_.push_back({&explored, std::move(plan), 0, 0});
      tables += bytes;
      time_once(candidates_.back());
      const double first = candidates_.back().mean_ns();
      best = best == 0 ? first : std::min(best, first);
    }
    prepared_ = true;
  }

  void measure() {
    for (std::size_t round = 1; round <= kMostRounds && !candidates_.empty() && !stopped_; ++round) {
      // Every round begins with another candidate.
      for (std::size_t i = 0; i < candidates_.size(); ++i) {
        if (round > 1 && seconds_since(begin_) > options_.budget_s) return;
        time_once(candidates_[(i + round) % candidates_.size()]);
      }
      const double best = drop_slow();
      const auto fastest = std::find_if(candidates_.begin(), candidates_.end(),
                                        [&](const Candidate& c) { return c.mean_ns() == best; });
      fastest->explored->measured_ns = best;
      if (!report("measuring", round, kMostRounds, fastest->explored)) return;
      if (round >= kEnoughRounds && candidates_.size() == 1) break;
    }
    result_.complete = prepared_ && !stopped_;
  }

  /// Candidates that fell behind keep their figure but take no more turns. Returns the best time.
  double drop_slow() {
    double best = candidates_.front().mean_ns();
    for (const Candidate& c : candidates_) best = std::min(best, c.mean_ns());
    std::erase_if(candidates_, [&](const Candidate& c) {
      for (const auto& [rounds, factor] : kDropOuts) {
        if (c.explored->rounds > rounds && c.mean_ns() > factor * best) {
          c.explored->measured_ns = c.mean_ns();
          return true;
        }
      }
      return false;
    });
    return best;
  }

  void time_once(Candidate& c) {
    // The workers of the candidate before poll for work for a while; they must fall asleep first.
    if (options_.threads > 1) std::this_thread::sleep_for(std::chrono::microseconds(300));
    const std::span<Word> x(data_);
    const double forward = slice(c, [&] { c.plan->forward(std::span<const Word>(x), x); });
    const double inverse = slice(c, [&] { c.plan->inverse(std::span<const Word>(x), x); });
    const bool first = c.explored->rounds == 0;
    c.forward_ns = first ? forward : std::min(c.forward_ns, forward);
    c.inverse_ns = first ? inverse : std::min(c.inverse_ns, inverse);
    c.explored->rounds += 1;
    c.explored->state = ExploredRecipe::State::measured;
  }

  /// Time of one call, the least of a few short runs.
  template <class Call>
  double slice(const Candidate& c, const Call& call) const {
    constexpr int kRuns = 3;
    const double expected = c.mean_ns() != 0 ? c.mean_ns() : c.explored->predicted_ns;
    const int calls = static_cast<int>(std::clamp(kSliceNs / kRuns / expected, 1.0, 1000.0));
    call();
    double least = 0;
    for (int run = 0; run < kRuns; ++run) {
      const auto begin = Clock::now();
      for (int i = 0; i < calls; ++i) call();
      const double ns = seconds_since(begin) * 1e9 / calls;
      least = run == 0 ? ns : std::min(least, ns);
      if (ns > 10 * kSliceNs) break;  // long calls: one a round
    }
    return least;
  }

  const NttSpec& spec_;
  const ExploreOptions& options_;
  Exploration& result_;
  std::vector<Word> data_;
  std::vector<Candidate> candidates_;
  Clock::time_point begin_ = Clock::now();
  bool stopped_ = false, prepared_ = false;
};

using Identity = std::pair<unsigned, std::vector<const void*>>;

/// Two recipes that mean the same kernels, and threads that get something to do, compute alike.
template <class Word>
Identity identity(const NttSpec& spec, const NttRecipe& recipe, std::size_t batch) {
  std::vector<const void*> kernels;
  bool cuttable = true;
  for (std::size_t limb = 0; limb < spec.moduli.size(); ++limb) {
    const TransformKernel<Word>& kernel = find_kernel<Word>(spec, recipe, limb);
    kernels.push_back(&kernel);
    cuttable &= kernel.forward_part != nullptr;
  }
  const std::size_t rows = batch * spec.moduli.size();
  const bool alone = share_rows(rows, spec.n, recipe.threads, cuttable).alone(rows);
  return {alone ? 1 : recipe.threads, std::move(kernels)};
}

std::vector<ExploredRecipe> distinct_candidates(const NttSpec& spec, const ExploreOptions& options) {
  std::vector<ExploredRecipe> found;
  std::set<Identity> seen;
  for (unsigned threads = 1;; threads = std::min(2 * threads, options.threads)) {
    for (const NttRecipe& recipe : candidate_recipes(spec, options.targets, threads)) {
      auto means = spec.word_bits == 64 ? identity<std::uint64_t>(spec, recipe, options.batch)
                                        : identity<std::uint32_t>(spec, recipe, options.batch);
      if (!seen.insert(std::move(means)).second) continue;
      found.push_back({recipe, predicted_ns(spec, recipe, options.batch)});
    }
    if (threads == options.threads) break;
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.predicted_ns < b.predicted_ns; });
  return found;
}

void check_options(const ExploreOptions& options) {
  if (options.batch == 0 || options.batch > (std::size_t{1} << 20)) {
    throw ParameterError("batch = " + std::to_string(options.batch) +
                         " is out of range: allowed are 1 ... 1048576");
  }
  if (!(options.budget_s > 0 && options.budget_s <= 3600)) {
    throw ParameterError("budget_s = " + std::to_string(options.budget_s) +
                         " is out of range: allowed are seconds in (0, 3600]");
  }
}

void require_arrays(const NttSpec& spec, std::size_t batch) {
  std::uint64_t bytes = spec.word_bits / 8;
  for (const std::size_t factor : {spec.n, spec.moduli.size(), batch}) {
    if (__builtin_mul_overflow(bytes, factor, &bytes)) bytes = std::numeric_limits<std::uint64_t>::max();
  }
  require_memory(bytes, "the arrays of batch = " + std::to_string(batch));
}

}  // namespace

bool plans_agree(const NttPlan& a, const NttPlan& b, std::size_t batch) {
  return a.spec().word_bits == 64 ? agree<std::uint64_t>(a, b, batch) : agree<std::uint32_t>(a, b, batch);
}

const ExploredRecipe& Exploration::best() const {
  const ExploredRecipe* best = nullptr;
  for (const ExploredRecipe& r : recipes) {
    if (r.state != ExploredRecipe::State::measured) continue;
    if (best == nullptr ||
        (r.recipe.threads < best->recipe.threads && r.measured_ns < 1.02 * recipes.front().measured_ns)) {
      best = &r;
    }
  }
  if (best == nullptr) throw Error("no recipe was measured: give more time (budget_s), or let it run");
  return *best;
}

Exploration explore(const NttSpec& given, const ExploreOptions& wanted) {
  check_options(wanted);
  const NttSpec spec = validated(given);
  ExploreOptions options = wanted;
  if (options.threads == 0) options.threads = default_threads();
  if (options.targets.empty()) {
    for (const Target target : kAllTargets) {
      if (target_contains(active_target(), target)) options.targets.push_back(target);
    }
  }
  for (const Target target : options.targets) require_target(target);
  Exploration result;
  result.recipes = distinct_candidates(spec, options);
  require_arrays(spec, options.batch);
  if (spec.word_bits == 64) {
    Explorer<std::uint64_t>(spec, options, result).run();
  } else {
    Explorer<std::uint32_t>(spec, options, result).run();
  }
  sort_measured_first(result.recipes);
  static_cast<void>(result.best());
  return result;
}

}  // namespace nttforge
