// SPDX-License-Identifier: Apache-2.0
// Plans whose limbs, arrays, transforms or results are not the usual ones, against the CPU engine.
#include <algorithm>
#include <vector>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/explorer.hpp"
#include "nttforge/cuda/plan/testing_plans.hpp"

namespace nttforge::cuda {
namespace {

using namespace testing_plans;
constexpr std::uint64_t kMersenne61 = (std::uint64_t{1} << 61) - 1;

NTTF_TEST("Goldilocks limbs stand among others") {
  testing::Rng rng;
  for (const int device : places()) {
    for (const std::size_t n : {1u, 2u, 16u, 256u, 2048u, 8192u}) {
      const auto p = ntt_primes(n, 60, 2);
      for (const auto& moduli :
           {std::vector{kGoldilocks, p[0]}, std::vector{p[0], kGoldilocks, kGoldilocks, p[1]},
            std::vector{kGoldilocks, p[0], kGoldilocks}}) {
        NttSpec spec{.n = n, .moduli = moduli};
        if (n < 2048) spec.output_order = Order::natural;
        const CudaNttPlan plan(spec, device);
        compare(plan, n < 2048 ? 3 : 1, rng);
        if (n == 1) continue;
        for (std::size_t i = 0; i < moduli.size(); ++i) {
          NTTF_CHECK((plan.recipe_of(i).arithmetic == Arithmetic::goldilocks) == (moduli[i] == kGoldilocks));
        }
        NTTF_CHECK(plan.recipe().arithmetic != Arithmetic::goldilocks);
      }
    }
    // A recipe for the Goldilocks limbs.
    const CudaRecipe own = CudaNttPlan(NttSpec{.n = 64, .moduli = {kGoldilocks}}, device).recipe();
    const CudaNttPlan plan(NttSpec{.n = 64, .moduli = {12289, kGoldilocks}}, own, device);
    NTTF_CHECK(plan.recipe_of(1).of_transform() == own.of_transform());
    NTTF_CHECK(plan.recipe_of(0).arithmetic != Arithmetic::goldilocks);
    NTTF_CHECK_THROWS(plan.recipe_of(2), ParameterError, "limb = 2: the plan has 2");
    compare(plan, 2, rng);
  }
}

/// Checks arrays that all lie a word past a boundary of 16 bytes.
template <class Word>
void check_unaligned(const NttSpec& spec, const CudaRecipe& recipe, int device, testing::Rng& rng) {
  const CudaNttPlan plan(spec, recipe, device);
  const auto a = residues<Word>(spec, 2, rng);
  std::vector<Word> want(a.size()), workspace(a.size());
  const std::size_t size = a.size();
  std::vector<Word> shifted(size + 1);
  std::copy(a.begin(), a.end(), shifted.begin() + 1);
  const OnDevice<Word> x(device, shifted), y(device, size + 1), work(device, size + 1);
  const auto back = [&] {
    const std::vector<Word> all = y.back();
    return std::vector<Word>(all.begin() + 1, all.end());
  };
  NttPlan(spec).forward(std::span<const Word>(a), std::span<Word>(want));
  plan.forward(x.in().subspan(1), y.words.subspan(1));
  expect(back() == want, plan, "forward of unaligned arrays");
  plan.inverse(std::span<const Word>(y.words).subspan(1), y.words.subspan(1));
  expect(back() == a, plan, "inverse of unaligned arrays");
  NttPlan(spec).polynomial_product(std::span<const Word>(a), std::span<const Word>(a), std::span<Word>(want),
                                   std::span<Word>(workspace));
  plan.polynomial_product(x.in().subspan(1), std::span<const Word>(y.words).subspan(1), y.words.subspan(1),
                          work.words.subspan(1));
  expect(back() == want, plan, "product of unaligned arrays");
}

NTTF_TEST("arrays need no more alignment than their words") {
  testing::Rng rng;
  for (const int device : places()) {
    for (const unsigned bits : {30u, 60u}) {
      for (const std::size_t n : {2u, 64u, 1024u, 4096u, 8192u}) {
        const NttSpec spec = spec_of(n, bits, 1);
        for (const CudaRecipe& recipe : candidate_recipes(spec, describe_device(device))) {
          bits == 30 ? check_unaligned<std::uint32_t>(spec, recipe, device, rng)
                     : check_unaligned<std::uint64_t>(spec, recipe, device, rng);
        }
      }
    }
  }
}

/// The cheapest recipe with a fused product.
CudaRecipe first_fused(const NttSpec& spec, int device) {
  const auto recipes = candidate_recipes(spec, describe_device(device));
  const auto found =
      std::find_if(recipes.begin(), recipes.end(), [](const auto& r) { return r.fused_product; });
  if (found == recipes.end()) throw Error("no recipe has a fused product");
  return *found;
}

NTTF_TEST("products are fused or composed as the recipe says, with the same words") {
  testing::Rng rng;
  for (const int device : places()) {
    for (const unsigned bits : {30u, 60u}) {
      for (const std::size_t n : {64u, 2048u, 8192u}) {
        NttSpec spec = spec_of(n, bits, 2);
        spec.input_order = n == 2048 ? Order::bit_reversed : Order::natural;
        CudaRecipe recipe = first_fused(spec, device);
        NTTF_CHECK(CudaRecipe::from_json(recipe.to_json()) == recipe);
        compare(CudaNttPlan(spec, recipe, device), 2, rng);
        recipe.fused_product = false;
        NTTF_CHECK(!CudaNttPlan(spec, recipe, device).recipe().fused_product);
        compare(CudaNttPlan(spec, recipe, device), 2, rng);
      }
    }
    CudaRecipe none = CudaNttPlan(spec_of(16, 60, 1), device).recipe();
    NTTF_CHECK(!none.fused_product);
    none.fused_product = true;
    NTTF_CHECK_THROWS(CudaNttPlan(spec_of(16, 60, 1), none, device), UnsupportedError, "no fused product");
    const CudaExploration found = explore(spec_of(256, 60, 2), {.device = device, .budget_s = 0.2});
    for (const CudaExploredRecipe& r : found.recipes) {
      if (r.fused_product_ns == 0) continue;
      NTTF_CHECK(r.composed_product_ns > 0);
      NTTF_CHECK(r.recipe.fused_product == (r.fused_product_ns <= r.composed_product_ns));
    }
  }
}

NTTF_TEST("DGT: both classes of primes, orders, words, sizes") {
  testing::Rng rng;
  for (const int device : places()) {
    for (const std::size_t n : {2u, 4u, 32u, 1024u, 16384u}) {
      for (const Order in : {Order::natural, Order::bit_reversed}) {
        for (const Order out : {Order::natural, Order::bit_reversed}) {
          if (n > 1024 && in != out) continue;
          NttSpec spec{.n = n, .moduli = {kMersenne61}, .input_order = in, .output_order = out};
          spec.transform = Transform::dgt;
          if (n >= 4) spec.moduli.push_back(ntt_primes(n, 62, 1)[0]);  // 1 (mod 4)
          if (n == 32) spec.moduli.push_back(kGoldilocks);
          compare(CudaNttPlan(spec, device), 2, rng);
          spec.moduli = {(std::uint64_t{1} << 31) - 1, (std::uint64_t{1} << 19) - 1};
          spec.word_bits = 32;
          compare(CudaNttPlan(spec, device), 1, rng);
        }
      }
    }
    // any: an NTT where there is one.
    NttSpec spec{.n = 64, .moduli = {kMersenne61}, .transform = Transform::any};
    NTTF_CHECK(CudaNttPlan(spec, device).spec().transform == Transform::dgt);
    spec.moduli = {257};
    NTTF_CHECK(CudaNttPlan(spec, device).spec().transform == Transform::ntt);
  }
}

/// inverse() and products times the factors, forward as ever.
template <class Word>
void check_factors(const NttSpec& spec, int device, testing::Rng& rng) {
  std::vector<std::uint64_t> factors;
  for (const std::uint64_t q : spec.moduli) factors.push_back(factors.empty() ? q - 1 : rng.below(q));
  const CudaNttPlan plan(spec, device, {.inverse_factors = factors});
  const NttPlan cpu(spec);
  const auto a = residues<Word>(spec, 2, rng);
  const auto scaled = [&](std::vector<Word> x) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t limb = i / spec.n % spec.moduli.size();
      x[i] =
          product_mod(x[i], static_cast<Word>(factors[limb]), make_product_modulus<Word>(spec.moduli[limb]));
    }
    return x;
  };
  std::vector<Word> want(a.size()), work(a.size());
  const OnDevice<Word> x(device, a), y(device, a.size()), space(device, a.size());
  cpu.forward(std::span<const Word>(a), std::span<Word>(want));
  plan.forward(x.in(), y.words);
  expect(y.back() == want, plan, "forward with factors");
  plan.inverse(y.in(), y.words);
  expect(y.back() == scaled(a), plan, "inverse with factors");
  cpu.polynomial_product(std::span<const Word>(a), std::span<const Word>(a), std::span<Word>(want),
                         std::span<Word>(work));
  plan.polynomial_product(x.in(), x.in(), y.words, space.words);
  expect(y.back() == scaled(want), plan, "product with factors");
}

NTTF_TEST("factors of the inverse are merged with 1/n") {
  testing::Rng rng;
  for (const int device : places()) {
    for (const std::size_t n : {2u, 16u, 512u, 4096u, 8192u}) {
      check_factors<std::uint64_t>(spec_of(n, 60, 3), device, rng);
      check_factors<std::uint32_t>(spec_of(n, 30, 2), device, rng);
    }
    check_factors<std::uint64_t>(spec_of(256, 50, 2), device, rng);
    check_factors<std::uint64_t>(NttSpec{.n = 256, .moduli = {kGoldilocks, 7681}}, device, rng);
    check_factors<std::uint64_t>(
        NttSpec{.n = 256, .moduli = {kMersenne61, 7681}, .transform = Transform::dgt}, device, rng);
  }
}

}  // namespace
}  // namespace nttforge::cuda
