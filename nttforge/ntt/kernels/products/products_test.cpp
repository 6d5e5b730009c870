// SPDX-License-Identifier: Apache-2.0
// Fused polynomial products of this machine's kernels and plans; schoolbook products are in plan_test.cpp.

#include <algorithm>

#include "nttforge/ntt/candidates.hpp"
#include "nttforge/ntt/kernels/products/testing_products.hpp"
#include "nttforge/ntt/plan.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

template <class Word>
void check_rows(unsigned largest_log_n) {
  const auto targets = available_targets();
  for (const auto& kernel : transform_kernels<Word>()) {
    if (std::find(targets.begin(), targets.end(), kernel.target) != targets.end())
      compare_product_everywhere(kernel, largest_log_n);
  }
}

void check_plan(NttSpec spec) {
  const std::uint64_t q = spec.moduli[0];
  Rng rng;
  for (const NttRecipe& recipe : candidate_recipes(spec, available_targets())) {
    const NttPlan plan(spec, recipe);
    const Words a = random_residues(spec.n, q, rng), b = random_residues(spec.n, q, rng);
    using In = std::span<const std::uint64_t>;
    using Out = std::span<std::uint64_t>;
    for (const Words* right : {&b, &a}) {
      Words x(spec.n), y(spec.n), out(spec.n), work(spec.n);
      plan.forward(In(a), Out(x));
      plan.forward(In(*right), Out(y));
      plan.multiply(In(x), In(y), Out(x));
      plan.inverse(In(x), Out(x));
      plan.polynomial_product(In(a), In(*right), Out(out), Out(work));
      NTTF_CHECK(out == x);
      out = a;
      plan.polynomial_product(In(out), right == &a ? In(out) : In(*right), Out(out), Out(work));
      NTTF_CHECK(out == x);
    }
  }
}

}  // namespace

NTTF_TEST("fused products of every kernel equal their parts") {
  check_rows<std::uint64_t>(10);
  check_rows<std::uint32_t>(10);
}

NTTF_TEST("fused products of plans equal their parts, to n = 2^19, all orders") {
  for (const unsigned bits : {50u, 60u, 62u}) {
    for (const unsigned log_n : {13u, 16u, 19u}) {
      if (log_n == 19 && bits != 60 && !full_tests()) continue;
      const std::size_t n = std::size_t{1} << log_n;
      check_plan({n, {largest_prime(n, bits)}});
    }
    for (const Order input : {Order::natural, Order::bit_reversed}) {
      for (const Order output : {Order::natural, Order::bit_reversed})
        check_plan({2048, {largest_prime(2048, bits)}, Ring::negacyclic, input, output});
    }
  }
}
