// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/device/tile_launch.cuh"

namespace nttforge::cuda {

NTTF_TILES_OF(NTTF_INSTANTIATE_TILES, WholeTiles)

}  // namespace nttforge::cuda
