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

 protected:
  void align(Ciphertext& a, Ciphertext& b) const override;
  /// The tensor products at one level for all, that of the rule, or the lowest of all where noise is unknown.
  Ciphertext sum_of_products(std::span<const Ciphertext* const> a, std::span<const Ciphertext* const> b,
                             std::size_t batch) const override;

 private:
  /// The same message under the factor f times as large. f is a unit modulo t.
  void scale(Ciphertext& a, std::int64_t f) const;
  /// Sum of products of operands of one level and batch whose factors multiply to `factor`.
  Ciphertext tensor(std::span<const Ciphertext* const> a, std::span<const Ciphertext* const> b,
                    std::uint64_t factor) const;

  ContextPtr context_;
};

}  // namespace nttforge::bgv
