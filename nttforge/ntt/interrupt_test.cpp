// SPDX-License-Identifier: Apache-2.0
// Plans that take long to make can be interrupted while they are made.

#include "nttforge/base/interrupt.hpp"

#include "nttforge/arith/complex_mod.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/roots.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/base/testing_interrupt.hpp"
#include "nttforge/ntt/algorithms/algorithms.hpp"
#include "nttforge/ntt/candidates.hpp"
#include "nttforge/ntt/plan.hpp"
#include "nttforge/ntt/testing.hpp"
#include "nttforge/ntt/wisdom.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

constexpr std::size_t kN = std::size_t{1} << 18;

NttSpec spec_of(Transform transform) {
  NttSpec spec{kN, {largest_prime(kN, 50), largest_prime(kN, 61)}};
  spec.transform = transform;
  return spec;
}

}  // namespace

NTTF_TEST("interrupt: searches of roots and primes") {
  const std::uint64_t q = largest_prime(kN, 61);
  NTTF_CHECK(ends_at_a_poll([&] { static_cast<void>(smallest_root_of_unity(2 * kN, q)); }, 2));
  NTTF_CHECK(ends_at_a_poll([&] { static_cast<void>(twist_root(kN, 4362862139015167)); }, 2));
  NTTF_CHECK(ends_at_a_poll([] { static_cast<void>(ntt_primes(1024, 50, 20)); }, 20));
  NTTF_CHECK(ends_at_a_poll([] { static_cast<void>(prime_factors(4611686014132420609)); }, 2));
}

NTTF_TEST("interrupt: plans, for every table that they make") {
  for (const Transform transform : {Transform::ntt, Transform::dgt})
    NTTF_CHECK(ends_at_a_poll([&] { const NttPlan plan(spec_of(transform)); }, 40));
  const NttSpec spec = validated(spec_of(Transform::ntt));
  for (const auto* name : {"stockham", "radix_r"})
    NTTF_CHECK(ends_at_a_poll([&] { const NttPlan plan(spec, algorithm_recipe(spec, name, 0)); }, 40));
  for (const NttRecipe& recipe : candidate_recipes(spec, std::vector{active_target()}, 1))
    NTTF_CHECK(ends_at_a_poll([&] { const NttPlan plan(spec, recipe); }, 40));
}

NTTF_TEST("interrupt: recipes and wisdom are looked up without a search for roots") {
  const NttSpec spec = spec_of(Transform::ntt);
  const CountedPolls polls;
  const auto recipes = candidate_recipes(spec, std::vector{active_target()}, 1);
  Wisdom wisdom;
  wisdom.remember(spec, {}, recipes.front(), 1);
  NTTF_CHECK(wisdom.find(spec) == recipes.front());
  NTTF_CHECK_EQ(polls.count(), 0u);
}
