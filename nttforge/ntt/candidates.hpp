// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "nttforge/base/cxx20.hpp"
#include "nttforge/ntt/kernels.hpp"
#include "nttforge/ntt/recipe.hpp"
#include "nttforge/ntt/spec.hpp"

namespace nttforge {

/// Every recipe that can do the spec on the given targets, cheapest predicted first: targets x radices x
/// arithmetics (each limb takes its best, then its second best ... arithmetic, so limbs of one class stay
/// together). Pure: whether this machine can run a target is not asked here (NttPlan does). throws
/// ParameterError as validated(), or if threads is not in 1 ... 1024; UnsupportedError if there is no recipe.
std::vector<NttRecipe> candidate_recipes(const NttSpec& spec, std::span<const Target> targets,
                                         unsigned threads = 1);

/// The cheapest predicted candidate among the target and all below it: a higher target may be the slower one.
NttRecipe choose_recipe(const NttSpec& spec, Target target, unsigned threads = 1);

/// Predicted time of one transform of [batch][limbs][n], in nanoseconds, by the static model
/// (cost_model.hpp). For ranking recipes of one spec; not a promise.
double predicted_ns(const NttSpec& spec, const NttRecipe& recipe, std::size_t batch = 1);

/// The kernel that computes one limb under a recipe: same arithmetic, word and radix, the highest target not
/// above the recipe's whose smallest n is not above the spec's; so vectors fall back to scalar for small n.
/// throws ParameterError or UnsupportedError naming what does not fit (modulus, n, word size, target or
/// radix).
template <class Word>
const TransformKernel<Word>& find_kernel(const NttSpec& spec, const NttRecipe& recipe, std::size_t limb);
extern template const TransformKernel<std::uint64_t>& find_kernel(const NttSpec&, const NttRecipe&,
                                                                  std::size_t);
extern template const TransformKernel<std::uint32_t>& find_kernel(const NttSpec&, const NttRecipe&,
                                                                  std::size_t);

/// throws if the recipe cannot do the (validated) spec: wrong number of arithmetics, threads, or no kernel
/// for a limb.
void require_recipe(const NttSpec& spec, const NttRecipe& recipe);

}  // namespace nttforge
