// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nttforge/ckks/context.hpp"
#include "nttforge/ckks/plaintext.hpp"
#include "nttforge/rlwe/evaluator.hpp"

namespace nttforge::ckks {

/// sum_i factors_i terms_i + constant, of real numbers: factors are not 0.
struct WeightedSum {
  std::span<const Ciphertext* const> terms{};
  std::span<const double> factors{};
  double constant = 0;
  /// What product_above() says, beside a product at the same level and scale: as it is, or null.
  const Ciphertext* more = nullptr;
};

/// Computes on ciphertexts of CKKS: what rlwe::Evaluator has, whose rules hold here too, plaintexts and
/// numbers. Operands may have any levels and scales: they are brought to the lower level and its scale,
/// products that are not yet rescaled are rescaled first, but for sums, where the other operand is multiplied
/// with an integer. A product by other than integers takes a level; one of ciphertexts takes a level more
/// where its scale would not become that of the level below (Context::leads_below()).
/// multiply() and dot_product() leave three parts that are not rescaled; everything named after
/// relinearization rescales. Messages are of one number of slots (ParameterError otherwise); what does not
/// fit below the modulus is a PrecisionError that says how many bits are missing.
class Evaluator final : public rlwe::Evaluator {
 public:
  explicit Evaluator(ContextPtr context);
  const ContextPtr& context() const { return context_; }

  /// Divided by what leaves on the way to the level below; so is the scale. throws ParameterError at level 1.
  Ciphertext rescale(const Ciphertext& a) const;
  /// A product that is not rescaled yet is, everything else is returned as it is.
  Ciphertext settled(Ciphertext a) const;
  /// Whether the scale is nearer to that of a product than to the level's own.
  bool is_product(const Ciphertext& a) const;
  /// One level down: the same numbers at the scale of that level.
  Ciphertext mod_switch(const Ciphertext& a) const override;
  /// Plaintexts of any level from that of `a` on. For sums their scale must be that of `a`.
  Ciphertext add_plain(const Ciphertext& a, const Plaintext& b) const;
  Ciphertext sub_plain(const Ciphertext& a, const Plaintext& b) const;
  /// Rescaled.
  Ciphertext multiply_plain(const Ciphertext& a, const Plaintext& b) const;

  Ciphertext add_constant(const Ciphertext& a, std::complex<double> c) const;
  /// By an integer other than 0: no level, no error.
  Ciphertext multiply_integer(const Ciphertext& a, std::int64_t factor) const;
  /// By any number: rescaled, without an encoding. c is public: the bound of the result depends on it.
  Ciphertext multiply_constant(const Ciphertext& a, std::complex<double> c) const;
  Ciphertext multiply_by_i(const Ciphertext& a) const;
  /// sum_i c_i a_i of real numbers other than 0: one level and one rounding for all. throws SizeError for
  /// none or lists of different lengths; else as multiply_constant.
  Ciphertext weighted_sum(std::span<const Ciphertext* const> a, std::span<const double> c) const;
  /// The same at a level and a scale, of terms of levels above; at least one.
  Ciphertext weighted_sum_at(const WeightedSum& sum, std::size_t level, const DoubleDouble& scale) const;
  /// times a b + sum at a level and a scale, relinearized and rescaled once, of operands of levels above.
  /// The result has the scale that follows from those of a and b (in_primes_of()); scale: what that is but
  /// for what double-doubles do not hold.
  Ciphertext product_plus_at(const Ciphertext& a, const Ciphertext& b, std::uint64_t times,
                             const WeightedSum& sum, std::size_t level, const RelinearizationKey& key,
                             const std::optional<DoubleDouble>& scale = std::nullopt) const;
  /// The same before it is relinearized and rescaled, at the level above.
  Ciphertext product_above(const Ciphertext& a, const Ciphertext& b, std::uint64_t times,
                           const WeightedSum& sum, std::size_t level) const;
  /// What is rescaled from the level above to this level and scale has it.
  DoubleDouble product_scale_at(std::size_t level, const DoubleDouble& scale) const;
  /// The scale of in_primes_of().
  const DoubleDouble& scale_in(const Ciphertext& a, std::size_t level) const;
  /// At a level, in values, with the scale that it has: primes are left out where that scale is about the
  /// level's, and else it is brought there. It, or `storage`.
  const Ciphertext& in_primes_of(const Ciphertext& a, std::size_t level, Ciphertext& storage) const;
  /// Complex conjugates.
  Ciphertext conjugate(const Ciphertext& a, const RotationKeys& keys) const { return swap_columns(a, keys); }
  /// a and its conjugates added up: twice the real parts.
  Ciphertext twice_real(const Ciphertext& a, const RotationKeys& keys) const;

