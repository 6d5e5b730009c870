// SPDX-License-Identifier: Apache-2.0
// The recipes of the papers in plans, forward and back, against the CPU engine.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/arith/roots.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/candidates.hpp"
#include "nttforge/cuda/explorer/papers.hpp"
#include "nttforge/cuda/plan/testing_plans.hpp"
#include "papers/kernels/bad18a_rows.hpp"

namespace nttforge::cuda {
namespace {

using namespace testing_plans;

/// Larger ones once in each direction, and without products: compute-sanitizer runs this too.
void check(const NttSpec& spec, const CudaRecipe& recipe, int device, testing::Rng& rng) {
  const CudaNttPlan plan(spec, recipe, device);
  NTTF_CHECK(plan.recipe() == recipe);
  NTTF_CHECK(CudaRecipe::from_json(recipe.to_json()) == recipe);
  if (spec.n <= 1024) return compare(plan, 2, rng);
  with_word(plan, [&]<class Word>() {
    const auto a = residues<Word>(plan.spec(), 1, rng);
    const OnDevice<Word> x(device, a);
    std::vector<Word> want(a.size());
    NttPlan(plan.spec()).forward(std::span<const Word>(a), std::span<Word>(want));
    plan.forward(x.in(), x.words);
    expect(x.back() == want, plan, "forward");
    plan.inverse(x.in(), x.words);
    expect(x.back() == a, plan, "inverse");
  });
}

std::set<std::string> names_of(const std::vector<CudaRecipe>& recipes) {
  std::set<std::string> names;
  for (const CudaRecipe& recipe : recipes) names.insert(recipe.algorithm);
  return names;
}

NTTF_TEST("each recipe with little data, [Kim20] in registers") {
  testing::Rng rng;
  for (const int device : places()) {
    for (const unsigned log_n : {1u, 2u, 5u, 9u, 10u}) {
      for (const unsigned bits : {30u, 32u, 62u}) {
        NttSpec spec = spec_of(std::size_t{1} << log_n, bits, 2);
        const auto recipes = paper_recipes(spec, describe_device(device));
        NTTF_CHECK(names_of(recipes).count("radix2") == 1);
        NTTF_CHECK((names_of(recipes).count("high_radix") == 1) == (bits != 32));
        for (const CudaRecipe& recipe : recipes) {
          if (recipe.algorithm.starts_with("din24_")) continue;  // below
          spec.ring = rng.below(2) == 0 ? Ring::negacyclic : Ring::cyclic;
          spec.output_order = rng.below(2) == 0 ? Order::natural : Order::bit_reversed;
          check(spec, recipe, device, rng);
        }
      }
    }
  }
}

NTTF_TEST("each recipe with little data, [Kim20] through shared memory") {
  testing::Rng rng;
  for (const int device : places()) {
    for (const unsigned log_n : {14u, 15u, 16u, 17u}) {
      if (device < 0 && log_n % 2 != 0) continue;
      for (const unsigned bits : {30u, 62u}) {
        const NttSpec spec = spec_of(std::size_t{1} << log_n, bits, device < 0 ? 1 : 2);
        unsigned found = 0;
        for (const CudaRecipe& recipe : paper_recipes(spec, describe_device(device))) {
          if (recipe.algorithm != "shared_two_kernel") continue;
          ++found;
          check(spec, recipe, device, rng);
          if (recipe.twiddles.source != TwiddleSource::on_the_fly) continue;
          NttSpec cyclic = spec;
          cyclic.ring = Ring::cyclic;
          NTTF_CHECK_THROWS(CudaNttPlan(cyclic, recipe, device), UnsupportedError, "use ring = negacyclic");
        }
        NTTF_CHECK(found > 0 || bits == 30);
      }
    }
  }
}

NTTF_TEST("each recipe with little data, [Bad18a]") {
  testing::Rng rng;
  for (const int device : places()) {
    for (const unsigned log_n : {14u, 15u, 16u}) {
      const std::size_t n = std::size_t{1} << log_n;
      NttSpec spec{.n = n, .moduli = {kGoldilocks, kGoldilocks}, .ring = Ring::cyclic};
      if (device < 0) spec.moduli.pop_back();
      const CudaDevice card = describe_device(device);
      NTTF_CHECK(names_of(paper_recipes(spec, card)).count("emmart_weems") == 0);  // another root
      spec.roots.assign(spec.moduli.size(), bad18a::root_of(log_n));
      const auto recipes = paper_recipes(spec, card);
      NTTF_CHECK_EQ(recipes.size(), std::size_t{2});
      for (const CudaRecipe& recipe : recipes) {
        spec.output_order = rng.below(2) == 0 ? Order::natural : Order::bit_reversed;
        check(spec, recipe, device, rng);
        NttSpec other = spec;
        other.roots.assign(spec.moduli.size(), smallest_root_of_unity(n, kGoldilocks));
        NTTF_CHECK_THROWS(CudaNttPlan(other, recipe, device), UnsupportedError,
                          "use roots = " + std::to_string(bad18a::root_of(log_n)));
        other.ring = Ring::negacyclic;
        other.roots.clear();
        NTTF_CHECK_THROWS(CudaNttPlan(other, recipe, device), UnsupportedError, "use ring = cyclic");
      }
    }
  }
}

/// Both directions, in place and not, and products; on the host what the sizes share with others is run once.
void check_din24(unsigned log_n) {
  testing::Rng rng;
  for (const int device : places()) {
    for (const unsigned bits : {30u, 60u}) {
      NttSpec spec = spec_of(std::size_t{1} << log_n, bits, device < 0 ? 1 : 2);
      std::set<std::string> found;
      for (const CudaRecipe& recipe : paper_recipes(spec, describe_device(device))) {
        if (!recipe.algorithm.starts_with("din24_")) continue;
        found.insert(recipe.algorithm);
        spec.ring = rng.below(2) == 0 ? Ring::negacyclic : Ring::cyclic;
        spec.output_order = rng.below(2) == 0 ? Order::natural : Order::bit_reversed;
        const CudaNttPlan plan(spec, recipe, device);
        NTTF_CHECK(CudaRecipe::from_json(recipe.to_json()) == recipe);
        with_word(plan, [&]<class Word>() { compare_transforms<Word>(plan, 2, rng); });
      }
      NTTF_CHECK_EQ(found.size(), std::size_t{log_n < 10 ? 7u : 14u});
    }
  }
}

NTTF_TEST("each recipe with little data, [Din24]: n = 2^5") { check_din24(5); }
NTTF_TEST("each recipe with little data, [Din24]: n = 2^10") { check_din24(10); }
NTTF_TEST("each recipe with little data, [Din24]: n = 2^11") { check_din24(11); }
NTTF_TEST("each recipe with little data, [Din24]: n = 2^12") { check_din24(12); }
NTTF_TEST("each recipe with little data, [Din24]: n = 2^13") { check_din24(13); }

/// Builds without these rows tell a paper's recipe from one that nobody knows.
NTTF_TEST("rows of papers have the algorithms that other builds name, and those alone") {
  std::set<std::string_view> papers;
  const auto look_at = [&]<class Word>() {
    for (const auto& row : cuda_rows<Word>(CudaRowKind::papers)) papers.insert(row.recipe.algorithm);
    for (const CudaRowKind kind : {CudaRowKind::ntt, CudaRowKind::dgt}) {
      for (const auto& row : cuda_rows<Word>(kind)) NTTF_CHECK(!is_of_paper(row.recipe.algorithm));
    }
  };
  look_at.operator()<std::uint64_t>();
  look_at.operator()<std::uint32_t>();
  NTTF_CHECK(papers == std::set<std::string_view>(kPaperAlgorithms.begin(), kPaperAlgorithms.end()));
}

NTTF_TEST("recipes of papers compute limbs of one arithmetic") {
  const NttSpec spec{.n = 64, .moduli = {kGoldilocks, 257}};
  for (const CudaRecipe& recipe : paper_recipes(spec, describe_device(kHost))) {
    NTTF_CHECK_THROWS(CudaNttPlan(spec, recipe, kHost), UnsupportedError, "limbs of one arithmetic");
  }
}

}  // namespace
}  // namespace nttforge::cuda
