// SPDX-License-Identifier: Apache-2.0
#pragma once

// What tests of plans share: a recipe against the values it should give, and every recipe that this machine
// can run.

#include <string>
#include <utility>
#include <vector>

#include "nttforge/ntt/candidates.hpp"
#include "nttforge/ntt/plan.hpp"
#include "nttforge/ntt/testing.hpp"

namespace nttforge::testing {

template <class Word>
std::vector<Word> run_forward(const NttPlan& plan, const std::vector<Word>& in) {
  std::vector<Word> out(in.size());
  plan.forward(std::span<const Word>(in), std::span<Word>(out));
  return out;
}
template <class Word>
std::vector<Word> run_inverse(const NttPlan& plan, const std::vector<Word>& in) {
  std::vector<Word> out(in.size());
  plan.inverse(std::span<const Word>(in), std::span<Word>(out));
  return out;
}

/// in <-> expected, both in the orders of the spec, out of place and in place.
template <class Word>
void check_recipe(const NttSpec& spec, const NttRecipe& recipe, const std::vector<Word>& in,
                  const std::vector<Word>& expected) {
  const NttPlan plan(spec, recipe);
  const bool same = run_forward(plan, in) == expected && run_inverse(plan, expected) == in;
  auto place = in;
  plan.forward(std::span<const Word>(place), std::span<Word>(place));
  const bool same_in_place = place == expected;
  plan.inverse(std::span<const Word>(place), std::span<Word>(place));
  if (same && same_in_place && place == in) return;
  fail(__FILE__, __LINE__,
       "n = " + std::to_string(spec.n) + ", q = " + std::to_string(spec.moduli[0]) + ", " +
           std::string(ring_name(spec.ring)) + ", " + std::string(order_name(spec.input_order)) + " -> " +
           std::string(order_name(spec.output_order)) + ", " + recipe.to_json());
}

/// Checks every candidate recipe of every available target, and returns how many there were.
template <class Word>
std::size_t check_recipes(const NttSpec& spec, const std::vector<Word>& in,
                          const std::vector<Word>& expected) {
  const auto recipes = candidate_recipes(spec, available_targets());
  for (const NttRecipe& recipe : recipes) check_recipe(spec, recipe, in, expected);
  return recipes.size();
}

/// run(spec) for every order of input and output.
template <class Function>
void each_order(NttSpec spec, const Function& run) {
  for (const Order input : kOrders) {
    for (const Order output : kOrders) {
      spec.input_order = input;
      spec.output_order = output;
      run(std::as_const(spec));
    }
  }
}

}  // namespace nttforge::testing
