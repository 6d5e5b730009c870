// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/explorer.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/plan.hpp"
#include "nttforge/cuda/plan/testing_plans.hpp"

namespace nttforge::cuda {
namespace {

using testing_plans::places;
using testing_plans::spec_of;

NTTF_TEST("a short transform of one prime takes one launch, longer ones what is fastest") {
  CudaDevice h100 = describe_device(kHost);
  h100.multiprocessors = 132;
  h100.clock_khz = 1'980'000;
  h100.l2_bytes = std::size_t{50} << 20;
  h100.memory_bytes_per_s = 3.35e12;
  for (const unsigned bits : {30u, 60u}) {
    const auto launches = [&](std::size_t n, std::size_t limbs) {
      const NttSpec spec = spec_of(n, bits, limbs);
      const CudaRecipe recipe = candidate_recipes(spec, h100).front();
      return bits == 30 ? find_row<std::uint32_t>(spec, recipe, h100).launches
                        : find_row<std::uint64_t>(spec, recipe, h100).launches;
    };
    NTTF_CHECK_EQ(launches(4096, 1), 1u);
    NTTF_CHECK_EQ(launches(65536, 21), 2u);
  }
  NTTF_CHECK(cost_of_calls_ns(2675, 2) > cost_of_calls_ns(3160, 1));
  NTTF_CHECK(cost_of_calls_ns(2675, 2) < cost_of_calls_ns(6435, 1));  // not at any price
  NTTF_CHECK_EQ(cost_of_calls_ns(9000, 2), 9000.0);
}

NTTF_TEST("recipes are ordered by prediction and each can be made") {
  for (const unsigned bits : {30u, 60u}) {
    const NttSpec spec = spec_of(4096, bits, 2);
    const CudaDevice card = describe_device(kHost);
    double before = 0;
    const auto recipes = candidate_recipes(spec, card, 3);
    NTTF_CHECK(recipes.size() > 1);
    for (const CudaRecipe& recipe : recipes) {
      const double ns = predicted_ns(spec, recipe, card, 3);
      NTTF_CHECK(ns >= before && ns > 0);
      before = ns;
      NTTF_CHECK(CudaNttPlan(spec, recipe, kHost).recipe() == recipe);
      NTTF_CHECK(CudaRecipe::from_json(recipe.to_json()) == recipe);
    }
    NTTF_CHECK(CudaNttPlan(spec, kHost).recipe() == candidate_recipes(spec, card)[0]);
  }
}

NTTF_TEST("cards without clusters are offered every size, and no recipe with clusters") {
  for (const unsigned capability : {75u, 80u, 86u, 89u, 90u}) {
    CudaDevice card = describe_device(kHost);
    card.compute_capability = capability;
    card.max_cluster = max_cluster_of(capability);
    if (capability == 75) card.shared_bytes_per_block = 64 * 1024;
    bool clusters = false;
    for (std::size_t log_n = 1; log_n <= 20; ++log_n) {
      for (const unsigned bits : {30u, 50u, 60u, 62u}) {
        const std::size_t n = std::size_t{1} << log_n;
        const auto recipes = candidate_recipes(spec_of(n, bits, 1), card);
        for (const CudaRecipe& recipe : recipes) clusters = clusters || recipe.cluster > 1;
      }
    }
    NTTF_CHECK_EQ(clusters, capability >= 90);
  }
}

NTTF_TEST("more data take longer, by prediction") {
  const CudaDevice card = describe_device(kHost);
  const NttSpec small = spec_of(4096, 60, 1), large = spec_of(4096, 60, 8);
  const CudaRecipe recipe = candidate_recipes(small, card)[0];
  NTTF_CHECK(predicted_ns(small, recipe, card, 1) < predicted_ns(large, recipe, card, 1));
  NTTF_CHECK(predicted_ns(small, recipe, card, 1) < predicted_ns(small, recipe, card, 1000));
}

NTTF_TEST("exploring measures, and wisdom remembers per card") {
  for (const int device : places()) {
    const NttSpec spec = spec_of(2048, 60, 1);
    CudaExploreOptions options;
    options.device = device;
    options.budget_s = 0.5;
    std::size_t calls = 0;
    options.progress = [&](std::size_t, std::size_t, const CudaExploredRecipe&) { return ++calls, true; };
    const CudaExploration found = explore(spec, options);
    NTTF_CHECK(calls > 0);
    NTTF_CHECK(found.best().measured_ns > 0 && found.best().rounds > 0);
    for (const CudaExploredRecipe& r : found.recipes) NTTF_CHECK(r.state != CudaExploredRecipe::State::wrong);

    Wisdom wisdom;
    CudaDevice card = describe_device(device);
    NTTF_CHECK(!find_in_wisdom(wisdom, spec, card, 1));
    // A recipe that the model would not choose shows that the plan took it from wisdom.
    const CudaRecipe other = candidate_recipes(spec, card).back();
    remember_in_wisdom(wisdom, spec, card, 1, other, 1000);
    wisdom = Wisdom::from_json(wisdom.to_json());
    NTTF_CHECK(find_in_wisdom(wisdom, spec, card, 1) == other);
    NTTF_CHECK(CudaNttPlan(spec, wisdom, 1, device).recipe() == other);
    NTTF_CHECK(!find_in_wisdom(wisdom, spec, card, 2));
    NTTF_CHECK(!find_in_wisdom(wisdom, spec_of(2048, 59, 1), card, 1));
    NTTF_CHECK(!find_in_wisdom(wisdom, spec_of(2048, 60, 2), card, 1));
    card.driver = "another";
    NTTF_CHECK(!find_in_wisdom(wisdom, spec, card, 1));
    NTTF_CHECK_THROWS(remember_in_wisdom(wisdom, spec, card, 1, other, 0), ParameterError, "positive time");
    NTTF_CHECK_THROWS(remember_in_wisdom(wisdom, spec, card, 0, other, 1), ParameterError, "batch = 0");
  }
}

NTTF_TEST("exploring can be stopped, and refuses what it cannot do") {
  CudaExploreOptions options;
  options.device = kHost;
  options.progress = [](std::size_t, std::size_t, const CudaExploredRecipe&) { return false; };
  NTTF_CHECK_THROWS(explore(spec_of(256, 60, 1), options), Error, "no GPU recipe was measured");
  options.budget_s = 0;
  NTTF_CHECK_THROWS(explore(spec_of(256, 60, 1), options), ParameterError, "budget_s");
  options = {};
  options.device = kHost;
  options.batch = 0;
  NTTF_CHECK_THROWS(explore(spec_of(256, 60, 1), options), ParameterError, "batch = 0");
  NTTF_CHECK_THROWS(
      Wisdom::from_json(
          R"({"format":"nttforge-wisdom","version":1,"entries":[{"key":{"gpu":"x"},"choice":{"recipe":{},"ns":1}}]})"),
      FormatError, "entry 0");
}

}  // namespace
}  // namespace nttforge::cuda
