// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nttforge/cuda/product/modulus.hpp"
#include "nttforge/cuda/product/sums.hpp"
#include "nttforge/cuda/recipe.hpp"
#include "nttforge/cuda/step/division_join.hpp"
#include "nttforge/cuda/step/rns_step.hpp"
#include "nttforge/ntt/spec.hpp"

namespace nttforge::cuda {

/// What kernels know of one modulus. An array of these, one per limb, lies in the memory where they run.
/// `forward` and `inverse` point to tables built by build_tables(), in the same memory.
template <class Word>
struct alignas(16) CudaLimb {
  Word q = 0;
  Word negated = 0;        ///< 2^64 - q or 2^32 - q, which turns a subtraction of multiples into a sum
  Word constants[4] = {};  ///< what the arithmetic (arith/) keeps for q
  Word scale[4] = {};      ///< 1/n as a table entry
  ProductModulus<Word> product{};
  const Word* forward = nullptr;
  const Word* inverse = nullptr;
};

/// Which passes of a transform run, counted in the order of the forward one. The other passes belong to a
/// kernel that is fused with the transform.
enum class PassPart : std::uint8_t { all, before_last, last };

/// One call. in == out or disjoint, [batch][limbs][n], residues in [0, q).
template <class Word>
struct CudaLaunch {
  const Word* in = nullptr;
  Word* out = nullptr;
  const CudaLimb<Word>* limbs = nullptr;
  std::uint32_t limb_count = 0;  ///< limbs of the arrays
  std::uint32_t batch = 0;
  std::uint32_t log_n = 0;
  std::uint32_t first_limb = 0;   ///< the first of the limbs_here limbs that are computed
  std::uint32_t limbs_here = 0;   ///< 0 means all limbs from first_limb on
  Word* workspace = nullptr;      ///< [limbs][n] words for rows with needs_workspace
  PassPart part = PassPart::all;  ///< `last` beside fused steps, `before_last` beside products

  std::uint32_t limbs_of_call() const { return limbs_here != 0 ? limbs_here : limb_count - first_limb; }
};

/// The last pass of both factors' transforms, their product, and the same pass backwards. call.in is the
/// first factor; call.out may be a factor. Where a row has several launches, the caller runs the passes
/// before the last: the forward ones before this call, the inverse ones after it.
template <class Word>
struct CudaProductLaunch {
  CudaLaunch<Word> call;
  const Word* second = nullptr;
};

/// A step between bases (step/rns_step.hpp) where the first pass of a transform loads, forward, or stores,
/// inverse. A forward call does not read call.in if it is null. Where a row has two launches, the caller
/// runs the last pass: forward after this call, inverse before it.
template <class Word>
struct CudaStepLaunch {
  CudaLaunch<Word> call;
  RnsStepArgs<Word> step;
};

/// The last pass of an inverse transform, which is the first to run, on sums of products (product/sums.hpp)
/// instead of call.in. Where a row has two launches, the caller runs the other pass after this call.
template <class Word>
struct CudaSumsLaunch {
  CudaLaunch<Word> call;
  ProductSums<Word> sums;
};

/// The last pass of a forward transform, whose results are joined with what a division leaves.
template <class Word>
struct CudaJoinLaunch {
  CudaLaunch<Word> call;
  DivisionJoin<Word> join;
};

/// Rows of digits of key switching, [elements][digits][limbs][n]. Limb j < own_limbs belongs to digit
/// digit_of[j] of an element, whose row of it is not transformed.
struct DigitRows {
  std::uint32_t elements = 1, digits = 1, own_limbs = 0;
  std::uint8_t digit_of[kMostLimbs] = {};

  NTTF_HD std::uint32_t count(std::uint32_t limbs) const { return elements * (limbs * digits - own_limbs); }
  /// Limb and polynomial of the row that is transformed as number `index`: limb by limb.
  NTTF_HD void find(std::uint32_t index, std::uint32_t& limb, std::uint32_t& member) const {
    const std::uint32_t others = digits - 1, with_owner = own_limbs * elements * others;
    if (index >= with_owner) {
      const std::uint32_t at = index - with_owner, all = elements * digits;
      limb = at / all;
      member = at - limb * all;
      limb += own_limbs;
      return;
    }
    limb = index / (elements * others);
    const std::uint32_t at = index - limb * elements * others, element = at / others;
    const std::uint32_t digit = at - element * others;
    member = element * digits + digit + (digit >= digit_of[limb] ? 1 : 0);
  }
};

/// The forward transform of digits in place; call.batch is elements times digits.
template <class Word>
struct CudaDigitsLaunch {
  CudaLaunch<Word> call;
  DigitRows rows;
};

/// A key-switching key and, where the digits' own rows are elsewhere, those, [elements][own_limbs][n]; what
/// is added to the first parts, [addend_parts][addend_limbs][n] of each element times `factors`.
template <class Word>
struct KeyWords {
  const Word* key = nullptr;
  std::uint32_t limbs = 0, special = 0, first = 0;  ///< as KeyRows
  const Word* own = nullptr;
  std::size_t own_stride = 0;
  const Word* addend = nullptr;
  std::size_t addend_stride = 0;
  std::uint32_t addend_parts = 0, addend_limbs = 0;
  Word factors[kMostLimbs] = {};
};

/// The last pass of the digits' transform from call.in and their products with a key, summed, to call.out,
/// [elements][2][limbs][n]; call.batch is elements.
template <class Word>
struct CudaKeyLaunch {
  CudaLaunch<Word> call;
  DigitRows rows;
  KeyWords<Word> key;
};

/// A run of stages whose twiddles stand together: groups 0 ... 2^first_stage - 1, each with the
/// 2^log_radix - 1 twiddles of its stages (1, 2, 4 ...). Entry (group g, slot k) stands at
///   2^first_stage + g (2^log_radix - 1) + k, or, slot_major, at (k + 1) 2^first_stage + g.
/// The last `derived` stages (never the first of the round) store only their first slot. The places of the
/// other slots in group 0 hold factors: in any group, first slot times factor is the twiddle of that slot.
struct TableRound {
  unsigned first_stage = 0;
  unsigned log_radix = 0;
  bool slot_major = false;
  unsigned derived = 0;

