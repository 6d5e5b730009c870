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

  /// One level down: divided by the last prime, noise too, as long as it is above what rounding leaves. Any
  /// size. throws ParameterError at level 1.
  Ciphertext mod_switch(const Ciphertext& a) const;
  /// Down to `level`, 1 ... a.level(); at its own level the ciphertext as it is. throws ParameterError.
  Ciphertext mod_switch_to(const Ciphertext& a, std::size_t level) const;

 protected:
  void align(Ciphertext& a, Ciphertext& b) const override;

 private:
  /// The same message under the factor f times as large. f is a unit modulo t.
  void scale(Ciphertext& a, std::int64_t f) const;
  /// `a` at a level that is at most its own, in this evaluator's context; `storage` holds what is made.
  const Ciphertext& at_level(const Ciphertext& a, std::size_t level, Ciphertext& storage) const;
  /// The same; a single one is repeated `batch` times.
  const Ciphertext& operand(const Ciphertext& a, std::size_t level, std::size_t batch,
                            Ciphertext& storage) const;
  /// At the level of the rule; the operands are checked, `batch` is what they have in common.
  Ciphertext sum_of_products(std::span<const Ciphertext* const> a, std::span<const Ciphertext* const> b,
                             std::size_t batch) const;
  /// Sum of products of operands of one level and batch whose factors multiply to `factor`.
  Ciphertext tensor(std::span<const Ciphertext* const> a, std::span<const Ciphertext* const> b,
                    std::uint64_t factor) const;

  ContextPtr context_;
};

}  // namespace nttforge::bgv
