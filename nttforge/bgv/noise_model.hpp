// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "nttforge/integer_encoding/noise_model.hpp"
#include "nttforge/integer_encoding/parameters.hpp"

namespace nttforge::bgv {

using rlwe::Noise;

/// Predicts the noise of BGV, which is the whole phase c0 + c1 s + c2 s^2 = factor m + t e, centred modulo
/// Q_level, and the level of products (docs/bounds/bgv_noise.md). Heuristic with margin: each distributional
/// assumption fails with a probability below 2^-40; from there on the inequalities are exact. Decryption is
/// right while the coefficient bound is below Q_level / 2.
class NoiseModel final : public integer_encoding::IntegerNoiseModel {
 public:
  explicit NoiseModel(const integer_encoding::IntegerParameters& parameters);

  double limit_log2(std::size_t level) const override { return limits_[level]; }
  Noise fresh_public() const override;
  Noise fresh_secret() const override;
  Noise add_plain(const Noise& a) const override;
  Noise key_switch(const Noise& a, std::size_t level) const override;
  Noise round_parts(const Noise& a, std::span<const double> units) const override;
  /// What dividing by one prime leaves: round_parts() with units of 1, alone.
  Noise rounding(std::size_t parts = 2) const;
  /// f times a ciphertext, f an integer other than 0.
  Noise scale(const Noise& a, double f) const;
  /// Sum of `terms` products of two-part ciphertexts at one level; a and b bound each side.
  Noise multiply(const Noise& a, const Noise& b, std::size_t terms = 1) const;
  /// Down to a level, rounded up after every step as ciphertexts do.
  Noise to_level(Noise a, std::size_t level, std::size_t lower, std::size_t parts = 2) const;

  struct Operands {
    std::size_t level;
    Noise a, b;  ///< bounds at this level
  };
  /// The rule of modulus switching: operands of products go to the lower of their levels, and on down as long
  /// as the predicted budget of the product does not become smaller. Nothing is predicted, and the lower
  /// level is it, where a bound is unknown.
  Operands product_level(Noise a, std::size_t level_a, Noise b, std::size_t level_b) const;

  struct Promise {
    unsigned depth;
    double left;  ///< budget at its end; without any level, before a product
  };
  /// As many levels as decrypt, beginning with public-key ciphertexts (Parameters::promised_depth).
  /// By the proved bound, if that is asked for; levels are chosen by the heuristic one all the same.
  Promise promise(bool proved = false) const;

 private:
  Noise message() const;
  rlwe::ProvedNoise scaled(const rlwe::ProvedNoise& a) const;  // t times
  double product_budget(const Noise& a, const Noise& b, std::size_t level) const;
  double euclidean(const Noise& a) const;
  /// t (r_0 + r_1 s + ...), the coefficients of r_i uniform in [-1/2, 1/2) times units[i].
  Noise rounding(std::span<const double> units) const;
  /// What the division by P leaves.
  Noise divided() const;
  Noise operand(const Noise& a, std::size_t level) const;

  double t_;
  std::vector<double> moduli_, limits_;  // log2 of each prime; log2(Q_level / 2), level 0 ... k
  double at_roots_, product_at_roots_, in_coefficients_;  // limits, in standard deviations
  double ones_;                                           // bound on |1 + X + ... + X^(n-1)| at the roots
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

}  // namespace nttforge::bgv
