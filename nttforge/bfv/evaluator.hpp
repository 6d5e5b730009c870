// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "nttforge/bfv/context.hpp"
#include "nttforge/integer_encoding/evaluator.hpp"

namespace nttforge::bfv {

/// Computes on ciphertexts of BFV: what IntegerEvaluator has, and products. Operands may have different
/// levels: sums and products are made at the lowest of them.
class Evaluator final : public IntegerEvaluator {
 public:
  explicit Evaluator(ContextPtr context);
  const ContextPtr& context() const { return context_; }

  /// Two parts each -> three parts: round(t/Q (a tensor b)), nearly, by the context's form of products.
  Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) const override;
  /// sum_i a_i b_i, three parts; tensors are added up before one scaling (groups of Products::kTerms).
  using IntegerEvaluator::dot_product;
  Ciphertext dot_product(std::span<const Ciphertext* const> a,
                         std::span<const Ciphertext* const> b) const override;

 private:
  /// One scaling for at most kTerms products of one level, whose batches go together.
  Ciphertext sum_of_products(std::span<const Ciphertext* const> a, std::span<const Ciphertext* const> b,
                             std::size_t batch) const;

  ContextPtr context_;
};

}  // namespace nttforge::bfv
