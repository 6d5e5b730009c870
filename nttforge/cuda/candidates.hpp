// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "nttforge/base/cxx20.hpp"
#include "nttforge/cuda/device.hpp"
#include "nttforge/cuda/recipe.hpp"
#include "nttforge/cuda/table/kernels.hpp"
#include "nttforge/ntt/spec.hpp"
#include "nttforge/ntt/wisdom.hpp"

namespace nttforge::cuda {

/// Every recipe that can do the (validated) spec on such a card, ordered by cost_of_calls_ns() of its
/// predicted time. If a spec mixes Goldilocks and other primes, these are recipes for the other primes
/// (plan/limb_classes.hpp). throws ParameterError as validated(), UnsupportedError if there is none, saying
/// why.
std::vector<CudaRecipe> candidate_recipes(const NttSpec& spec, const CudaDevice& device,
                                          std::size_t batch = 1);

/// The recipes of [Kim20], [Bad18a] and [Din24] that can do the spec on such a card, for plans that are asked
/// for them by name: CudaRecipe lists the names of their algorithms. throws as validated(), and
/// UnsupportedError in builds without them (CMake's NTTFORGE_PAPERS), saying how to get them.
std::vector<CudaRecipe> paper_recipes(const NttSpec& spec, const CudaDevice& device);

/// Predicted time of one transform of [batch][limbs][n], in nanoseconds (explorer/cost_model.cpp). It ranks
/// the recipes of one spec and promises nothing.
double predicted_ns(const NttSpec& spec, const CudaRecipe& recipe, const CudaDevice& device,
                    std::size_t batch = 1);

/// What orders candidates: the time on the device, and a share of the time for which the device waits while
/// the host enqueues the launches of calls made one by one. So a transform of a few microseconds takes the
/// recipe with fewer launches if that is not much slower in a graph.
double cost_of_calls_ns(double device_ns, unsigned launches);

/// The recipe that `wisdom` holds for such a card, if it can run here. throws ParameterError as validated().
std::optional<CudaRecipe> find_in_wisdom(const Wisdom& wisdom, const NttSpec& spec, const CudaDevice& device,
                                         std::size_t batch);
/// Remembers a recipe and its time. throws as find_row(), and ParameterError if ns is not a positive number.
void remember_in_wisdom(Wisdom& wisdom, const NttSpec& spec, const CudaDevice& device, std::size_t batch,
                        const CudaRecipe& recipe, double ns);

/// The kernel of a recipe. throws UnsupportedError or ParameterError naming what does not fit: spec, modulus,
/// n, word size, or the card's shared memory, threads or clusters.
template <class Word>
const CudaKernelRow<Word>& find_row(const NttSpec& spec, const CudaRecipe& recipe, const CudaDevice& device);
extern template const CudaKernelRow<std::uint64_t>& find_row(const NttSpec&, const CudaRecipe&,
                                                             const CudaDevice&);
extern template const CudaKernelRow<std::uint32_t>& find_row(const NttSpec&, const CudaRecipe&,
                                                             const CudaDevice&);

}  // namespace nttforge::cuda
