// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/plan/limb_classes.hpp"

#include <utility>

namespace nttforge::cuda {

std::vector<LimbClass> limb_classes(const NttSpec& spec) {
  std::vector<LimbClass> classes;
  const std::size_t parts = spec.transform == Transform::dgt ? 2 : 1;
  for (const bool goldilocks : {false, true}) {
    LimbClass found{spec, {}};
    found.spec.moduli.clear();
    found.spec.roots.clear();
    for (std::size_t i = 0; i < spec.moduli.size(); ++i) {
      if ((spec.moduli[i] >> 63 != 0) != goldilocks) continue;
      found.limbs.push_back(i);
      found.spec.moduli.push_back(spec.moduli[i]);
      const auto first = spec.roots.begin() + static_cast<std::ptrdiff_t>(parts * i);
      if (!spec.roots.empty())
        found.spec.roots.insert(found.spec.roots.end(), first, first + static_cast<std::ptrdiff_t>(parts));
    }
    if (!found.limbs.empty()) classes.push_back(std::move(found));
  }
  return classes;
}

bool is_copy(const NttSpec& spec) { return spec.n == 1 || (spec.transform == Transform::dgt && spec.n == 2); }

bool suits(const CudaRecipe& recipe, const LimbClass& limbs) {
  return (recipe.arithmetic == Arithmetic::goldilocks) == (limbs.spec.moduli.front() >> 63 != 0);
}

std::vector<ClassRecipe> recipes_of_classes(const NttSpec& spec, const CudaRecipe& recipe,
                                            const CudaDevice& card, std::size_t batch) {
  std::vector<ClassRecipe> found;
  std::vector<LimbClass> classes = limb_classes(spec);
  for (LimbClass& limbs : classes) {
    const bool other = classes.size() > 1 && !suits(recipe, limbs);
    CudaRecipe chosen = other ? candidate_recipes(limbs.spec, card, batch).front() : recipe;
    found.push_back({std::move(limbs), std::move(chosen)});
  }
  return found;
}

}  // namespace nttforge::cuda
