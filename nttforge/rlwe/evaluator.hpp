// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/rlwe/ciphertext.hpp"
#include "nttforge/rlwe/keys.hpp"

namespace nttforge::rlwe {

/// What every scheme computes on ciphertexts: linear operations, levels, products, relinearization,
/// rotations. Slots are multiplied one by one, coefficients as polynomials modulo X^n + 1. A scheme adds how
/// it multiplies. All operands must belong to compatible contexts (ContextError otherwise) and have one
/// encoding (ParameterError), which results inherit. What is computed belongs to the evaluator's context,
/// also where operands come from one with other threads. Every operation takes batches: operands have the
/// same batch, or one is single and serves every element of the other (SizeError otherwise); each element of
/// the result is what the operation gives on the operands' elements, and its bound on the noise the largest
/// of all. Operands are unchanged by an error. Sizes: "two parts" operations throw ParameterError for a
/// three-part operand and say to relinearize. Operands may be in
/// coefficients or in values, where they differ both go to the scheme's form; results are in that of the
/// operands. Stateless: const calls may run concurrently on distinct
/// outputs. Results are deterministic.
class Evaluator {
 public:
  explicit Evaluator(RlweContextPtr context);
  virtual ~Evaluator() = default;
  const RlweContextPtr& context() const { return context_; }

  /// Any sizes; the result has the larger one.
  Ciphertext add(const Ciphertext& a, const Ciphertext& b) const;
  Ciphertext sub(const Ciphertext& a, const Ciphertext& b) const;
  Ciphertext negate(const Ciphertext& a) const;
  void add_in_place(Ciphertext& a, const Ciphertext& b) const;
  void sub_in_place(Ciphertext& a, const Ciphertext& b) const;
  void negate_in_place(Ciphertext& a) const;
  /// Sum of at least one ciphertext. throws SizeError for none.
  Ciphertext sum(std::span<const Ciphertext* const> terms) const;

  /// One level down, the same message: divided by the last prime, noise too, as long as it is above what
  /// rounding leaves. Any size. throws ParameterError at the lowest level.
  virtual Ciphertext mod_switch(const Ciphertext& a) const { return divided(a); }
  /// Down to `level`, context's lowest_level() ... a.level(); at its own level the ciphertext as it is.
  /// throws ParameterError.
  Ciphertext mod_switch_to(const Ciphertext& a, std::size_t level) const;

  /// Two parts each -> three parts.
  Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) const;
  Ciphertext square(const Ciphertext& a) const { return multiply(a, a); }
  Ciphertext multiply_relinearize(const Ciphertext& a, const Ciphertext& b,
                                  const RelinearizationKey& key) const;
  Ciphertext square_relinearize(const Ciphertext& a, const RelinearizationKey& key) const {
    return multiply_relinearize(a, a, key);
  }
  /// sum_i a_i b_i, three parts; two parts each. throws SizeError if the lists are empty or differ in length.
  Ciphertext dot_product(std::span<const Ciphertext* const> a, std::span<const Ciphertext* const> b) const;
  Ciphertext dot_product(std::span<const Ciphertext> a, std::span<const Ciphertext> b) const;

  /// Three parts -> two; two parts are returned as they are.
  Ciphertext relinearize(const Ciphertext& a, const RelinearizationKey& key) const;
  void relinearize_in_place(Ciphertext& a, const RelinearizationKey& key) const;
  /// The same message under the secret that the key leads to (KeyGenerator::key_switch_key); two parts, a
  /// level of the key or below.
  Ciphertext switch_secret(const Ciphertext& a, const KeySwitchKey& key) const;
  /// a X^power, negacyclic: what passes n comes back with the other sign. Encoded as coefficients, any size;
  /// noise stays. -2n < power < 2n.
  Ciphertext multiply_monomial(const Ciphertext& a, std::int64_t power) const;
  /// X -> X^element, element odd in [1, 2n); two parts, of either encoding. throws MissingKeyError naming the
  /// element and the steps that exist.
  Ciphertext apply_galois(const Ciphertext& a, std::uint64_t element, const RotationKeys& keys) const;
  /// The same for several elements, which share one decomposition of `a` (hoisting [HS18]). What each result
  /// decrypts to and the bound on its noise are those of apply_galois; its words are not, since digits of an
  /// image and images of digits differ in signs. throws MissingKeyError naming all that is missing.
  std::vector<Ciphertext> apply_galois_many(const Ciphertext& a, std::span<const std::uint64_t> elements,
                                            const RotationKeys& keys) const;

