// SPDX-License-Identifier: Apache-2.0
// The kernels of steps between bases for any moduli below 2^62, in every shape of tile/shapes.hpp and for
// every kind of correction. Each arithmetic is a unit of its own, so that they compile side by side.
#include "nttforge/cuda/tile/launch.cuh"

namespace nttforge::cuda {

// One step, several steps of one launch, and chains of two.
NTTF_TILES_OF(NTTF_INSTANTIATE_TILES, WholeTiles)

}  // namespace nttforge::cuda
