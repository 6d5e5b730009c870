// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "nttforge/cuda/memory.hpp"
#include "nttforge/cuda/tile/convert.hpp"
#include "nttforge/rns/step.hpp"

namespace nttforge::cuda {

inline constexpr std::size_t kMostTileSources = 128;

/// How a step's correction is made.
Correction correction_of(const RnsStep& step);

/// The step's constants for an arithmetic, kept in `memory`; none if the arithmetic does not take the step:
/// moduli that are too large (or even, for NarrowTiles), more than kMostTileSources sources, fractions, of
/// which only NarrowTiles takes some, for products of matrices alone.
/// Targets whose outputs are the sources themselves become TileStep::kept. The step is valid.
template <class Arith>
std::optional<TileStep<Arith>> make_tile_step(const RnsStep& step, int device,
                                              std::vector<CudaBuffer>& memory);

}  // namespace nttforge::cuda
