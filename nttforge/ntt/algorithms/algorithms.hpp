// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "nttforge/base/cxx20.hpp"
#include "nttforge/ntt/recipe.hpp"
#include "nttforge/ntt/spec.hpp"

namespace nttforge {

/// One member of the algorithm collection: a recipe names it in `algorithm`. Scalar and fully reduced after
/// every stage: for study, comparison and traces, not for speed. docs/algorithms.md describes each.
struct AlgorithmInfo {
  std::string_view name;
  std::string_view title;   ///< one line for a person
  std::string_view source;  ///< paper and place in it
  Order input, output;      ///< its own orders, forward; others cost a bit reversal
  /// A mirrored algorithm's inverse undoes its stages (output -> input), and its twiddles include psi. The
  /// inverse of any other is the same algorithm with the inverse root, and for the negacyclic ring it
  /// multiplies by psi^j before (inverse: psi^-j after).
  bool mirrored;
  bool needs_workspace;
  bool on_the_fly;                    ///< can make twiddles on the fly
  std::span<const unsigned> radices;  /// allowed recipe.radix
};

/// All algorithms in the order of docs/algorithms.md.
std::span<const AlgorithmInfo> algorithm_infos();

/// throws ParameterError listing the names. "merged", the engine's own kernels, is none of them.
const AlgorithmInfo& find_algorithm(std::string_view name);

/// A recipe for a spec: scalar, each limb's only arithmetic, tables. radix 0: the algorithm's first.
/// throws as require_algorithm.
NttRecipe algorithm_recipe(const NttSpec& spec, std::string_view name, unsigned radix = 0);

/// throws ParameterError or UnsupportedError, saying what is allowed, if the recipe names an algorithm of the
/// collection and cannot do the (validated) spec, or names nothing known.
void require_algorithm(const NttSpec& spec, const NttRecipe& recipe);

}  // namespace nttforge
