// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "nttforge/ckks/parameters.hpp"
#include "nttforge/rlwe/bounds/phase_noise.hpp"
#include "nttforge/rlwe/meta.hpp"

namespace nttforge {

/// Nothing of a number is left that can be relied on, or numbers do not fit below the modulus.
class PrecisionError : public Error {
 public:
  using Error::Error;
};

}  // namespace nttforge

namespace nttforge::ckks {

/// Predicts the error of CKKS, c0 + c1 s + c2 s^2 - scale m, m the numbers that were meant, at the roots of
/// X^n
/// + 1 and in coefficients (docs/bounds/ckks_noise.md). Divided by the scale it is the error of the numbers.
class NoiseModel final : public PhaseNoiseModel {
 public:
  explicit NoiseModel(const Parameters& parameters);

  Noise fresh_public() const override { return public_error(); }
  Noise fresh_secret() const override { return secret_error(); }
  /// Coefficients rounded to integers, and what floating point loses of numbers of this size: message is log2
  /// of scale times bound.
  Noise encoding(double message, const DoubleDouble& scale) const;
  /// The same of one of many messages, whose floating-point roundings are taken as independent and centred:
  /// no bound is proved by it.
  Noise independent_encoding(double message, const DoubleDouble& scale) const;
  /// What decoding loses, in the same units.
  double decoding(double message, const DoubleDouble& scale) const;
  /// A product; message_a and message_b are log2 of scale times bound.
  Noise multiply(const Noise& a, double message_a, const Noise& b, double message_b) const;
  /// A message is off by at most 2^error in every slot.
  Noise offset(double error) const;
  /// The bound `a` of a message that is off by so much more, rounded up as ciphertexts carry it.
  Noise off_by(const Noise& a, double error) const { return rlwe::rounded(plus(a, offset(error))); }
  Noise sum(const Noise& a, const Noise& b) const { return plus(a, b); }
  Noise times(const Noise& a, double factor_log2) const { return rlwe::times(a, factor_log2); }

  /// Steps of 1/64 bit below the modulus, of the bound at the roots; what is read is unproved.
  std::int32_t stored_level(const Noise& noise, std::size_t level) const override;
  std::int32_t lowest_stored_level(std::size_t level) const override;
  std::int32_t highest_stored_level(std::size_t level) const override;
  Noise from_stored_level(std::int32_t stored, std::size_t level) const override;

 private:
  double lost(const DoubleDouble& scale) const;
};

/// log2 of scale times bound: what every coefficient of the scaled message, and every value at a root, stays
/// below.
double message_log2(const Meta& meta);

/// log2 of the errors of numbers of at most 1 by the heuristic bound: fresh by the public key, and after 1,
/// 2,
/// ... depth() squarings, relinearized where there are special primes, and rescaled.
std::vector<double> predicted_errors(const Parameters& parameters);

}  // namespace nttforge::ckks