  friend bool operator==(const TableRound&, const TableRound&) = default;
};
using TableLayout = std::vector<TableRound>;

/// One way of computing transforms. An error code of the CUDA runtime comes back from the launches (0: ok);
/// they enqueue kernels on the caller's stream and do nothing else.
template <class Word>
struct CudaKernelRow {
  CudaRecipe recipe;
  unsigned min_log_n = 0, max_log_n = 0;
  std::uint64_t q_limit = 0;       ///< needs q < q_limit (docs/bounds/gpu_butterflies.md)
  std::uint32_t shared_bytes = 0;  ///< the most shared memory that a thread block of this row needs
  std::uint32_t launches = 1;
  unsigned entry_words = 2;  ///< words of one table entry
  /// Writes the table entry of w, which is in [0, q).
  void (*entry)(std::uint64_t w, std::uint64_t q, Word* entry) = nullptr;
  /// Rows of the DGT: writes the entry of re + i im. Their points are pairs of words, n/2 words apart, and
  /// log_n counts points.
  void (*complex_entry)(std::uint64_t re, std::uint64_t im, std::uint64_t q, Word* entry) = nullptr;
  TableLayout (*layout)(unsigned log_n) = nullptr;
  void (*fill_constants)(CudaLimb<Word>& limb) = nullptr;  ///< sets limb.constants from limb.q
  /// The kernels multiply by 1/n on their own: it is not in the inverse table.
  bool scales = false;
  /// [Kim20] VII, negacyclic: 2^log_base entries follow the table, psi^bitrev(e) for the multiples e of
  /// n / 2^log_base; the first of them is 1.
  unsigned log_base = 0;
  /// Writes a table of another kind, of 2^log_n entries, instead of what `layout` and `entry` say.
  void (*own_table)(const NttSpec& spec, std::size_t limb, bool inverse, Word* table) = nullptr;
  /// Computes all limbs of an array, in one call for each [limbs][n] of it with a workspace of the plan.
  bool whole = false, needs_workspace = false;
  bool natural_values = false;  ///< whether values stand in natural order, else bit-reversed
  /// Says why the row cannot do a spec's ring or roots, or "" if it can. nullptr: it can do all of them.
  std::string (*refuses)(const NttSpec& spec) = nullptr;
  int (*forward)(const CudaLaunch<Word>&, void* stream) = nullptr;  ///< nullptr in builds without CUDA
  int (*inverse)(const CudaLaunch<Word>&, void* stream) = nullptr;
  /// The same phases on the host; every pointer is to host memory. throws BlockError of block/host.hpp if
  /// two threads race. nullptr in builds without the host's runs, as all functions below that say _on_host.
  void (*forward_on_host)(const CudaLaunch<Word>&) = nullptr;
  void (*inverse_on_host)(const CudaLaunch<Word>&) = nullptr;
  /// Fused products (product/product.hpp), of the rows that have them.
  bool has_product = false;
  int (*product)(const CudaProductLaunch<Word>&, void* stream) = nullptr;
  void (*product_on_host)(const CudaProductLaunch<Word>&) = nullptr;
  /// Inverse transforms of sums of products (pass/summed.hpp), of the rows that have them.
  bool has_sums = false;
  int (*inverse_sums)(const CudaSumsLaunch<Word>&, void* stream) = nullptr;
  void (*inverse_sums_on_host)(const CudaSumsLaunch<Word>&) = nullptr;
  /// Fused steps (pass/stepped.hpp), of the rows that have them.
  bool has_steps = false;
  int (*forward_step)(const CudaStepLaunch<Word>&, void* stream) = nullptr;
  int (*inverse_step)(const CudaStepLaunch<Word>&, void* stream) = nullptr;
  void (*forward_step_on_host)(const CudaStepLaunch<Word>&) = nullptr;
  void (*inverse_step_on_host)(const CudaStepLaunch<Word>&) = nullptr;
  /// What key switching in values takes (pass/switching.hpp), of the rows that have it.
  bool has_switching = false;
  int (*forward_join)(const CudaJoinLaunch<Word>&, void* stream) = nullptr;
  int (*forward_digits)(const CudaDigitsLaunch<Word>&, void* stream) = nullptr;
  int (*key_product)(const CudaKeyLaunch<Word>&, void* stream) = nullptr;
  void (*forward_join_on_host)(const CudaJoinLaunch<Word>&) = nullptr;
  void (*forward_digits_on_host)(const CudaDigitsLaunch<Word>&) = nullptr;
  void (*key_product_on_host)(const CudaKeyLaunch<Word>&) = nullptr;
};

enum class CudaRowKind {
  ntt,
  dgt,    ///< for the DGT (NttSpec): sizes and launches count points, of which a polynomial has n/2
  papers  ///< of [Kim20] and [Bad18a], there to be measured; none in builds without NTTFORGE_PAPERS
};
/// The rows of this build.
template <class Word>
std::span<const CudaKernelRow<Word>> cuda_rows(CudaRowKind kind);

}  // namespace nttforge::cuda
