// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "nttforge/rlwe/ciphertext.hpp"
#include "nttforge/rlwe/keys.hpp"

namespace nttforge::rlwe {

/// Bits of budget that shrink leaves by default.
inline constexpr double kShrinkBits = 10;

/// What every scheme computes on ciphertexts: linear operations, levels and key switching. All operands must
/// belong to compatible contexts (ContextError otherwise) and have one encoding (ParameterError), which
/// results inherit. What is computed belongs to the evaluator's context, also where operands come from one
/// with other threads. Every operation takes batches: operands have the same batch, or one is single and
/// serves every element of the other (SizeError otherwise); each element of the result is what the operation
/// gives on the operands' elements, and its bound on the noise the largest of all. Operands are unchanged by
/// an error. Sizes: "two parts" operations throw ParameterError for a three-part operand and say to
/// relinearize. Stateless: const calls may run concurrently on distinct outputs. Results are deterministic.
class RlweEvaluator {
 public:
  explicit RlweEvaluator(RlweContextPtr context);
  virtual ~RlweEvaluator() = default;

  /// Any sizes; the result has the larger one.
  Ciphertext add(const Ciphertext& a, const Ciphertext& b) const;
  Ciphertext sub(const Ciphertext& a, const Ciphertext& b) const;
  Ciphertext negate(const Ciphertext& a) const;
  void add_in_place(Ciphertext& a, const Ciphertext& b) const;
  void sub_in_place(Ciphertext& a, const Ciphertext& b) const;
  void negate_in_place(Ciphertext& a) const;
  /// Sum of at least one ciphertext. throws SizeError for none.
  Ciphertext sum(std::span<const Ciphertext* const> terms) const;

  /// One level down: divided by the last prime, noise too, as long as it is above what rounding leaves. Any
  /// size. throws ParameterError at the lowest level.
  Ciphertext mod_switch(const Ciphertext& a) const;
  /// Down to `level`, context's lowest_level() ... a.level(); at its own level the ciphertext as it is.
  /// throws ParameterError.
  Ciphertext mod_switch_to(const Ciphertext& a, std::size_t level) const;

  /// The same message in as few bytes as a budget of min_budget_bits by that bound allows: at the lowest
  /// level that has it, coefficients rounded to as few values as leave it. What comes out is a ciphertext
  /// like any other. It hides nothing more than before (docs/bounds/decrypt.md on answers that others see).
  /// throws ParameterError unless min_budget_bits is in [0, 1000]; NoiseError if nothing is known of the
  /// noise or less is left already.
  Ciphertext shrink(const Ciphertext& a, double min_budget_bits = kShrinkBits,
                    NoiseBound bound = NoiseBound::heuristic) const;

  /// Three parts -> two; two parts are returned as they are.
  Ciphertext relinearize(const Ciphertext& a, const RelinearizationKey& key) const;
  void relinearize_in_place(Ciphertext& a, const RelinearizationKey& key) const;
  /// The same message under the secret that the key leads to (KeyGenerator::key_switch_key); two parts, a
  /// level of the key or below.
  Ciphertext switch_secret(const Ciphertext& a, const KeySwitchKey& key) const;
  /// X -> X^element, element odd in [1, 2n); two parts, of either encoding. throws MissingKeyError naming the
  /// element and the steps that exist.
  Ciphertext apply_galois(const Ciphertext& a, std::uint64_t element, const RotationKeys& keys) const;
  /// The same for several elements, which share one decomposition of `a` (hoisting [HS18]). What each result
  /// decrypts to and the bound on its noise are those of apply_galois; its words are not, since digits of an
  /// image and images of digits differ in signs. throws MissingKeyError naming all that is missing.
  std::vector<Ciphertext> apply_galois_many(const Ciphertext& a, std::span<const std::uint64_t> elements,
                                            const RotationKeys& keys) const;

 protected:
  /// Brings the operands of a sum to the lower of their levels and to one correction factor; a scheme that
  /// has several factors overrides it.
  virtual void align(Ciphertext& a, Ciphertext& b) const;
  /// `a` at a level that is at most its own, in this evaluator's context; `storage` holds what is made.
  const Ciphertext& at_level(const Ciphertext& a, std::size_t level, Ciphertext& storage) const;
  /// The same; a single one is repeated `batch` times.
  const Ciphertext& operand(const Ciphertext& a, std::size_t level, std::size_t batch,
                            Ciphertext& storage) const;
  void require_galois_operand(const Ciphertext& a, const RotationKeys& keys) const;
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
  void require_element(std::uint64_t element) const;
  void accumulate(Ciphertext& a, const Ciphertext& b, Sign sign) const;
  void switch_key(BatchRows part, const KeySwitchKey& key, BatchRows addend, std::size_t parts,
                  Ciphertext& out) const;

  RlweContextPtr context_;
};

/// throws ParameterError unless `a` has two parts.
void require_two_parts(const Ciphertext& a, std::string_view what);

}  // namespace nttforge::rlwe
