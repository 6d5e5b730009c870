// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/cuda/block/block.hpp"
#include "nttforge/cuda/product/sums.hpp"
#include "nttforge/cuda/table/kernels.hpp"

// What a pass (pass.hpp) is made from, and what its launches say.

namespace nttforge::cuda {

/// The tuning numbers of a pass; log_x is the base-2 logarithm of x.
struct PassShape {
  unsigned stages = 0;
  unsigned log_columns = 0;  ///< neighbouring columns of a strided pass; 0: the pass is contiguous
  unsigned log_points = 3;   ///< points of a thread
  unsigned log_cluster = 0;  ///< thread blocks that share a tile
  unsigned log_tiles = 0;    ///< tiles of a thread block, in contiguous passes without clusters
  unsigned min_blocks = 1;   ///< thread blocks of a multiprocessor at once, which bounds the registers
  bool fetches = false;      ///< twiddles come to shared memory ahead of use
  /// How many stages at the end of the last round derive their twiddles: each is the product of a twiddle
  /// of the round's first group and a constant that all rounds share ([Kim20] VII, with one base). Only in
  /// contiguous passes.
  unsigned derived = 0;
  /// A thread's neighbouring points go to global memory straight from its registers, 16 bytes at a time.
  bool direct = false;
};

/// A shape and the part that its pass plays in a transform: everything that specialises a kernel except the
/// arithmetic.
struct PassRole {
  PassShape shape{};
  bool inverse = false;
  unsigned log_n = 0;        ///< size of the transform; 0: the launch says it, and first_stage too
  unsigned first_stage = 0;  ///< how many stages of the transform come before the pass
  bool backwards = false;    ///< thread blocks take the tiles from the last one on
  bool stepped = false;      ///< with a step between bases where the transform begins or, inverse, ends
  bool summed = false;       ///< inverse: begins with sums of products instead of an array
  bool digits = false;       ///< forward: of digits, whose own rows are left out
  bool joined = false;       ///< forward, last pass: results are joined with what a division leaves
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
  std::uint32_t limb_count;  ///< limbs of a polynomial
  std::uint32_t first_limb;  ///< where this launch begins
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

/// Arguments of an inverse pass that begins with sums of products; `in` is not read.
template <class Word>
struct SummedArgs : PassArgs<Word> {
  ProductSums<Word> sums;
};

/// Arguments of a forward pass over the rows of digits.
template <class Word>
struct DigitsArgs : PassArgs<Word> {
  DigitRows rows;
};

/// Arguments of the last forward pass in a division of values.
template <class Word>
struct JoinedArgs : PassArgs<Word> {
  DivisionJoin<Word> join;
};

/// The arguments of a role.
template <class Word, PassRole kRole>
auto args_of_role() {
  if constexpr (kRole.stepped)
    return SteppedArgs<Word>{};
  else if constexpr (kRole.summed)
    return SummedArgs<Word>{};
  else if constexpr (kRole.digits)
    return DigitsArgs<Word>{};
  else if constexpr (kRole.joined)
    return JoinedArgs<Word>{};
  else
    return PassArgs<Word>{};
}

/// Words of a point in memory: 2 for pairs (arith/complex.hpp), whose second words lie 2^log_n after the
/// first.
template <class Arith>
constexpr unsigned parts_of() {
  if constexpr (requires { Arith::kParts; }) return Arith::kParts;
  return 1;
}

}  // namespace nttforge::cuda
