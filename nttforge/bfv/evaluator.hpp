// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "nttforge/bfv/ciphertext.hpp"
#include "nttforge/bfv/keys.hpp"
#include "nttforge/bfv/plaintext.hpp"

namespace nttforge::bfv {

/// Computes on ciphertexts. All operands must belong to compatible contexts (ContextError otherwise) and have
/// one encoding (ParameterError), which results inherit: slots are multiplied one by one, coefficients as
/// polynomials modulo X^n + 1. What is computed belongs to the evaluator's context, also where operands
/// come from one with other threads. Operands are unchanged by an error. Sizes: "two parts" operations throw
/// ParameterError for a three-part operand and say to relinearize. Stateless: const calls may run
/// concurrently on distinct outputs. Results are deterministic.
class Evaluator {
 public:
  explicit Evaluator(ContextPtr context);
  const ContextPtr& context() const { return context_; }

  // Any sizes; the result has the larger one.
  Ciphertext add(const Ciphertext& a, const Ciphertext& b) const;
  Ciphertext sub(const Ciphertext& a, const Ciphertext& b) const;
  Ciphertext negate(const Ciphertext& a) const;
  void add_in_place(Ciphertext& a, const Ciphertext& b) const;
  void sub_in_place(Ciphertext& a, const Ciphertext& b) const;
  void negate_in_place(Ciphertext& a) const;
  /// Sum of at least one ciphertext. throws SizeError for none.
  Ciphertext sum(std::span<const Ciphertext* const> terms) const;

  Ciphertext add_plain(const Ciphertext& a, const Plaintext& b) const;
  Ciphertext sub_plain(const Ciphertext& a, const Plaintext& b) const;
  Ciphertext multiply_plain(const Ciphertext& a, const Plaintext& b) const;
  Ciphertext multiply_plain(const Ciphertext& a, const PreparedPlaintext& b) const;
  void add_plain_in_place(Ciphertext& a, const Plaintext& b) const;
  void sub_plain_in_place(Ciphertext& a, const Plaintext& b) const;
  void multiply_plain_in_place(Ciphertext& a, const PreparedPlaintext& b) const;

  /// Two parts each -> three parts: round(t/Q (a tensor b)) by BEHZ [Bad18b, section 5.3].
  Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) const;
  Ciphertext square(const Ciphertext& a) const;
  /// Three parts -> two; two parts are returned as they are.
  Ciphertext relinearize(const Ciphertext& a, const RelinearizationKey& key) const;
  void relinearize_in_place(Ciphertext& a, const RelinearizationKey& key) const;
  Ciphertext multiply_relinearize(const Ciphertext& a, const Ciphertext& b,
                                  const RelinearizationKey& key) const;
  Ciphertext square_relinearize(const Ciphertext& a, const RelinearizationKey& key) const;

  /// Two parts, encoded as slots (but for apply_galois, which takes polynomials of either encoding: X ->
  /// X^element). New slot i of each row = old slot i + step (numpy.roll(row, -step)). -n/2 < step <
  /// n/2. throws MissingKeyError naming the step and the steps that exist.
  Ciphertext rotate_rows(const Ciphertext& a, std::int64_t step, const RotationKeys& keys) const;
  Ciphertext swap_columns(const Ciphertext& a, const RotationKeys& keys) const;
  Ciphertext apply_galois(const Ciphertext& a, std::uint64_t element, const RotationKeys& keys) const;
  /// Slot i -> sum of slots i ... i + span - 1 of its row (cyclic); span a power of two up to n/2, or n for
  /// the total over both rows. log2(span) rotations; all missing keys are named before anything is computed.
  Ciphertext inner_sum(const Ciphertext& a, std::size_t span, const RotationKeys& keys) const;

  /// sum_i a_i b_i, three parts; tensors are added up before one scaling (groups of Behz::max_terms). Two
  /// parts each. throws SizeError if the lists are empty or differ in length.
  Ciphertext dot_product(std::span<const Ciphertext* const> a, std::span<const Ciphertext* const> b) const;
  Ciphertext dot_product(std::span<const Ciphertext> a, std::span<const Ciphertext> b) const;
  Ciphertext dot_product(std::span<const Ciphertext* const> a,
                         std::span<const PreparedPlaintext* const> b) const;
  Ciphertext dot_product(std::span<const Ciphertext> a, std::span<const PreparedPlaintext> b) const;

 private:
  ContextPtr context_;
};

}  // namespace nttforge::bfv
