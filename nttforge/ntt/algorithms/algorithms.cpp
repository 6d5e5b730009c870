// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/algorithms/algorithms.hpp"

#include <algorithm>
#include <bit>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/base/error.hpp"

namespace nttforge {
namespace {

constexpr unsigned kTwo[] = {2};
constexpr unsigned kRadices[] = {2, 4, 8, 16};
constexpr Order kNatural = Order::natural, kReversed = Order::bit_reversed;

constexpr AlgorithmInfo kInfos[] = {
    {"dit", "decimation in time", "[Din24, II]", kReversed, kNatural, false, false, false, kTwo},
    {"dif", "decimation in frequency", "[Din24, II]", kNatural, kReversed, false, false, false, kTwo},
    {"flat", "DIT with one loop per stage", "[Din24, II]", kReversed, kNatural, false, false, false, kTwo},
    {"pease", "constant geometry", "[Din24, Algorithm 1]", kReversed, kNatural, false, true, false, kTwo},
    {"pease_nc", "constant geometry, two arrays in turn", "[Din24, III.B]", kReversed, kNatural, false, true,
     false, kTwo},
    {"six_step", "rows of a matrix, three transpositions", "[Din24, II]", kNatural, kNatural, false, true,
     false, kTwo},
    {"stockham", "DIF with sorted outputs, two arrays in turn", "[Din24, II]", kNatural, kNatural, false,
     true, false, kTwo},
    {"recursive", "plain recursion, even and odd inputs", "textbook", kNatural, kNatural, false, true, false,
     kTwo},
    {"radix_r", "product tree, log2(radix) stages per pass", "[Kim20, V and VII]", kNatural, kReversed, true,
     false, true, kRadices},
};

Arithmetic only_arithmetic(const NttSpec& spec, std::size_t limb) {
  if (spec.word_bits == 32) return Arithmetic::shoup32;
  return spec.moduli[limb] == kGoldilocks ? Arithmetic::goldilocks : Arithmetic::shoup64;
}

void require_twiddles(const NttSpec& spec, const NttRecipe& recipe, const AlgorithmInfo& info) {
  const TwiddlePolicy& policy = recipe.twiddles;
  if (policy.source == TwiddleSource::table) {
    if (policy != TwiddlePolicy{})
      throw ParameterError("recipe.twiddles.base and .stages go with on_the_fly: set both to 0");
    return;
  }
  if (!info.on_the_fly) {
    throw UnsupportedError("recipe.twiddles = on_the_fly is not supported by algorithm " + recipe.algorithm +
                           ": use table, or algorithm radix_r");
  }
  const unsigned log_n = static_cast<unsigned>(std::bit_width(spec.n)) - 1;
  if (policy.stages < 1 || policy.stages > log_n) {
    throw ParameterError("recipe.twiddles.stages = " + std::to_string(policy.stages) +
                         " is out of range: allowed are 1 ... log2 n = " + std::to_string(log_n) +
                         "; use twiddles = table for none");
  }
  if (!std::has_single_bit(policy.base) || policy.base > spec.n) {
    throw ParameterError("recipe.twiddles.base = " + std::to_string(policy.base) +
                         " is not supported: need a power of two, 1 ... n = " + std::to_string(spec.n) +
                         "; tables are smallest near the square root of n");
  }
}

}  // namespace

std::span<const AlgorithmInfo> algorithm_infos() { return kInfos; }

const AlgorithmInfo& find_algorithm(std::string_view name) {
  std::string known(kMergedAlgorithm);
  for (const AlgorithmInfo& info : kInfos) {
    if (info.name == name) return info;
    known += ", " + std::string(info.name);
  }
  throw ParameterError("recipe.algorithm = \"" + std::string(name) + "\" is unknown; known: " + known);
}

NttRecipe algorithm_recipe(const NttSpec& spec, std::string_view name, unsigned radix) {
  const AlgorithmInfo& info = find_algorithm(name);
  NttRecipe recipe;
  recipe.radix = radix != 0 ? radix : info.radices.front();
  recipe.algorithm = std::string(name);
  for (std::size_t limb = 0; limb < spec.moduli.size(); ++limb)
    recipe.arithmetic.push_back(only_arithmetic(spec, limb));
  require_algorithm(spec, recipe);
  return recipe;
}

void require_algorithm(const NttSpec& spec, const NttRecipe& recipe) {
  const AlgorithmInfo& info = find_algorithm(recipe.algorithm);
  if (recipe.target != Target::scalar) {
    throw ParameterError("recipe.target = " + std::string(target_name(recipe.target)) +
                         " does not go with algorithm " + recipe.algorithm +
                         ": the algorithm collection is scalar; use target scalar, or algorithm merged");
  }
  if (recipe.arithmetic.size() != spec.moduli.size()) {
    throw ParameterError("recipe.arithmetic has " + std::to_string(recipe.arithmetic.size()) +
                         " entries for " + std::to_string(spec.moduli.size()) + " moduli: give one per limb");
  }
  for (std::size_t limb = 0; limb < spec.moduli.size(); ++limb) {
    const Arithmetic need = only_arithmetic(spec, limb);
    if (recipe.arithmetic[limb] == need) continue;
    throw ParameterError("recipe.arithmetic[" + std::to_string(limb) +
                         "] = " + std::string(arithmetic_name(recipe.arithmetic[limb])) +
                         " does not go with algorithm " + recipe.algorithm + " and q = " +
                         std::to_string(spec.moduli[limb]) + ": use " + std::string(arithmetic_name(need)));
  }
  if (std::find(info.radices.begin(), info.radices.end(), recipe.radix) == info.radices.end()) {
    std::string allowed;
    for (const unsigned radix : info.radices)
      allowed += (allowed.empty() ? "" : ", ") + std::to_string(radix);
    throw ParameterError("recipe.radix = " + std::to_string(recipe.radix) +
                         " is not supported by algorithm " + recipe.algorithm + ": allowed are " + allowed);
  }
  require_twiddles(spec, recipe, info);
}

}  // namespace nttforge
