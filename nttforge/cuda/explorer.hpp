// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "nttforge/base/cxx20.hpp"
#include "nttforge/cuda/candidates.hpp"
#include "nttforge/ntt/explorer.hpp"

namespace nttforge::cuda {

/// A recipe with its times, which are measured in a graph of repeated calls.
struct CudaExploredRecipe : Explored<CudaRecipe> {
  /// Times of a polynomial product if the recipe has a fused one; 0 if not measured. The recipe names the
  /// faster form.
  double fused_product_ns = 0, composed_product_ns = 0;
};

/// What explore() measures, and for how long.
struct CudaExploreOptions {
  int device = 0;
  std::size_t batch = 1;  ///< [batch][limbs][n] arrays, 1 ... 2^20
  double budget_s = 3;    ///< seconds to spend, in (0, 3600]; the first candidate is always finished
  /// (candidate or round, how many, what is at work or best so far); returns false to stop with what is
  /// known.
  std::function<bool(std::size_t, std::size_t, const CudaExploredRecipe&)> progress{};
};

/// What explore() found.
struct CudaExploration {
  std::vector<CudaExploredRecipe> recipes;  ///< measured ones first, fastest first; then by prediction
  bool complete = false;                    ///< false: stopped by `progress` or the budget ended early
  double elapsed_s = 0;

  const CudaExploredRecipe& best() const { return recipes.front(); }
};

/// Measures the recipes that can do a spec on a device, best predicted first: each must give the words of the
/// CPU engine, forward and inverse; then all take turns, and those that fall behind drop out. Writes nothing.
/// throws as CudaNttPlan does, and Error if no recipe could be measured; exceptions of `progress` pass
/// through.
CudaExploration explore(const NttSpec& spec, const CudaExploreOptions& options = {});

}  // namespace nttforge::cuda
