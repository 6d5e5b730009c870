// SPDX-License-Identifier: Apache-2.0
#pragma once

// One modulus of a plan: its kernel, its tables, and the products of its values.

#include <variant>

#include "nttforge/ntt/kernels.hpp"
#include "nttforge/ntt/kernels/dgt/dgt_tables.hpp"
#include "nttforge/ntt/recipe.hpp"
#include "nttforge/ntt/row_ops.hpp"
#include "nttforge/ntt/spec.hpp"
#include "nttforge/ntt/twiddles/twiddles.hpp"

namespace nttforge {

template <class Word>
using ProductOfValues = void (*)(const RowModulus&, const Word*, const Word*, Word*, std::size_t);

template <class Word>
using SumOfProductsOfValues = decltype(RowOpsTable<Word>::sum_of_products);

template <class Word>
const RowOpsTable<Word>& row_ops_for(Target target, std::uint64_t q) {
  if constexpr (sizeof(Word) == sizeof(std::uint64_t)) {
    return row_ops(target, q);
  } else {
    return row_ops32(target, q);
  }
}

template <class Word>
struct PlanLimb {
  const TransformKernel<Word>* kernel;  // null where an algorithm of the collection does the transforms
  std::variant<TransformTables<Word>, DgtTables<Word>> storage;
  KernelTables<Word> tables;  ///< of storage
  RowModulus modulus;
  ProductOfValues<Word> multiply, multiply_accumulate;
  SumOfProductsOfValues<Word> sum_of_products;
};

/// Makes limb i of a validated spec as a valid recipe says.
template <class Word>
PlanLimb<Word> make_plan_limb(const NttSpec& spec, const NttRecipe& recipe, std::size_t i);
extern template PlanLimb<std::uint64_t> make_plan_limb(const NttSpec&, const NttRecipe&, std::size_t);
extern template PlanLimb<std::uint32_t> make_plan_limb(const NttSpec&, const NttRecipe&, std::size_t);

}  // namespace nttforge
