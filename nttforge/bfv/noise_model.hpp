// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "nttforge/bfv/parameters.hpp"
#include "nttforge/rlwe/noise.hpp"

namespace nttforge::bfv {

/// Predicts the noise v of BFV, where c0 + c1 s + c2 s^2 = (Q/t) m + v (mod Q) and v is rational
/// (docs/bounds/noise.md). Two bounds are carried. The heuristic one takes ciphertext parts, digits and
/// roundings as random and fails with a probability below 2^-40 for an operation, and below 2^-20 for what
/// key and ciphertexts together concentrate. The proved one holds but for 2^-128, whatever the circuit is.
/// Decryption is right while the coefficient bound is below Q/(2t).
class NoiseModel final : public RlweNoiseModel {
 public:
  explicit NoiseModel(const RlweParameters& parameters);

  double limit_log2(std::size_t = 0) const override { return limit_; }  ///< there is one level
  using RlweNoiseModel::budget_bits;
  double budget_bits(const Noise& noise) const { return limit_ - noise.coefficient; }

  Noise fresh_public() const override;
  Noise fresh_secret() const override;
  Noise add_plain(const Noise& a) const override;
  Noise key_switch(const Noise& a, std::size_t level = 0) const override;
  /// Sum of `terms` products accumulated before one scaling; a and b bound each side. Two-part inputs.
  Noise multiply(const Noise& a, const Noise& b, std::size_t terms = 1) const;

  /// One level of the promise of Parameters::promised_depth: operands of noise a, doubled by an addition, a
  /// plaintext added, rotated once (with special primes), then multiplied and relinearized.
  Noise level(const Noise& a) const;

 private:
  /// What the division by P leaves: variance and mean of a coefficient.
  struct Rounding {
    double variance, mean;
  };
  Rounding rounding() const;
  Noise spread(double canonical, double degree) const;
  Noise sampled(double variance, double mean, double degree) const;
  rlwe::ProvedNoise proved_product(const rlwe::ProvedNoise& a, const rlwe::ProvedNoise& b,
                                   double count) const;

  double t_, q_;  // log2
  double limbs_;
  double limit_;  // log2(Q / 2t)
  double root_;   // log2 of the square root of n
  bool ternary_ = true;
  double secret_;  // root mean square of |s| at a root; its bound for binary secrets, which have a mean
  double digit_squares_ = 0;  // sum over digits of the mean square of a coefficient, divided by P^2
};

}  // namespace nttforge::bfv