 protected:
  void align(Ciphertext& a, Ciphertext& b) const override;
  const Ciphertext& at_level(const Ciphertext& a, std::size_t level, Form form,
                             Ciphertext& storage) const override;
  Ciphertext sum_of_products(std::span<const Ciphertext* const> a, std::span<const Ciphertext* const> b,
                             std::size_t batch) const override;
  /// Rescaled as well.
  Ciphertext relinearized(const Ciphertext& product, const RelinearizationKey& key) const override;

 private:
  /// settled(), or `a` where it is already.
  const Ciphertext& settle(const Ciphertext& a, Ciphertext& storage) const;
  /// The same numbers at about another scale, an integer times as large.
  Ciphertext lifted(const Ciphertext& a, const DoubleDouble& scale) const;
  /// The scale of a product with a constant that is rescaled to the scale of the level below. throws
  /// ParameterError at level 1, or where a constant of this size would be 0.
  DoubleDouble product_scale(const Meta& x, double least) const;
  /// Not rescaled, at the scale product_scale(); what it says, and the integer that it is multiplied with.
  Meta times_real(const Meta& x, double c, const DoubleDouble& scale, BigUint& factor) const;
  Ciphertext times_real(const Ciphertext& x, double c, const DoubleDouble& scale) const;
  /// The same polynomials modulo the primes of a level whose window is part of this one's.
  Ciphertext without_primes(const Ciphertext& a, std::size_t level) const;
  /// Where its rows of a level below are, the window of which is part of its own.
  CombinedRows rows_at(const Ciphertext& a, std::size_t level) const;
  /// Whether primes may be left out down to a level, since the scale is about that level's.
  bool keeps_scale(const Ciphertext& a, std::size_t level) const;
  /// Terms as linear combinations have them, at a level and the scale of a product, and what their sum with
  /// what is said already says.
  struct Terms {
    std::vector<Ciphertext> storage;
    std::vector<CombinedRows> rows;
    std::vector<std::uint64_t> scalars, constants;
    std::optional<Meta> meta;
    std::size_t size = 0;
  };
  void append(const WeightedSum& sum, std::size_t level, const DoubleDouble& scale, std::size_t batch,
              Terms& terms) const;
  /// Whether leaving primes out brings it to a level where it is multiplied with a constant that takes the
  /// scale along: not where that constant would not be precise enough.
  bool takes_constant(const Ciphertext& a, std::size_t level) const;
  /// a + c, in values, by a word for each prime; `constant` says what c as a message does.
  Ciphertext shifted(const Ciphertext& a, double c, const Meta& constant) const;
  /// What an integer of so many bits, off by 1/2 at most, has brought to a scale says so.
  Ciphertext at_scale(Ciphertext a, const DoubleDouble& scale, double bits) const;
  /// The same numbers at the scale of a level below, not below `level`.
  Ciphertext lowered(const Ciphertext& a, std::size_t level) const;
  /// Times an integer, modulo each prime of a level whose window is part of its own: what this makes of scale
  /// or numbers the caller says.
  Ciphertext times_integer(const Ciphertext& a, const BigUint& factor, bool negative,
                           std::size_t level) const;
  /// Element by element, in values: a times polynomials of one part.
  Ciphertext times_polynomial(const Ciphertext& a, ConstWordPtr b, std::size_t batch, std::size_t stride,
                              const Meta& meta) const;

  ContextPtr context_;
};

}  // namespace nttforge::ckks
