// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/tile/matrix_shapes.hpp"
#include "nttforge/cuda/tile/shapes.hpp"

namespace nttforge::cuda {

// This is never reached, because the runtime of such a build refuses every launch.
template <class Call>
int enqueue_tiles(const Call&, TileShape, Correction, void*) {
  return 801;  // cudaErrorNotSupported
}
template <class Arith>
int enqueue_chain(const ChainCall<Arith>&, unsigned, void*) {
  return 801;
}
template <class Call>
int enqueue_matrix(const Call&, std::uint32_t, Correction, void*) {
  return 801;
}
int enqueue_matrix_chain(const ChainCall<NarrowTiles>&, void*) { return 801; }

NTTF_MATRICES(NTTF_INSTANTIATE_MATRIX)
NTTF_TILES_OF(NTTF_INSTANTIATE_TILES, NarrowTiles)
NTTF_TILES_OF(NTTF_INSTANTIATE_TILES, SplitTiles)
NTTF_TILES_OF(NTTF_INSTANTIATE_TILES, WholeTiles)

}  // namespace nttforge::cuda
