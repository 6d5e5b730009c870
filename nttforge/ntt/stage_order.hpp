// SPDX-License-Identifier: Apache-2.0
#pragma once

// What kernels do with passes over memory and codelets (stage_passes.hpp, tail_passes.hpp): transforms, whole
// or in parts, and polynomial products.
//
// A group that fits a block (log_block of its shape, the first-level cache) is finished at once. A larger one
// is split by one pass, then each of its parts is done to the end before the next one: depth first. So a pass
// over memory is paid only for groups that no longer fit a cache, whatever the sizes of the caches. The
// inverse runs backwards. (Several stages over narrow strips of columns, copied to a small buffer, pass
// memory fewer times and gained nothing but on one kernel of one core; docs/decisions/explorer.md.)
//
// For several threads one transform is a matrix of 2^s rows, the groups of its first s stages: threads take
// ranges of columns for those stages, then ranges of rows.
//
// A polynomial product does the columns of both factors, then row by row: forward, product of the values and
// inverse, the last stages and the product in pieces of kPiece words that stay in the first-level cache; then
// the columns backwards. So the values never travel.
//
// All this is compiled once per word, as the passes of a kernel are a table of functions.

#include <cstddef>
#include <cstdint>
#include <new>

#include "nttforge/ntt/kernels.hpp"
#include "nttforge/ntt/pass_walk.hpp"

namespace nttforge {

/// The loops of a kernel, and the sizes that decide their order. `constants`: what `prepare` made of the
/// tables' modulus and scale.
template <class Word>
struct PassTable {
  unsigned radix_log, tail_log, long_above, log_block;
  unsigned kept_log;         ///< stages of passes that a block keeps
  std::size_t column_words;  ///< columns of a pass are a multiple of this many words
  unsigned product_log;      ///< log2 of a unit's points
  void (*prepare)(const KernelTables<Word>& tables, bool product, void* constants);
  /// The pass at 2^log_m over an area whose first group is `group`.
  void (*forward_pass)(const WalkTables<Word>& walk, const void* constants, const Area<Word>& area,
                       unsigned log_m, std::size_t group);
  void (*inverse_pass)(const WalkTables<Word>& walk, const void* constants, const Area<Word>& area,
                       unsigned log_m, std::size_t group);
  /// The last 2^tail_log points of groups [first, first + count); nullptr: passes do all stages.
  void (*forward_tail)(const WalkTables<Word>& walk, const void* constants, Word* out, std::size_t first,
                       std::size_t count);
  void (*inverse_tail)(const WalkTables<Word>& walk, const void* constants, const Word* in, Word* out,
                       std::size_t first, std::size_t count);
  /// Last stages of both factors, product and first inverse stages of units [first, first + count) of a and b
  /// (a == b: squares), which may be overwritten; nullptr: there is none.
  void (*product_units)(const WalkTables<Word>& walk, const WalkTables<Word>& back, const void* constants,
                        Word q, Word* a, Word* b, Word* out, std::size_t first, std::size_t count);
  /// Twiddles of the pass at 1.
  const Word* (*first_twiddles)(const WalkTables<Word>& walk);

  /// What a TransformKernel does (kernels.hpp). The whole of a transform is the phase of its rows.
  static constexpr unsigned kForwardRows = 1, kInverseRows = 0;
  void forward(const KernelTables<Word>& tables, const Word* in, Word* out, unsigned phase, std::size_t part,
               std::size_t parts) const;
  void inverse(const KernelTables<Word>& tables, const Word* in, Word* out, unsigned phase, std::size_t part,
               std::size_t parts) const;
  void product(const KernelTables<Word>& tables, const ValueProduct<Word>& values, const Word* a,
               const Word* b, Word* out, Word* work) const;
};
extern template struct PassTable<std::uint64_t>;
extern template struct PassTable<std::uint32_t>;

/// Room for a kernel's constants.
struct alignas(64) PassConstants {
  std::byte bytes[1280];
};

/// The table of the passes of one butterfly and shape, and those functions for it.
template <class PassesType>
class StageOrder {
 public:
  using Passes = PassesType;
  using Word = typename Passes::Word;

