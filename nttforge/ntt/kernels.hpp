// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "nttforge/base/macros.hpp"
#include "nttforge/base/target.hpp"
#include "nttforge/ntt/recipe.hpp"
#include "nttforge/ntt/row_ops.hpp"
#include "nttforge/ntt/twiddles/twiddle_entry.hpp"

namespace nttforge {

/// How a table holds the twiddles of stages between the words of a vector, which differ from lane to lane.
enum class LaneTwiddles {
  vectors,            ///< a vector of values, then one of quotients; without lanes there are none
  vectors_of_values,  ///< vectors of values alone
  exchanged,          ///< as lane_exchange.hpp wants them
};

/// How a kernel wants its twiddles stored; twiddles.cpp writes them so, the loops of kernels/ read them so.
struct TwiddleLayout {
  TwiddleEntryOf entry = nullptr;  ///< the words of one twiddle
  unsigned log_lanes = 0;   ///< words per vector; the last log_lanes stages are between words of a vector
  unsigned tail_log = 0;    ///< stages after the last pass over memory, those between words among them
  unsigned radix_log = 1;   ///< stages merged per pass over memory (pass_steps.hpp)
  unsigned long_above = 0;  ///< 0: none of three stages beside those of radix_log = 2
  LaneTwiddles lanes = LaneTwiddles::vectors;
  unsigned quotients_from = 0;  ///< exchanged ones of 2^this points or more come without values; 0: none do
  bool signs = false;         ///< forward, last stage: q - w in groups whose index has an odd number of ones
  unsigned product_bits = 0;  ///< polynomial products leave out 2^-product_bits before the last inverse pass
};

/// Tables of one limb as a kernel sees them. Owned by TransformTables.
template <class Word>
struct KernelTables {
  Word q = 0;
  unsigned log_n = 0;
  const Word* forward = nullptr;  ///< n - 1 entries, as the layout says
  const Word* inverse = nullptr;  ///< the same with w^-1; entry 1 holds w^-1 / n
  Word scale = 0;                 ///< 1/n
  Word scale_quotient = 0;
  /// Inputs may be lazy: forward words in [0, 4q), inverse ones in [0, 2q) (docs/bounds/lazy_input.md). Only
  /// for 64-bit words, n > 1 and q < 2^62, and not in products.
  bool lazy_input = false;
  bool quotients_alone = false;  ///< whether exchanged lane twiddles come without values
  /// Entry 1 of `inverse` and the scale, times 2^TwiddleLayout::product_bits: (value, quotient) each.
  Word product_first[2] = {}, product_scale[2] = {};
};

/// in [n] in [0, q) -> out [n] in [0, q); in == out or disjoint; any alignment of whole words.
/// forward: natural -> bit-reversed order; inverse: bit-reversed -> natural, factor 1/n included.
template <class Word>
using TransformFunction = void (*)(const KernelTables<Word>& tables, const Word* in, Word* out);

/// The part `part` of `parts` of one transform, for several threads. Two phases: the parts of one phase are
/// independent, and phase 1 begins when all of phase 0 are done. in == out or disjoint, the same in every
/// call. The result does not depend on `parts`.
template <class Word>
using TransformPartFunction = void (*)(const KernelTables<Word>& tables, const Word* in, Word* out,
                                       unsigned phase, std::size_t part, std::size_t parts);

/// The product of values, by RowOpsTable::multiply of the limb's class.
template <class Word>
struct ValueProduct {
  RowModulus modulus;
  void (*multiply)(const RowModulus&, const Word* a, const Word* b, Word* out, std::size_t count);
  NTTF_INLINE void operator()(const Word* a, const Word* b, Word* out, std::size_t count) const {
    multiply(modulus, a, b, out, count);
  }
};

/// out = a b in the ring, all in natural order, [n] in [0, q). work: n words; it may be a, and out may be a
/// or b; otherwise all are disjoint. a == b squares, with one forward transform.
template <class Word>
using ProductFunction = void (*)(const KernelTables<Word>& tables, const ValueProduct<Word>& values,
                                 const Word* a, const Word* b, Word* out, Word* work);

/// One way of computing one limb: a row of n residues modulo one prime. A new instruction set, arithmetic or
/// loop is a new entry of a list in cpu/transform/.
template <class Word>
struct TransformKernel {
  Target target;
  Arithmetic arithmetic;
  unsigned radix;
  unsigned min_log_n;
  std::uint64_t q_limit;  ///< needs q < q_limit (docs/bounds/); Goldilocks: q = 2^64 - 2^32 + 1 only
  double butterfly_ns;    ///< for the explorer's model; docs/decisions/transforms.md says how it was found
  TwiddleLayout layout;
  TransformFunction<Word> forward;
  TransformFunction<Word> inverse;
  TransformPartFunction<Word> forward_part = nullptr;  ///< nullptr: cannot be cut
  TransformPartFunction<Word> inverse_part = nullptr;
  ProductFunction<Word> product = nullptr;  ///< nullptr: by its parts
};

/// Every kernel of this build, whether or not this CPU can run it; targets in increasing order.
template <class Word>
std::span<const TransformKernel<Word>> transform_kernels();
template <>
std::span<const TransformKernel<std::uint64_t>> transform_kernels<std::uint64_t>();
template <>
std::span<const TransformKernel<std::uint32_t>> transform_kernels<std::uint32_t>();

}  // namespace nttforge
