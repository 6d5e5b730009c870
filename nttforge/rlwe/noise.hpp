// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/rlwe/parameters.hpp"
#include "nttforge/rlwe/proved_noise.hpp"

namespace nttforge {

/// A ciphertext has, or may have, too much noise to be decrypted to what was computed.
class NoiseError : public Error {
 public:
  using Error::Error;
};

}  // namespace nttforge

namespace nttforge::rlwe {

/// Where the bound on a ciphertext's noise comes from; values are part of the byte format. Bounds of fresh
/// ciphertexts depend on the parameters alone.
enum class NoiseSource : std::uint8_t { unknown = 0, fresh_secret = 1, fresh_public = 2, computed = 3 };

/// Which bound on the noise of a ciphertext is believed.
enum class NoiseBound { proved, heuristic };

/// log2 of bounds on the noise of a ciphertext, which is what its scheme says. The heuristic one: the largest
/// absolute coefficient, and the size at the complex roots of X^n + 1: in BGV the largest absolute value
/// there, in BFV the root mean square for a secret of mean size, and the power of the secret in it. The
/// proved one beside it. Infinite where nothing is known, and then in everything computed from it.
struct Noise {
  double coefficient = 0;
  double canonical = 0;
  double degree = 0;
  ProvedNoise proved{};
  static Noise unknown() {
    return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  bool known() const { return coefficient < std::numeric_limits<double>::infinity(); }
  /// Every bound is at most the other's.
  bool within(const Noise& other) const;
  friend bool operator==(const Noise&, const Noise&) = default;
};

/// Bounds stay within this: far above any Q, and what the byte format takes.
inline constexpr double kMaxNoiseLog2 = 1e6;
/// Bounds are multiples of this, rounded up, so that bytes do not depend on the last digit of a logarithm.
inline constexpr double kNoiseStep = 1.0 / 1024;
/// Bounds in bytes are rounded up to steps of the budget of this many bits: they depend on plaintext factors,
/// which need not be public (docs/bounds/noise.md).
inline constexpr int kStoredNoiseBits = 16;

/// Predicts noise without the key. A scheme's model knows what its noise is and how its products change it;
/// here is what every scheme has. level: of the ciphertext.
class RlweNoiseModel {
 public:
  virtual ~RlweNoiseModel() = default;

  virtual Noise fresh_public() const = 0;  ///< by the public key
  virtual Noise fresh_secret() const = 0;  ///< by the secret key
  /// Relinearize, rotate; needs special primes.
  virtual Noise key_switch(const Noise& a, std::size_t level) const = 0;
  /// By a key of the first `special` special primes; unknown where a model has no such bound.
  virtual Noise key_switch(const Noise& a, std::size_t level, std::size_t special) const;
  /// Every coefficient of part i moved by a rounding within units[i] / 2, times t where the message sits
  /// below the multiples of t. units: one for each part, 2 or 3.
  virtual Noise round_parts(const Noise& a, std::span<const double> units) const = 0;
  /// From a level to the one below: divided, rounded.
  Noise switch_modulus(const Noise& a, std::size_t level, std::size_t parts = 2) const;

  Noise add(const Noise& a, const Noise& b) const;
  /// A product with a polynomial; norm: the sum of the absolute values of its centred coefficients.
  Noise multiply_polynomial(const Noise& a, double norm) const;
  const SampleBounds& samples() const { return samples_; }
  /// log2 of the product of a level's primes, and of what it is divided by on the way to the level below.
  double modulus_log2(std::size_t level) const;
  double step_log2(std::size_t level) const;

  /// The bound as bytes hold it, in steps of kStoredNoiseBits: 0 and above where decryption is right by the
  /// heuristic one. noise: rounded to kNoiseStep.
  virtual std::int32_t stored_level(const Noise& noise, std::size_t level) const = 0;
  virtual std::int32_t lowest_stored_level(std::size_t level) const = 0;
  virtual std::int32_t highest_stored_level(std::size_t level) const = 0;
  /// The smallest bound that is stored so.
  virtual Noise from_stored_level(std::int32_t stored, std::size_t level) const = 0;

 protected:
  explicit RlweNoiseModel(const RlweParameters& parameters);

  /// Standard deviations that a polynomial of independent centred coefficients stays within. At the n/2
  /// complex roots |a|^2 / (n variance) is exponential with mean 1, so 6.5 fails with n/2 exp(-6.5^2) < 2^-44
  /// for n <= 2^17; coefficients are normal, so 9 fails with n erfc(9 / sqrt 2) < 2^-44.
  static constexpr double kCanonical = 6.5;
  static constexpr double kCoefficient = 9;

  /// A digit of key switching of a level, divided by P: D_i / P times a sum of as many polynomials uniform in
  /// [0, 1) as the digit has primes.
  struct Digit {
    double ratio;   ///< D_i / P
    double primes;  ///< of the digit
  };
  /// Those of a level; the first and the last digit may have fewer primes than the others. None without
  /// special primes.
  std::vector<Digit> digits(std::size_t level) const;

  /// Rounding of the division by P: a coefficient is a sum of `terms` uniform ones in [-1/2, 1/2), plus
  /// `mean`; exact rounding is one term. Without special primes nothing is divided.
  struct Division {
    double terms = 0;
    double mean = 0;
  };
  const Division& division() const { return division_; }

  /// log2 of the product of the special primes from the one at `first` on.
  double special_log2(std::size_t first) const;

  /// Bound on any sum of all coefficients of s with signs, so many deviations of it.
  double secret_sum(double deviations) const;

  double n_, sigma_;
  double secret_square_;     ///< expected square of a coefficient of s
  double mask_square_;       ///< the same of u, the mask of encryption by the public key
  double secret_canonical_;  ///< bound on |s| at the roots
  double special_;           ///< P, or 0

 private:
  std::vector<double> moduli_, special_moduli_;
  std::vector<Window> windows_;  // of level 0, which has no prime, 1, 2, ...
  std::size_t digit_primes_;
  double secret_mean_;
  Division division_;
  SampleBounds samples_;
};

/// log2(2^a + 2^b).
double log2_sum(double a, double b);
/// Up to multiples of kNoiseStep, as ciphertexts carry bounds.
Noise rounded(const Noise& noise);
/// The larger of each bound.
Noise largest(const Noise& a, const Noise& b);

}  // namespace nttforge::rlwe
