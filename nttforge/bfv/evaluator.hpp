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

 private:
  /// round(t/Q (a tensor b)), nearly, by the context's form of products; tensors are added up before one
  /// scaling (groups of Products::kTerms).
  Ciphertext sum_of_products(std::span<const Ciphertext* const> a, std::span<const Ciphertext* const> b,
                             std::size_t batch) const override;
  /// One scaling for at most kTerms products at the lowest of their levels, whose batches go together.
  Ciphertext scaled_sum(std::span<const Ciphertext* const> a, std::span<const Ciphertext* const> b,
                        std::size_t batch) const;

  ContextPtr context_;
};

}  // namespace nttforge::bfv
