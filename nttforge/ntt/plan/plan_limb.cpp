// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/plan/plan_limb.hpp"

#include <bit>
#include <utility>

#include "nttforge/ntt/candidates.hpp"

namespace nttforge {
namespace {

template <class Word, class Tables>
PlanLimb<Word> limb_of(const TransformKernel<Word>& kernel, Tables tables, const RowModulus& modulus,
                       ProductOfValues<Word> multiply, ProductOfValues<Word> multiply_accumulate,
                       SumOfProductsOfValues<Word> sum_of_products) {
  const KernelTables<Word> view = tables.view();
  return {&kernel, std::move(tables), view, modulus, multiply, multiply_accumulate, sum_of_products};
}

}  // namespace

template <class Word>
PlanLimb<Word> make_plan_limb(const NttSpec& spec, const NttRecipe& recipe, std::size_t i) {
  const std::uint64_t q = spec.moduli[i];
  const RowModulus modulus = make_row_modulus(q);
  const RowOpsTable<Word>& ops = row_ops_for<Word>(recipe.target, q);
  if (recipe.algorithm != kMergedAlgorithm)
    return {nullptr, {}, {}, modulus, ops.multiply, ops.multiply_accumulate, ops.sum_of_products};
  const TransformKernel<Word>& kernel = find_kernel<Word>(spec, recipe, i);
  const auto log_n = static_cast<unsigned>(std::bit_width(spec.n)) - 1;
  if (spec.transform == Transform::dgt) {
    DgtTables<Word> tables(log_n, q, {spec.roots[2 * i], spec.roots[2 * i + 1]}, kernel.layout);
    return limb_of(kernel, std::move(tables), modulus, ops.complex_multiply, ops.complex_multiply_accumulate,
                   ops.complex_sum_of_products);
  }
  TransformTables<Word> tables(spec.ring, log_n, q, spec.roots[i], kernel.layout);
  return limb_of(kernel, std::move(tables), modulus, ops.multiply, ops.multiply_accumulate,
                 ops.sum_of_products);
}

template PlanLimb<std::uint64_t> make_plan_limb(const NttSpec&, const NttRecipe&, std::size_t);
template PlanLimb<std::uint32_t> make_plan_limb(const NttSpec&, const NttRecipe&, std::size_t);

}  // namespace nttforge
