// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "nttforge/bgv/context.hpp"
#include "nttforge/integer_encoding/evaluator.hpp"

namespace nttforge::bgv {

/// Computes on ciphertexts of BGV: what IntegerEvaluator has, products, and levels. Operands may have
/// different levels and correction factors: sums are made at the lower level, factors balanced first, which
/// multiplies noise by about sqrt(t) where they differ. Products choose their level by the rule of
/// NoiseModel::product_level.
class Evaluator final : public IntegerEvaluator {
 public:
  explicit Evaluator(ContextPtr context);
  const ContextPtr& context() const { return context_; }

  /// Two parts each -> three parts: the tensor product at the level of the rule, or at the lower level of
  /// both where noise is unknown.
  Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) const override;
  /// sum_i a_i b_i, three parts, at one level for all, by the rule.
  using IntegerEvaluator::dot_product;
  Ciphertext dot_product(std::span<const Ciphertext* const> a,
                         std::span<const Ciphertext* const> b) const override;

 protected:
  void align(Ciphertext& a, Ciphertext& b) const override;

 private:
  /// The same message under the factor f times as large. f is a unit modulo t.
  void scale(Ciphertext& a, std::int64_t f) const;
  /// At the level of the rule; the operands are checked, `batch` is what they have in common.
  Ciphertext sum_of_products(std::span<const Ciphertext* const> a, std::span<const Ciphertext* const> b,
                             std::size_t batch) const;
  /// Sum of products of operands of one level and batch whose factors multiply to `factor`.
  Ciphertext tensor(std::span<const Ciphertext* const> a, std::span<const Ciphertext* const> b,
                    std::uint64_t factor) const;

  ContextPtr context_;
};

}  // namespace nttforge::bgv
