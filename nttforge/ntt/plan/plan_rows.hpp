// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a plan does to one row.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/memory.hpp"
#include "nttforge/base/memory/out_of_memory.hpp"
#include "nttforge/ntt/algorithms/engine.hpp"
#include "nttforge/ntt/order.hpp"
#include "nttforge/ntt/plan/plan_limb.hpp"
#include "nttforge/ntt/plan/row_threads.hpp"
#include "nttforge/ntt/recipe.hpp"
#include "nttforge/ntt/spec.hpp"

namespace nttforge {

/// throws UnsupportedError if the tables of a plan do not fit: for merged kernels two of value and quotient a
/// limb, and two arrays of powers while they are made; algorithms of the collection may have a twist besides
/// each.
inline void require_table_memory(const NttSpec& spec, std::string_view algorithm) {
  const std::uint64_t words = algorithm == kMergedAlgorithm ? 4 : 8;
  require_memory((words * spec.moduli.size() * spec.word_bits / 8 + 16) * spec.n,
                 "the tables of n = " + std::to_string(spec.n) + " and " +
                     std::to_string(spec.moduli.size()) + " moduli");
}

/// The limbs of a plan, tables and kernels, and what they do to rows of n words: orders, and the algorithm
/// collection in place of merged kernels. spec and recipe outlive it.
template <class Word>
struct PlanRows {
  const NttSpec& spec;
  const unsigned log_n;
  std::vector<PlanLimb<Word>> limbs;
  std::unique_ptr<algorithms::Engine<Word>> engine;  ///< null for merged kernels

  PlanRows(const NttSpec& valid, const NttRecipe& recipe)
      : spec(valid), log_n(static_cast<unsigned>(std::bit_width(valid.n)) - 1) {
    const MemoryPurpose purpose("the tables of a transform");
    require_table_memory(spec, recipe.algorithm);
    if (recipe.algorithm != kMergedAlgorithm)
      engine = std::make_unique<algorithms::Engine<Word>>(spec, recipe);
    limbs.reserve(spec.moduli.size());
    for (std::size_t i = 0; i < spec.moduli.size(); ++i) {
      poll_interrupt();
      limbs.push_back(make_plan_limb<Word>(spec, recipe, i));
    }
  }

  const PlanLimb<Word>& limb_of(std::size_t row) const { return limbs[row % limbs.size()]; }
  std::size_t index_of(const PlanLimb<Word>& limb) const {
    return static_cast<std::size_t>(&limb - limbs.data());
  }

  /// A DGT's values are two halves, each in its order.
  void permute_values(const Word* in, Word* out) const {
    if (spec.transform != Transform::dgt) return permute_bit_reversed(in, out, log_n);
    const std::size_t half = spec.n / 2;
    permute_bit_reversed(in, out, log_n - 1);
    permute_bit_reversed(in + half, out + half, log_n - 1);
  }

  void forward_row(const PlanLimb<Word>& limb, const Word* in, Word* out) const {
    if (engine != nullptr) return engine->forward(index_of(limb), in, out);
    if (spec.input_order == Order::bit_reversed) {
      permute_bit_reversed(in, out, log_n);
      in = out;
    }
    limb.kernel->forward(limb.tables, in, out);
    if (spec.output_order == Order::natural) permute_values(out, out);
  }

  void inverse_row(const PlanLimb<Word>& limb, const Word* in, Word* out) const {
    if (engine != nullptr) return engine->inverse(index_of(limb), in, out);
    if (spec.output_order == Order::natural) {
      permute_values(in, out);
      in = out;
    }
    limb.kernel->inverse(limb.tables, in, out);
    if (spec.input_order == Order::bit_reversed) permute_bit_reversed(out, out, log_n);
  }

  bool can_cut() const {
    return std::all_of(limbs.begin(), limbs.end(), [](const PlanLimb<Word>& limb) {
      return limb.kernel != nullptr && limb.kernel->forward_part != nullptr;
    });
  }

  /// Transforms one row with all threads.
  template <bool inverse>
  void cut_row(const RowThreads& threads, const PlanLimb<Word>& limb, const Word* in, Word* out) const {
    const Order first = inverse ? spec.output_order : spec.input_order;
    const Order last = inverse ? spec.input_order : spec.output_order;
    constexpr Order natural = inverse ? Order::bit_reversed : Order::natural;  // to the kernel
    const auto permute = [&](const Word* from) {
      threads.each_part(8, [&](std::size_t part, std::size_t parts) {  // of unequal cost
        permute_bit_reversed_part(from, out, log_n, part, parts);
      });
    };
    if (first != natural) {
      permute(in);
      in = out;
    }
    const auto run = inverse ? limb.kernel->inverse_part : limb.kernel->forward_part;
    for (const unsigned phase : {0u, 1u}) {
      threads.each_part(
          1, [&](std::size_t part, std::size_t parts) { run(limb.tables, in, out, phase, part, parts); });
    }
    if (last == natural) permute(out);
  }

  /// Orders cancel between forward, product and inverse, so only the kernels' own order is used where
  /// possible.
  void row_product(const PlanLimb<Word>& limb, const Word* a, const Word* b, Word* out, Word* work) const {
    if (limb.kernel == nullptr || limb.kernel->product == nullptr)
      return product_by_parts(limb, a, b, out, work);
    const bool square = a == b;
    if (spec.input_order == Order::bit_reversed) {
      permute_bit_reversed(a, work, log_n);
      if (!square) permute_bit_reversed(b, out, log_n);
      a = work;
      b = square ? work : out;
    }
    limb.kernel->product(limb.tables, {limb.modulus, limb.multiply}, a, b, out, work);
    if (spec.input_order == Order::bit_reversed) permute_bit_reversed(out, out, log_n);
  }

  void product_by_parts(const PlanLimb<Word>& limb, const Word* a, const Word* b, Word* out,
                        Word* work) const {
    product_forward(limb, a, work);
    const Word* y = work;
    if (a != b) {
      product_forward(limb, b, out);
      y = out;
    }
    limb.multiply(limb.modulus, work, y, out, spec.n);
    product_inverse(limb, out);
  }

  void product_inverse(const PlanLimb<Word>& limb, Word* x) const {
    if (engine != nullptr) return engine->inverse(index_of(limb), x, x);
    limb.kernel->inverse(limb.tables, x, x);
    if (spec.input_order == Order::bit_reversed) permute_bit_reversed(x, x, log_n);
  }

  void product_forward(const PlanLimb<Word>& limb, const Word* in, Word* out) const {
    if (engine != nullptr) return engine->forward(index_of(limb), in, out);
    if (spec.input_order == Order::bit_reversed) {
      permute_bit_reversed(in, out, log_n);
      in = out;
    }
    limb.kernel->forward(limb.tables, in, out);
  }
};

}  // namespace nttforge
