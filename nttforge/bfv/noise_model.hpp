// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "nttforge/bfv/parameters.hpp"
#include "nttforge/integer_encoding/noise_model.hpp"

namespace nttforge::bfv {

/// What a product adds to the noise beside the products of its factors' noise (docs/bounds/hps.md).
struct ProductRounding {
  double extended;  ///< largest |coefficient| of an extended part, divided by its modulus
  double parts;     ///< log2 of the largest |coefficient| of e_0, e_1, e_2 of e_0 + e_1 s + e_2 s^2
  /// log2 of the largest |coefficient| of r_0, r_1 of what a division adds to the first and the second
  /// factor, r_0 + r_1 s, in the unit of their noise; none without a division.
  std::optional<double> first, second;
};

/// Predicts the noise v of BFV, where c0 + c1 s + c2 s^2 = (Q/t) m + v (mod Q) and v is rational
/// (docs/bounds/noise.md). Two bounds are carried. The heuristic one takes ciphertext parts, digits and
/// roundings as random and fails with a probability below 2^-40 for an operation, and below 2^-20 for what
/// key and ciphertexts together concentrate. The proved one holds but for 2^-128, whatever the circuit is.
/// Decryption is right while the coefficient bound is below Q/(2t).
class NoiseModel final : public integer_encoding::IntegerNoiseModel {
 public:
  explicit NoiseModel(const integer_encoding::IntegerParameters& parameters);

  // Level 0 stands for the highest one.
  double limit_log2(std::size_t level = 0) const override { return at(level).q - 1 - t_; }
  using IntegerNoiseModel::budget_bits;
  double budget_bits(const Noise& noise) const { return limit_log2() - noise.coefficient; }

  Noise fresh_public() const override;
  Noise fresh_secret() const override;
  Noise add_plain(const Noise& a) const override;
  Noise key_switch(const Noise& a, std::size_t level = 0) const override;
  Noise round_parts(const Noise& a, std::span<const double> units) const override;
  /// Sum of `terms` products accumulated before one scaling; a and b bound each side. Two-part inputs. By
  /// BEHZ without a rounding.
  Noise multiply(const Noise& a, const Noise& b, std::size_t terms = 1, std::size_t level = 0,
                 const std::optional<ProductRounding>& rounding = {}) const;
  /// r_0 + r_1 s with coefficients of r_i of at most 2^largest_log2, uniform.
  Noise division_noise(double largest_log2) const;

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
  /// What a level has.
  struct Level {
    double q = 0;              // log2 of its modulus
    double limbs = 0;          // its primes
    double digit_squares = 0;  // sum over digits of the mean square of a coefficient, divided by P^2
  };
  const Level& at(std::size_t level) const { return level == 0 ? levels_.back() : levels_[level]; }
  rlwe::ProvedNoise proved_product(const rlwe::ProvedNoise& a, const rlwe::ProvedNoise& b, double count,
                                   const Level& level, const ProductRounding& rounding) const;

  double t_;                   // log2
  double root_;                // log2 of the square root of n
  bool centred_ = true;        // the secret has the mean 0
  double secret_;              // root mean square of |s| at a root; its bound for secrets with a mean
  std::vector<Level> levels_;  // 0 ... k
};

}  // namespace nttforge::bfv
