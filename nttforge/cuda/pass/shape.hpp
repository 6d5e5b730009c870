// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/cuda/block/block.hpp"
#include "nttforge/cuda/table/kernels.hpp"

// What a pass (pass.hpp) is made from, and what its launches say.

namespace nttforge::cuda {

/// The tuning numbers of a pass; log_... are log2.
struct PassShape {
  unsigned stages = 0;
  unsigned log_columns = 0;  ///< neighbouring columns of a strided pass; 0: the pass is contiguous
  unsigned log_points = 3;   ///< points of a thread
  unsigned log_cluster = 0;  ///< thread blocks that share a tile
  unsigned log_tiles = 0;    ///< tiles of a thread block, in contiguous passes without clusters
  unsigned min_blocks = 1;   ///< thread blocks of a multiprocessor at once, which bounds the registers
  bool fetches = false;      ///< twiddles come to shared memory ahead of use
  /// The last so many stages of the last round have derived twiddles: the product of that of the round's
  /// first group and of a constant that all rounds share ([Kim20] VII, with one base). Contiguous passes
  /// only.
  unsigned derived = 0;
  /// A thread's neighbouring points go to global memory straight from its registers, 16 bytes at a time.
  bool direct = false;
};

/// A shape and the part that its pass has in a transform: everything that a kernel is specialised by, but its
/// arithmetic.
struct PassRole {
  PassShape shape{};
  bool inverse = false;
  unsigned log_n = 0;        ///< of the transform; 0: only the launch says this and first_stage
  unsigned first_stage = 0;  ///< of the pass
  bool backwards = false;    ///< thread blocks take the tiles from the last one on
  bool stepped = false;      ///< with a step between bases where the transform begins or, inverse, ends
};

constexpr PassRole inverse_of(PassRole role) {
  role.inverse = !role.inverse;
  return role;
}

template <class Word>
struct PassArgs {
  const Word* in;
  Word* out;
  const CudaLimb<Word>* limbs;
  std::uint32_t limb_count;  ///< of a polynomial
  std::uint32_t first_limb;  ///< of this launch
  std::uint32_t limbs_here;
  std::uint32_t batch;
  std::uint32_t log_n;
  std::uint32_t first_stage;
};

/// Arguments of a pass with a step between bases at its loads (forward) or stores (inverse).
template <class Word>
struct SteppedArgs : PassArgs<Word> {
  RnsStepArgs<Word> step;
};

/// Words of a point in memory: 2 for pairs (arith/complex.hpp), whose second words lie 2^log_n after the
/// first.
template <class Arith>
constexpr unsigned parts_of() {
  if constexpr (requires { Arith::kParts; }) return Arith::kParts;
  return 1;
}

}  // namespace nttforge::cuda
