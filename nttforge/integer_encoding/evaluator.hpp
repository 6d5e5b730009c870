// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/integer_encoding/budget.hpp"
#include "nttforge/integer_encoding/plaintext.hpp"
#include "nttforge/rlwe/evaluator.hpp"

namespace nttforge::integer_encoding {

/// Bits of budget that shrink leaves by default.
inline constexpr double kShrinkBits = 10;

/// What schemes with integers modulo t have in common beyond rlwe::Evaluator, whose rules hold here too:
/// operands that are plaintexts, and budgets.
class IntegerEvaluator : public rlwe::Evaluator {
 public:
  explicit IntegerEvaluator(IntegerContextPtr context);

  Ciphertext add_plain(const Ciphertext& a, const Plaintext& b) const;
  Ciphertext sub_plain(const Ciphertext& a, const Plaintext& b) const;
  Ciphertext multiply_plain(const Ciphertext& a, const Plaintext& b) const;
  Ciphertext multiply_plain(const Ciphertext& a, const PreparedPlaintext& b) const;
  void add_plain_in_place(Ciphertext& a, const Plaintext& b) const;
  void sub_plain_in_place(Ciphertext& a, const Plaintext& b) const;
  void multiply_plain_in_place(Ciphertext& a, const PreparedPlaintext& b) const;

  /// sum_i a_i b_i with as many parts as the largest a_i. throws SizeError if the lists are empty or differ
  /// in length.
  using rlwe::Evaluator::dot_product;
  Ciphertext dot_product(std::span<const Ciphertext* const> a,
                         std::span<const PreparedPlaintext* const> b) const;
  Ciphertext dot_product(std::span<const Ciphertext> a, std::span<const PreparedPlaintext> b) const;

  /// The same message in as few bytes as a budget of min_budget_bits by that bound allows: at the lowest
  /// level that has it, coefficients rounded to as few values as leave it. What comes out is a ciphertext
  /// like any other. It hides nothing more than before (docs/bounds/decrypt.md on answers that others see).
  /// throws ParameterError unless min_budget_bits is in [0, 1000]; NoiseError if nothing is known of the
  /// noise or less is left already.
  Ciphertext shrink(const Ciphertext& a, double min_budget_bits = kShrinkBits,
                    NoiseBound bound = NoiseBound::heuristic) const;

 private:
  enum class Sign : std::uint8_t { plus, minus };
  void combine_plain(Ciphertext& a, const Plaintext& b, Sign sign) const;
  /// What a product of these says.
  Meta product_meta(const Ciphertext& a, const PreparedPlaintext& b) const;
  void multiply_elements(const Ciphertext& a, const PreparedPlaintext& b, Ciphertext& out) const;
  void add_terms(std::span<const Ciphertext* const> a, std::span<const PreparedPlaintext* const> b,
                 bool accumulate, Ciphertext& sum) const;

  IntegerContextPtr context_;
};

}  // namespace nttforge::integer_encoding
