// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "nttforge/bfv/parameters.hpp"
#include "nttforge/rlwe/noise.hpp"

namespace nttforge::bfv {

/// Predicts the noise v of BFV, where c0 + c1 s + c2 s^2 = (Q/t) m + v (mod Q) and v is rational
/// (docs/bounds/noise.md). Heuristic with margin: every polynomial sampled at random (errors, roundings,
/// digits, ciphertext parts) is taken to be bounded by 6.5 standard deviations at the roots and 9 in its
/// coefficients; from there on the inequalities are exact. Each operation fails it with probability below
/// 2^-40. Decryption is right while the coefficient bound is below Q/(2t).
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
  /// What the division by P leaves: variance and mean of a coefficient, bound at the roots.
  struct Rounding {
    double variance, mean, canonical;
  };
  Rounding rounding() const;

  double t_, q_log2_, limbs_;
  double limit_;   // log2(Q / 2t)
  double digits_;  // bound at the roots: square root of the sum of squares over all digits, divided by P
};

}  // namespace nttforge::bfv
