// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/ntt/algorithms/stage.hpp"
#include "nttforge/ntt/recipe.hpp"

namespace nttforge::algorithms {

template <class Word>
struct Runs {
  Run<Word> forward;
  Run<Word> inverse;
};

/// The functions of an algorithm of the collection (a name that find_algorithm knows, with one of its
/// radices). goldilocks: q is that prime, 64-bit words only.
template <class Word>
Runs<Word> find_runs(const NttRecipe& recipe, bool goldilocks);
template <>
Runs<std::uint64_t> find_runs<std::uint64_t>(const NttRecipe& recipe, bool goldilocks);
template <>
Runs<std::uint32_t> find_runs<std::uint32_t>(const NttRecipe& recipe, bool goldilocks);

}  // namespace nttforge::algorithms
