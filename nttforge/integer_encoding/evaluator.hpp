// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/integer_encoding/linear_map.hpp"
#include "nttforge/integer_encoding/plaintext.hpp"
#include "nttforge/rlwe/evaluator.hpp"

namespace nttforge::integer_encoding {

/// What schemes with integers modulo t have in common beyond RlweEvaluator, whose rules hold here too: slots
/// are multiplied one by one, coefficients as polynomials modulo X^n + 1. A scheme adds its product.
class IntegerEvaluator : public RlweEvaluator {
 public:
  explicit IntegerEvaluator(IntegerContextPtr context);

  Ciphertext add_plain(const Ciphertext& a, const Plaintext& b) const;
  Ciphertext sub_plain(const Ciphertext& a, const Plaintext& b) const;
  Ciphertext multiply_plain(const Ciphertext& a, const Plaintext& b) const;
  Ciphertext multiply_plain(const Ciphertext& a, const PreparedPlaintext& b) const;
  void add_plain_in_place(Ciphertext& a, const Plaintext& b) const;
  void sub_plain_in_place(Ciphertext& a, const Plaintext& b) const;
  void multiply_plain_in_place(Ciphertext& a, const PreparedPlaintext& b) const;

  /// Two parts each -> three parts.
  virtual Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) const = 0;
  Ciphertext square(const Ciphertext& a) const { return multiply(a, a); }
  Ciphertext multiply_relinearize(const Ciphertext& a, const Ciphertext& b,
                                  const RelinearizationKey& key) const;
  Ciphertext square_relinearize(const Ciphertext& a, const RelinearizationKey& key) const {
    return multiply_relinearize(a, a, key);
  }

  /// sum_i a_i b_i, three parts; two parts each. throws SizeError if the lists are empty or differ in length.
  virtual Ciphertext dot_product(std::span<const Ciphertext* const> a,
                                 std::span<const Ciphertext* const> b) const = 0;
  Ciphertext dot_product(std::span<const Ciphertext> a, std::span<const Ciphertext> b) const;
  Ciphertext dot_product(std::span<const Ciphertext* const> a,
                         std::span<const PreparedPlaintext* const> b) const;
  Ciphertext dot_product(std::span<const Ciphertext> a, std::span<const PreparedPlaintext> b) const;

  /// Two parts, encoded as slots. New slot i of each row = old slot i + step (numpy.roll(row, -step)). -n/2 <
  /// step < n/2. throws MissingKeyError naming the step and the steps that exist.
  Ciphertext rotate_rows(const Ciphertext& a, std::int64_t step, const RotationKeys& keys) const;
  /// The same by as few rotations as the keys allow (RotationKeys::composed), each with its time and noise.
  Ciphertext rotate_composed(const Ciphertext& a, std::int64_t step, const RotationKeys& keys) const;
  /// The same for several steps, which share one decomposition (apply_galois_many).
  std::vector<Ciphertext> rotate_many(const Ciphertext& a, std::span<const std::int64_t> steps,
                                      const RotationKeys& keys) const;
  /// What the map says of each element of `a`: two parts, encoded as slots. throws MissingKeyError naming all
  /// steps that lack a key.
  Ciphertext apply(const LinearMap& map, const Ciphertext& a, const RotationKeys& keys) const;
  Ciphertext swap_columns(const Ciphertext& a, const RotationKeys& keys) const;
  /// Slot i -> sum of slots i ... i + span - 1 of its row (cyclic); span a power of two up to n/2, or n for
  /// the total over both rows. log2(span) rotations; all missing keys are named before anything is computed.
  Ciphertext inner_sum(const Ciphertext& a, std::size_t span, const RotationKeys& keys) const;

 protected:
  /// Both lists have one length, at least 1, and every term belongs here and has the encoding of a[0]; those
  /// of ciphertexts have two parts. Returns the batch of their products. throws also SizeError for batches
  /// that do not go together.
  std::size_t require_terms(std::span<const Ciphertext* const> a, std::span<const Ciphertext* const> b) const;
  /// The larger bounds of all terms.
  static Noise largest_noise(std::span<const Ciphertext* const> terms);

 private:
  enum class Sign : std::uint8_t { plus, minus };
  void combine_plain(Ciphertext& a, const Plaintext& b, Sign sign) const;
  void multiply_elements(const Ciphertext& a, const PreparedPlaintext& b, Ciphertext& out) const;
  std::vector<std::uint64_t> elements_of(std::span<const std::int64_t> steps) const;

  IntegerContextPtr context_;
};

}  // namespace nttforge::integer_encoding
