// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/candidates.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/ntt/algorithms/algorithms.hpp"
#include "nttforge/ntt/explorer/cost_model.hpp"
#include "nttforge/ntt/kernels/dgt/dgt.hpp"

namespace nttforge {
namespace {

constexpr unsigned kMaxThreads = 1024;

unsigned log2_of(std::size_t n) { return static_cast<unsigned>(std::bit_width(n)) - 1; }

template <class Word>
std::span<const TransformKernel<Word>> kernels_of(const NttSpec& spec) {
  return resolved_transform(spec) == Transform::dgt ? dgt_kernels<Word>() : transform_kernels<Word>();
}

template <class Word>
bool accepts(const TransformKernel<Word>& kernel, std::uint64_t q) {
  return kernel.arithmetic == Arithmetic::goldilocks ? q == kGoldilocks : q < kernel.q_limit;
}

[[maybe_unused]] std::string power_of_two(std::uint64_t limit) {
  return "2^" + std::to_string(std::bit_width(limit) - 1);
}

void check_threads(unsigned threads) {
  if (threads == 0 || threads > kMaxThreads) {
    throw ParameterError("threads = " + std::to_string(threads) + " is out of range: allowed are 1 ... " +
                         std::to_string(kMaxThreads));
  }
}

/// Says which condition no kernel meets, the first in the order word, arithmetic, modulus, target, radix, n.
template <class Word>
[[noreturn]] void explain_missing([[maybe_unused]] const NttSpec& spec,
                                  [[maybe_unused]] const NttRecipe& recipe,
                                  [[maybe_unused]] std::size_t limb) {
#if defined(__wasm__)
  throw UnsupportedError("recipe is none that this module has kernels for");  // pages give none
#else
  const Arithmetic arithmetic = recipe.arithmetic[limb];
  const std::uint64_t q = spec.moduli[limb];
  const std::string name(arithmetic_name(arithmetic));
  const std::string use = "; choose_recipe() finds one that fits";
  std::vector<TransformKernel<Word>> kernels;
  for (const auto& kernel : kernels_of<Word>(spec)) {
    if (kernel.arithmetic == arithmetic) kernels.push_back(kernel);
  }
  if (kernels.empty() && (arithmetic == Arithmetic::ifma52 || arithmetic == Arithmetic::fp64) &&
      spec.word_bits == 64) {
    throw UnsupportedError("recipe.arithmetic[" + std::to_string(limb) + "] = " + name +
                           " is not part of this build: no instruction set of its processor has it" + use);
  }
  if (kernels.empty()) {
    throw ParameterError("recipe.arithmetic[" + std::to_string(limb) + "] = " + name +
                         " does not work on word_bits = " + std::to_string(spec.word_bits) + use);
  }
  if (std::none_of(kernels.begin(), kernels.end(), [&](const auto& kernel) { return accepts(kernel, q); })) {
    std::uint64_t limit = 0;
    for (const auto& kernel : kernels) limit = std::max(limit, kernel.q_limit);
    const std::string allowed = arithmetic == Arithmetic::goldilocks
                                    ? "q = " + std::to_string(kGoldilocks) + " only"
                                    : "q < " + power_of_two(limit);
    throw ParameterError("recipe.arithmetic[" + std::to_string(limit == 0 ? 0 : limb) + "] = " + name +
                         " cannot compute modulo q = " + std::to_string(q) + ": allowed is " + allowed + use);
  }
  std::erase_if(kernels, [&](const auto& kernel) { return !accepts(kernel, q); });
  if (std::none_of(kernels.begin(), kernels.end(),
                   [&](const auto& kernel) { return target_contains(recipe.target, kernel.target); })) {
    throw UnsupportedError("recipe.target = " + std::string(target_name(recipe.target)) + " has no " + name +
                           " arithmetic for q = " + std::to_string(q) + ": it begins with target " +
                           std::string(target_name(kernels.front().target)) + use);
  }
  std::erase_if(kernels, [&](const auto& kernel) { return !target_contains(recipe.target, kernel.target); });
  if (std::none_of(kernels.begin(), kernels.end(),
                   [&](const auto& kernel) { return kernel.radix == recipe.radix; })) {
    std::string radices;
    for (const auto& kernel : kernels) {
      const std::string radix = std::to_string(kernel.radix);
      if (radices.find(radix) == std::string::npos) radices += (radices.empty() ? "" : ", ") + radix;
    }
    throw ParameterError("recipe.radix = " + std::to_string(recipe.radix) + " is not supported for " + name +
                         ": allowed are " + radices);
  }
  std::erase_if(kernels, [&](const auto& kernel) { return kernel.radix != recipe.radix; });
  unsigned least = 64;
  for (const auto& kernel : kernels) least = std::min(least, kernel.min_log_n);
  throw ParameterError("n = " + std::to_string(spec.n) + " is too small for " + name +
                       " arithmetic on target " + std::string(target_name(recipe.target)) +
                       ": need n >= " + std::to_string(std::size_t{1} << least) + "; use shoup" +
                       std::to_string(spec.word_bits));
#endif
}

template <class Word>
const TransformKernel<Word>* lookup(const NttSpec& spec, Target target, Arithmetic arithmetic, unsigned radix,
                                    std::size_t limb) {
  const unsigned log_n = log2_of(spec.n);
  const TransformKernel<Word>* best = nullptr;
  for (const auto& kernel : kernels_of<Word>(spec)) {
    if (kernel.arithmetic != arithmetic || kernel.radix != radix || !target_contains(target, kernel.target) ||
        kernel.min_log_n > log_n || !accepts(kernel, spec.moduli[limb])) {
      continue;
    }
    const bool better = best == nullptr || kernel.target > best->target ||
                        (kernel.target == best->target && kernel.butterfly_ns < best->butterfly_ns);
    if (better) best = &kernel;
  }
  return best;
}

/// The arithmetics that can do a limb, the cheapest first.
template <class Word>
std::vector<Arithmetic> ranked(const NttSpec& spec, Target target, unsigned radix, std::size_t limb) {
  std::vector<std::pair<double, Arithmetic>> found;
  for (const auto& [arithmetic, name] : kArithmetics) {
    const TransformKernel<Word>* kernel = lookup<Word>(spec, target, arithmetic, radix, limb);
    if (kernel != nullptr) found.emplace_back(kernel->butterfly_ns, arithmetic);
  }
  std::sort(found.begin(), found.end());
  std::vector<Arithmetic> result;
  for (const auto& entry : found) result.push_back(entry.second);
  return result;
}

template <class Word>
void add_candidates(const NttSpec& spec, Target target, unsigned radix, unsigned threads,
                    std::vector<NttRecipe>& recipes) {
  std::vector<std::vector<Arithmetic>> choices;
  std::size_t alternatives = 0;
  for (std::size_t limb = 0; limb < spec.moduli.size(); ++limb) {
    choices.push_back(ranked<Word>(spec, target, radix, limb));
    if (choices.back().empty()) return;
    alternatives = std::max(alternatives, choices.back().size());
  }
  for (std::size_t k = 0; k < alternatives; ++k) {
    NttRecipe recipe{target, {}, radix, threads};
    for (const auto& choice : choices) recipe.arithmetic.push_back(choice[std::min(k, choice.size() - 1)]);
    recipes.push_back(recipe);
  }
}

template <class Word>
double predicted(const NttSpec& spec, const NttRecipe& recipe, std::size_t batch) {
  RowCost row;
  row.n = spec.n;
  row.word_bytes = sizeof(Word);
  const double n = static_cast<double>(spec.n);
  const bool dgt = resolved_transform(spec) == Transform::dgt;
  row.butterflies = dgt ? n / 4 * (log2_of(spec.n) - 1) : n / 2 * log2_of(spec.n);
  row.permutations = (spec.input_order == Order::bit_reversed) + (spec.output_order == Order::natural);
  std::vector<RowCost> rows;
  for (std::size_t limb = 0; limb < spec.moduli.size(); ++limb) {
    const TransformKernel<Word>& kernel = find_kernel<Word>(spec, recipe, limb);
    row.butterfly_ns = kernel.butterfly_ns;
    row.cuttable = kernel.forward_part != nullptr;
    rows.push_back(row);
  }
  return batch_ns(rows, batch, recipe.threads);
}

}  // namespace

template <class Word>
const TransformKernel<Word>& find_kernel(const NttSpec& spec, const NttRecipe& recipe, std::size_t limb) {
  const std::size_t limbs = std::min(spec.moduli.size(), recipe.arithmetic.size());
  if (limb >= limbs)
    throw ParameterError("limb = " + std::to_string(limb) + ": there are " + std::to_string(limbs));
  const auto* kernel = lookup<Word>(spec, recipe.target, recipe.arithmetic[limb], recipe.radix, limb);
  if (kernel == nullptr) explain_missing<Word>(spec, recipe, limb);
  return *kernel;
}
template const TransformKernel<std::uint64_t>& find_kernel(const NttSpec&, const NttRecipe&, std::size_t);
template const TransformKernel<std::uint32_t>& find_kernel(const NttSpec&, const NttRecipe&, std::size_t);

void require_recipe(const NttSpec& spec, const NttRecipe& recipe) {
  check_threads(recipe.threads);
  require_cpu_transform_size(spec.n);
  if (recipe.algorithm != kMergedAlgorithm) {
    if (resolved_transform(spec) == Transform::dgt) {
      throw ParameterError("recipe.algorithm = " + recipe.algorithm +
                           " computes NTTs only: for transform = dgt use " + std::string(kMergedAlgorithm));
    }
    return require_algorithm(spec, recipe);
  }
  if (recipe.twiddles != TwiddlePolicy{}) {
    throw UnsupportedError("recipe.twiddles = on_the_fly is not supported by algorithm merged: use table");
  }
  if (recipe.arithmetic.size() != spec.moduli.size()) {
    throw ParameterError("recipe.arithmetic has " + std::to_string(recipe.arithmetic.size()) +
                         " entries for " + std::to_string(spec.moduli.size()) + " moduli: give one per limb");
  }
  for (std::size_t limb = 0; limb < spec.moduli.size(); ++limb) {
    spec.word_bits == 64 ? void(find_kernel<std::uint64_t>(spec, recipe, limb))
                         : void(find_kernel<std::uint32_t>(spec, recipe, limb));
  }
}

double predicted_ns(const NttSpec& spec, const NttRecipe& recipe, std::size_t batch) {
  require_recipe(spec, recipe);
  if (recipe.algorithm != kMergedAlgorithm) {
    throw UnsupportedError("recipe.algorithm = " + recipe.algorithm +
                           " is not in the model: the collection is for study, not for speed; measure it");
  }
  return spec.word_bits == 64 ? predicted<std::uint64_t>(spec, recipe, batch)
                              : predicted<std::uint32_t>(spec, recipe, batch);
}

std::vector<NttRecipe> candidate_recipes(const NttSpec& spec, std::span<const Target> targets,
                                         unsigned threads) {
  check_threads(threads);
  const NttSpec checked = validated_but_roots(spec);
  require_cpu_transform_size(spec.n);
  std::vector<NttRecipe> recipes;
  for (const Target target : targets) {
    for (const unsigned radix : {4u, 2u}) {
      spec.word_bits == 64 ? add_candidates<std::uint64_t>(checked, target, radix, threads, recipes)
                           : add_candidates<std::uint32_t>(checked, target, radix, threads, recipes);
    }
  }
  if (recipes.empty())
    throw UnsupportedError("no recipe for this spec on the targets asked for; the scalar target does all");
  std::stable_sort(recipes.begin(), recipes.end(), [&](const NttRecipe& a, const NttRecipe& b) {
    const double cost_a = predicted_ns(checked, a), cost_b = predicted_ns(checked, b);
    // The highest target comes first among equals, so that a recipe names the target that was asked for.
    return cost_a != cost_b ? cost_a < cost_b : a.target > b.target;
  });
  return recipes;
}

NttRecipe choose_recipe(const NttSpec& spec, Target target, unsigned threads) {
  std::vector<Target> targets;
  for (const Target t : kAllTargets) {
    if (target_contains(target, t)) targets.push_back(t);
  }
  return candidate_recipes(spec, targets, threads).front();
}

}  // namespace nttforge
