// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "nttforge/rlwe/parameters.hpp"

namespace nttforge::rlwe {

/// log2 of proved bounds on a noise: the largest absolute coefficient, and the largest absolute value at the
/// complex roots of X^n + 1. Infinite where nothing is proved.
struct ProvedNoise {
  double coefficient = std::numeric_limits<double>::infinity();
  double canonical = std::numeric_limits<double>::infinity();
  bool known() const { return coefficient < std::numeric_limits<double>::infinity(); }
  friend bool operator==(const ProvedNoise&, const ProvedNoise&) = default;
};

/// Each bound on a sampled polynomial fails with a probability of at most 2^-kProvedBits, so that all of a
/// key set and of 2^29 ciphertexts hold but for less than 2^-128.
inline constexpr double kProvedBits = 160;

/// Bounds that hold for all ciphertext parts, digits, messages and roundings, whatever circuit made them
/// (docs/bounds/noise.md, "The proved bound"). Only secrets and errors are bounded with a probability.
class SampleBounds {
 public:
  explicit SampleBounds(const RlweParameters& parameters);

  /// Largest |p(root)| of a polynomial with coefficients in [-1, 1], or of one with coefficients in [0, 1].
  double ones() const { return ones_; }
  double secret_sum() const { return secret_.sum; }  ///< of the absolute values of all coefficients
  double secret_euclidean() const { return secret_.euclidean; }
  double secret_canonical() const { return secret_.canonical; }

  /// An error polynomial.
  ProvedNoise error() const;
  /// (e_0 + e_1 s + u e) / P of encryption by the public key, or without the division.
  ProvedNoise public_error() const;
  /// r_0 + r_1 s, with `parts` 3 also r_2 s^2: coefficients of r_i in [-largest, largest] (or [0, largest]).
  ProvedNoise parts(double largest, std::size_t parts) const;
  /// The same with a range for each part, 2 or 3 of them.
  ProvedNoise parts(std::span<const double> largest) const;
  /// What the division by P leaves.
  ProvedNoise division() const { return parts(division_, 2); }
  /// sum_i d_i e_i / P over the digits of the first `level` primes.
  ProvedNoise switched(std::size_t level) const { return switched_[level]; }
  /// Largest Euclidean norm of c_0 + c_1 s with coefficients of c_i in [-largest, largest].
  double parts_euclidean(double largest) const;

 private:
  /// Bounds on polynomials of a secret distribution: on the sum of absolute values, its root, and at the
  /// roots.
  struct Small {
    double sum, euclidean, canonical;
  };
  Small small(const SecretDistribution& distribution) const;

  double n_, ones_;
  Small secret_, mask_;
  double error_, error_euclidean_, error_canonical_;
  double special_ = 1;   // P, or 1
  double division_ = 0;  // largest coefficient of what a division by P leaves, 0 without P
  std::vector<ProvedNoise> switched_;
};

/// The bound of a sum.
ProvedNoise plus(const ProvedNoise& a, const ProvedNoise& b);
/// The bound of a multiple.
ProvedNoise times(const ProvedNoise& a, double factor_log2);
/// log2 of a bound on the Euclidean norm of the coefficients.
double euclidean_log2(const ProvedNoise& a, double n);
/// log2 of both.
ProvedNoise proved(double coefficient, double canonical);

}  // namespace nttforge::rlwe
