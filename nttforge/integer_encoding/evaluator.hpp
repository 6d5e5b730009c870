// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/integer_encoding/plaintext.hpp"
#include "nttforge/rlwe/evaluator.hpp"

namespace nttforge::integer_encoding {

/// What schemes with integers modulo t have in common beyond rlwe::Evaluator, whose rules hold here too:
/// operands that are plaintexts.
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

 private:
  enum class Sign : std::uint8_t { plus, minus };
  void combine_plain(Ciphertext& a, const Plaintext& b, Sign sign) const;
  void multiply_elements(const Ciphertext& a, const PreparedPlaintext& b, Ciphertext& out) const;

  IntegerContextPtr context_;
};

}  // namespace nttforge::integer_encoding
