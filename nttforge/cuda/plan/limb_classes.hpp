// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "nttforge/cuda/candidates.hpp"

namespace nttforge::cuda {

/// Limbs of a spec that one arithmetic computes, as a spec of their own, and where they stand.
struct LimbClass {
  NttSpec spec;
  std::vector<std::size_t> limbs;
};

/// Limbs below 2^62, then those of the Goldilocks prime; classes without limbs are left out. spec: validated.
std::vector<LimbClass> limb_classes(const NttSpec& spec);

/// True if values are the coefficients: nothing to compute.
bool is_copy(const NttSpec& spec);

/// True if the recipe's arithmetic is that of the class.
bool suits(const CudaRecipe& recipe, const LimbClass& limbs);

/// A recipe for each class of the (validated) spec: `recipe` for the one it suits, the cheapest for the
/// other. With one class only, `recipe`, whether it suits or not.
struct ClassRecipe {
  LimbClass limbs;
  CudaRecipe recipe;
};
std::vector<ClassRecipe> recipes_of_classes(const NttSpec& spec, const CudaRecipe& recipe,
                                            const CudaDevice& card, std::size_t batch = 1);

}  // namespace nttforge::cuda