  static void forward(const KernelTables<Word>& tables, const Word* in, Word* out) {
    kTable.forward(tables, in, out, kTable.kForwardRows, 0, 1);
  }
  static void inverse(const KernelTables<Word>& tables, const Word* in, Word* out) {
    kTable.inverse(tables, in, out, kTable.kInverseRows, 0, 1);
  }
  static void forward_part(const KernelTables<Word>& tables, const Word* in, Word* out, unsigned phase,
                           std::size_t part, std::size_t parts) {
    kTable.forward(tables, in, out, phase, part, parts);
  }
  static void inverse_part(const KernelTables<Word>& tables, const Word* in, Word* out, unsigned phase,
                           std::size_t part, std::size_t parts) {
    kTable.inverse(tables, in, out, phase, part, parts);
  }
  static void product(const KernelTables<Word>& tables, const ValueProduct<Word>& values, const Word* a,
                      const Word* b, Word* out, Word* work) {
    kTable.product(tables, values, a, b, out, work);
  }

 private:
  using Lanes = typename Passes::Lanes;
  using Product = typename Passes::Product;
  using Walk = typename Passes::Walk;
  struct Constants {
    typename Passes::Constants c;
    typename Passes::Twiddle scale;
  };
  static_assert(sizeof(Constants) <= sizeof(PassConstants) && alignof(Constants) <= alignof(PassConstants));
  static NTTF_INLINE const Constants& known(const void* constants) {
    return *std::launder(static_cast<const Constants*>(constants));
  }

  static void prepare(const KernelTables<Word>& tables, bool product, void* constants) {
    const Word value = product ? tables.product_scale[0] : tables.scale;
    const Word quotient = product ? tables.product_scale[1] : tables.scale_quotient;
    new (constants) Constants{Product::constants(tables.q),
                              Product::twiddle(Lanes::broadcast(value), Lanes::broadcast(quotient))};
  }
  static void forward_pass(const WalkTables<Word>& walk, const void* constants, const Area<Word>& area,
                           unsigned log_m, std::size_t group) {
    Passes::forward_pass(Walk{walk}, known(constants).c, area, log_m, group);
  }
  static void inverse_pass(const WalkTables<Word>& walk, const void* constants, const Area<Word>& area,
                           unsigned log_m, std::size_t group) {
    Passes::inverse_pass(Walk{walk}, known(constants).c, known(constants).scale, area, log_m, group);
  }
  static void forward_tail(const WalkTables<Word>& walk, const void* constants, Word* out, std::size_t first,
                           std::size_t count) {
    Passes::forward_codelets(Walk{walk}, known(constants).c, out, first, count);
  }
  static void inverse_tail(const WalkTables<Word>& walk, const void* constants, const Word* in, Word* out,
                           std::size_t first, std::size_t count) {
    Passes::inverse_codelets(Walk{walk}, known(constants).c, in, out, first, count);
  }
  static void product_units(const WalkTables<Word>& walk, const WalkTables<Word>& back, const void* constants,
                            Word q, Word* a, Word* b, Word* out, std::size_t first, std::size_t count) {
    Passes::product_units(Walk{walk}, Walk{back}, known(constants).c, q, a, b, out, first, count);
  }
  static const Word* first_twiddles(const WalkTables<Word>& walk) { return Walk{walk}.scalars(0); }

  static constexpr PassTable<Word> make_table() {
    PassTable<Word> table{.radix_log = Passes::kRadixLog,
                          .tail_log = Passes::kTailLog,
                          .long_above = Passes::kLongAbove,
                          .log_block = Passes::kLogBlock,
                          .kept_log = Passes::kKeptLog,
                          .column_words = Passes::kColumnWords,
                          .product_log = Passes::kProductLog,
                          .prepare = prepare,
                          .forward_pass = forward_pass,
                          .inverse_pass = inverse_pass,
                          .forward_tail = nullptr,
                          .inverse_tail = nullptr,
                          .product_units = nullptr,
                          .first_twiddles = first_twiddles};
    if constexpr (Passes::kTailLog != 0) {
      table.forward_tail = forward_tail;
      table.inverse_tail = inverse_tail;
    }
    if constexpr (Passes::kHasProduct) table.product_units = product_units;
    return table;
  }
  static constexpr PassTable<Word> kTable = make_table();
};

}  // namespace nttforge
