// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "nttforge/base/cxx20.hpp"
#include "nttforge/base/target.hpp"
#include "nttforge/ntt/candidates.hpp"
#include "nttforge/ntt/plan.hpp"
#include "nttforge/ntt/recipe.hpp"
#include "nttforge/ntt/spec.hpp"

namespace nttforge {

/// One way of computing a spec, with what the model says and what was measured. Times are nanoseconds for one
/// transform of the whole batch, the mean of forward and inverse, each the least of several runs.
template <class Recipe>
struct Explored {
  enum class State {
    not_tried,  ///< predicted too slow, or no time or memory was left
    wrong,      ///< its words differ from the reference's: never chosen
    measured,
  };
  Recipe recipe;
  double predicted_ns = 0;
  double measured_ns = 0;  ///< 0 unless measured
  unsigned rounds = 0;     ///< how often it was measured
  State state = State::not_tried;
};
using ExploredRecipe = Explored<NttRecipe>;  ///< a recipe of this CPU

/// Sorts measured recipes to the front, the fastest first, and leaves the others as they are.
template <class ExploredType>
void sort_measured_first(std::vector<ExploredType>& recipes) {
  const auto ns = [](const ExploredType& r) {
    return r.state == ExploredType::State::measured ? r.measured_ns : std::numeric_limits<double>::infinity();
  };
  std::stable_sort(recipes.begin(), recipes.end(),
                   [&](const auto& a, const auto& b) { return ns(a) < ns(b); });
}

/// How far explore() is.
struct ExploreProgress {
  std::string what;       ///< "preparing" or "measuring"
  std::size_t step = 0;   ///< candidate, or round
  std::size_t steps = 0;  ///< candidates, or most rounds
  double elapsed_s = 0;
  const ExploredRecipe* recipe = nullptr;  ///< the candidate at work, or the best so far
};

/// What explore() measures, and for how long.
struct ExploreOptions {
  unsigned threads = 1;   ///< most threads to use, 1 ... 1024; 0: default_threads(). Fewer are tried too
  std::size_t batch = 1;  ///< [batch][limbs][n] arrays, 1 ... 2^20
  double budget_s = 3;    ///< time to spend, in (0, 3600]; the first candidate is always finished
  std::vector<Target> targets{};                           ///< empty: the active target and those below it
  std::function<bool(const ExploreProgress&)> progress{};  ///< returns false to stop with what is known
};

/// What explore() found.
struct Exploration {
  std::vector<ExploredRecipe> recipes;  ///< measured ones first, fastest first; then by prediction
  bool complete = false;                ///< false: stopped by `progress` or the budget ended early
  double elapsed_s = 0;

  /// The fastest measured recipe; of those within two per cent the one with the fewest threads.
  const ExploredRecipe& best() const;
};

/// Measures the recipes that can do a spec on this machine, best predicted first: each must give the words
/// of the scalar kernel, then all take turns, so that a drifting clock disturbs none more than another; those
/// that fall behind drop out. Writes nothing. throws ParameterError, UnsupportedError as NttPlan does, and
/// Error if no recipe could be measured; exceptions of `progress` pass through.
Exploration explore(const NttSpec& spec, const ExploreOptions& options = {});

/// Whether two plans of one spec give the same words for a fixed pseudo-random input, forward and inverse.
bool plans_agree(const NttPlan& a, const NttPlan& b, std::size_t batch);

}  // namespace nttforge
