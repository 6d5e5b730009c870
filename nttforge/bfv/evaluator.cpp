// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/evaluator.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "nttforge/rlwe/evaluation/operands.hpp"

namespace nttforge::bfv {

Evaluator::Evaluator(ContextPtr context) : IntegerEvaluator(context), context_(std::move(context)) {}

Ciphertext Evaluator::sum_of_products(std::span<const Ciphertext* const> a,
                                      std::span<const Ciphertext* const> b, std::size_t batch) const {
  const std::size_t group = Products::kTerms;
  Ciphertext total;
  for (std::size_t first = 0; first < a.size(); first += group) {
    const std::size_t count = std::min(group, a.size() - first);
    Ciphertext part = scaled_sum(a.subspan(first, count), b.subspan(first, count), batch);
    if (total.empty())
      total = std::move(part);
    else
      add_in_place(total, part);
  }
  return total;
}

Ciphertext Evaluator::scaled_sum(std::span<const Ciphertext* const> a, std::span<const Ciphertext* const> b,
                                 std::size_t batch) const {
  std::size_t level = context_->limbs();
  for (const auto terms : {a, b})
    for (const Ciphertext* x : terms) level = std::min(level, x->level());
  std::vector<Ciphertext> storage(2 * a.size());
  std::vector<const Ciphertext*> x, y;
  std::vector<BatchRows> left, right;
  const auto rows = [batch](const Ciphertext& c) {
    return c.batch() == batch ? c.rows(0) : BatchRows{c.data(), 0};
  };
  for (std::size_t i = 0; i < a.size(); ++i) {
    x.push_back(&at_level(*a[i], level, Form::coefficients, storage[2 * i]));
    y.push_back(a[i] == b[i] ? x.back() : &at_level(*b[i], level, Form::coefficients, storage[2 * i + 1]));
    left.push_back(rows(*x.back()));
    right.push_back(rows(*y.back()));
  }
  const Products& products = context_->products();
  const Noise one = largest_noise(x), two = largest_noise(y);
  const std::size_t kept = products.kept(one, two, level);
  Ciphertext result(context_, 3,
                    x[0]->meta().computed(context_->noise_model().multiply(one, two, x.size(), level,
                                                                           products.rounding(level, kept))),
                    batch);
  context_->queue().sum_of_products(products.tables(level, kept), left, right, result.data(), batch);
  return result;
}

}  // namespace nttforge::bfv