  /// Two parts, encoded as slots. New slot i of each row = old slot i + step (numpy.roll(row, -step)). -n/2 <
  /// step < n/2. throws MissingKeyError naming the step and the steps that exist.
  Ciphertext rotate_rows(const Ciphertext& a, std::int64_t step, const RotationKeys& keys) const;
  /// As rotate_rows, by as few rotations as the keys allow (RotationKeys::composed), each with its time and
  /// noise.
  Ciphertext rotate_composed(const Ciphertext& a, std::int64_t step, const RotationKeys& keys) const;
  /// Rotations by several steps, which share one decomposition (apply_galois_many).
  std::vector<Ciphertext> rotate_many(const Ciphertext& a, std::span<const std::int64_t> steps,
                                      const RotationKeys& keys) const;
  Ciphertext swap_columns(const Ciphertext& a, const RotationKeys& keys) const;
  /// Slot i -> sum of slots i ... i + span - 1 of its row (cyclic); span a power of two up to n/2, or n for
  /// the total over both rows. log2(span) rotations; all missing keys are named before anything is computed.
  Ciphertext inner_sum(const Ciphertext& a, std::size_t span, const RotationKeys& keys) const;

  // For circuits, which are made of these operations.
  /// throws what every rotation of `a` throws, but for keys that are missing.
  void require_rotatable(const Ciphertext& a, const RotationKeys& keys) const;
  /// The automorphisms that rotate by these steps.
  std::vector<std::uint64_t> elements_of(std::span<const std::int64_t> steps) const;

 protected:
  /// sum_i a_i b_i, three parts: how a scheme multiplies. There is at least one term, all are checked and
  /// have two parts; `batch` is what they have in common. Levels and factors may differ.
  virtual Ciphertext sum_of_products(std::span<const Ciphertext* const> a,
                                     std::span<const Ciphertext* const> b, std::size_t batch) const = 0;
  /// Brings the operands of a sum to the lower of their levels, one form and one factor; a scheme that has
  /// several factors overrides it.
  virtual void align(Ciphertext& a, Ciphertext& b) const;
  /// `a` divided by what leaves on the way to the level below. throws ParameterError at the lowest level.
  Ciphertext divided(const Ciphertext& a) const;
  /// What multiply_relinearize, which has checked the key's context, makes of the product.
  virtual Ciphertext relinearized(const Ciphertext& product, const RelinearizationKey& key) const {
    return relinearize(product, key);
  }
  /// divided() of the relinearized `a`, with one rounding for both divisions: for relinearized(). throws
  /// ParameterError for a key of a level below.
  Ciphertext relinearize_divided(const Ciphertext& a, const RelinearizationKey& key) const;
  /// `a` at a level that is at most its own and in a form; `storage` holds what is made.
  virtual const Ciphertext& at_level(const Ciphertext& a, std::size_t level, Form form,
                                     Ciphertext& storage) const;
  /// As at_level; a single one is repeated `batch` times.
  const Ciphertext& operand(const Ciphertext& a, std::size_t level, Form form, std::size_t batch,
                            Ciphertext& storage) const;
  /// apply_galois_many without its checks: the image [batch][2][level][n] of `a` under elements[i] -> out[i].
  void galois_images(const Ciphertext& a, std::span<const std::uint64_t> elements, const RotationKeys& keys,
                     std::span<const WordPtr> out) const;
  /// a with zero parts appended up to `size`, in this evaluator's context; a single one repeated `batch`
  /// times.
  Ciphertext widened(const Ciphertext& a, std::size_t size, std::size_t batch) const;

 private:
  enum class Sign : std::uint8_t { plus, minus };
  Ciphertext combine(const Ciphertext& a, const Ciphertext& b, Sign sign) const;
  void combine_in_place(Ciphertext& a, const Ciphertext& b, Sign sign) const;
  void accumulate(Ciphertext& a, const Ciphertext& b, Sign sign) const;
  void switch_key(BatchRows part, const KeySwitchKey& key, BatchRows addend, std::size_t parts,
                  Ciphertext& out) const;

  RlweContextPtr context_;
};

}  // namespace nttforge::rlwe
