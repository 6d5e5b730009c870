// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/ckks/context.hpp"
#include "nttforge/ckks/plaintext.hpp"
#include "nttforge/rlwe/evaluator.hpp"

namespace nttforge::ckks {

/// Computes on ciphertexts of CKKS: what rlwe::Evaluator has, whose rules hold here too, plaintexts and
/// numbers. Operands may have any levels and scales: they are brought to the lower level and its scale,
/// products that are not yet rescaled are rescaled first, but for sums, where the other operand is multiplied
/// with an integer. A product by other than integers takes a level.
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

  Ciphertext add_constant(Ciphertext a, std::complex<double> c) const;
  /// By an integer other than 0: no level, no error.
  Ciphertext multiply_integer(const Ciphertext& a, std::int64_t factor) const;
  /// By any number: rescaled, without an encoding. c is public: the bound of the result depends on it.
  Ciphertext multiply_constant(const Ciphertext& a, std::complex<double> c) const;
  Ciphertext multiply_by_i(const Ciphertext& a) const;
  /// sum_i c_i a_i of real numbers other than 0: one level and one rounding for all. throws SizeError for
  /// none or lists of different lengths; else as multiply_constant.
  Ciphertext weighted_sum(std::span<const Ciphertext* const> a, std::span<const double> c) const;
  /// Complex conjugates.
  Ciphertext conjugate(const Ciphertext& a, const RotationKeys& keys) const { return swap_columns(a, keys); }

 protected:
  void align(Ciphertext& a, Ciphertext& b) const override;
  const Ciphertext& at_level(const Ciphertext& a, std::size_t level, Form form,
                             Ciphertext& storage) const override;
  Ciphertext sum_of_products(std::span<const Ciphertext* const> a, std::span<const Ciphertext* const> b,
                             std::size_t batch) const override;
  /// Rescaled as well.
  Ciphertext relinearized(const Ciphertext& product, const RelinearizationKey& key) const override;

 private:
  /// The same numbers at about another scale, an integer times as large.
  Ciphertext lifted(const Ciphertext& a, const DoubleDouble& scale) const;
  const Ciphertext& settled(const Ciphertext& a, Ciphertext& storage) const;
  /// The scale of a product with a constant that is rescaled to the scale of the level below. throws
  /// ParameterError at level 1, or where a constant of this size would be 0.
  DoubleDouble product_scale(const Meta& x, double least) const;
  /// What the product of what `x` is of with c says, not rescaled, at the scale product_scale(), and the
  /// integer that it is a product with.
  Meta real_multiple(const Meta& x, double c, const DoubleDouble& scale, BigUint& integer) const;
  Ciphertext times_real(const Ciphertext& x, double c, const DoubleDouble& scale) const;
  // The same polynomials modulo the primes of a level whose window is part of this one's: what they say,
  // where they are, and a copy.
  Meta meta_within(const Ciphertext& a, std::size_t level) const;
  BatchRows rows_within(const Ciphertext& a, std::size_t level) const;
  Ciphertext without_primes(const Ciphertext& a, std::size_t level) const;
  /// Whether `a` may be multiplied at a level with a constant that takes the scale along: its primes are
  /// here, and the constant is precise enough.
  bool takes_constant(const Ciphertext& a, std::size_t level) const;
  /// What an integer of so many bits, off by 1/2 at most, has brought to a scale says so.
  Ciphertext at_scale(Ciphertext a, const DoubleDouble& scale, double bits) const;
  /// The same numbers at the scale of a level below, not below `level`.
  Ciphertext lowered(const Ciphertext& a, std::size_t level) const;
  /// `scalars` and an integer, perhaps negative, modulo each prime of a level.
  void append_residues(std::size_t level, const BigUint& factor, bool negative,
                       std::vector<std::uint64_t>& scalars) const;
  /// Times an integer, modulo the primes of a level as without_primes() has it: what this makes of scale or
  /// numbers the caller says.
  Ciphertext times_integer(const Ciphertext& a, const BigUint& factor, bool negative,
                           std::size_t level) const;
  /// Element by element, in values: a times polynomials of one part.
  Ciphertext times_polynomial(const Ciphertext& a, ConstWordPtr b, std::size_t batch, std::size_t stride,
                              const Meta& meta) const;

  ContextPtr context_;
};

}  // namespace nttforge::ckks
