// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "nttforge/rlwe/noise.hpp"

namespace nttforge::rlwe {

/// What operations add to a phase c0 + c1 s + c2 s^2 whose errors are multiples of a factor: t in BGV, 1 in
/// CKKS (docs/bounds/bgv_noise.md). Heuristic with margin: each distributional assumption fails with a
/// probability below 2^-40; from there on the inequalities are exact.
class PhaseNoiseModel : public virtual RlweNoiseModel {
 public:
  Noise key_switch(const Noise& a, std::size_t level) const override;
  Noise key_switch(const Noise& a, std::size_t level, std::size_t special) const override;
  /// What a key switch adds that is not divided by P yet, as errors of what comes of it.
  Noise key_products(const Noise& a, std::size_t level) const;
  Noise round_parts(const Noise& a, std::span<const double> units) const override;
  /// What dividing by one prime leaves: round_parts() with units of 1, alone.
  Noise rounding(std::size_t parts = 2) const;
  /// f times a ciphertext, f an integer other than 0.
  Noise scale(const Noise& a, double f) const;
  /// Bound on the Euclidean norm of the coefficients.
  double euclidean(const Noise& a) const;

 protected:
  PhaseNoiseModel(const RlweParameters& parameters, double error_factor);

  Noise secret_error() const;  ///< of encryption by the secret key
  Noise public_error() const;  ///< by the public key
  /// factor (r_0 + r_1 s + ...), the coefficients of r_i uniform in [-1/2, 1/2) times units[i].
  Noise rounding(std::span<const double> units) const;

  double factor_;
  double at_roots_, product_at_roots_, in_coefficients_;  // limits, in standard deviations
  double ones_;                                           // bound on |1 + X + ... + X^(n-1)| at the roots

 private:
  ProvedNoise scaled(const ProvedNoise& a) const;  // factor times
  Noise divided() const;                           // what the division by P leaves
  Noise switched(std::size_t level) const;         // what errors of a key leave, divided by P

  /// What polynomials of a secret distribution have.
  struct Small {
    double square;     // expected sum of the squared coefficients
    double canonical;  // bound at the roots
    double product;    // the same of the product with a polynomial of variance 1
  };
  Small secret_, mask_;  // s, and u of encryption by the public key
  struct Digits {
    double coefficients, canonical;
  };
  std::vector<Digits> digits_;  // by level: square roots of the sums of squared bounds, divided by P
};

/// Sums and multiples of bounds, and one from its parts.
Noise plus(const Noise& a, const Noise& b);
Noise times(const Noise& a, double factor_log2);
Noise log2_of(double coefficient, double canonical, const ProvedNoise& proved);

}  // namespace nttforge::rlwe
