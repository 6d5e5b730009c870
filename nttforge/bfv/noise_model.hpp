// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "nttforge/base/error.hpp"
#include "nttforge/bfv/parameters.hpp"

namespace nttforge {

/// A ciphertext has, or may have, too much noise to be decrypted to what was computed.
class NoiseError : public Error {
 public:
  using Error::Error;
};

}  // namespace nttforge

namespace nttforge::bfv {

/// log2 of bounds on the noise v of a ciphertext, where c0 + c1 s + c2 s^2 = (Q/t) m + v (mod Q) and v is
/// rational: the largest absolute coefficient, and the largest absolute value at the complex roots of X^n
/// + 1. Infinite where nothing is known, and then in everything computed from it.
struct Noise {
  double coefficient = 0;
  double canonical = 0;
  static Noise unknown() {
    return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  bool known() const { return coefficient < std::numeric_limits<double>::infinity(); }
  friend bool operator==(const Noise&, const Noise&) = default;
};

/// Bounds stay within this: far above any Q, and what the byte format takes.
inline constexpr double kMaxNoiseLog2 = 1e6;
/// Bounds are multiples of this, rounded up, so that bytes do not depend on the last digit of a logarithm.
inline constexpr double kNoiseStep = 1.0 / 1024;
/// Bounds in bytes are rounded up to steps of the budget of this many bits: they depend on plaintext factors,
/// which need not be public (docs/bounds/noise.md).
inline constexpr int kStoredNoiseBits = 16;

/// Predicts noise without the key (docs/bounds/noise.md). Heuristic with margin: every polynomial sampled at
/// random (errors, roundings, digits, ciphertext parts) is taken to be bounded by 6.5 standard deviations at
/// the roots and 9 in its coefficients; from there on the inequalities are exact. Each operation fails it
/// with probability below 2^-40. Decryption is right while the coefficient bound is below Q/(2t).
class NoiseModel {
 public:
  explicit NoiseModel(const Parameters& parameters);

  /// log2(Q / (2 t bound)): bits left; negative means that decryption may fail.
  double budget_bits(const Noise& noise) const { return limit_ - noise.coefficient; }

  /// The bound as bytes hold it: the largest j with a budget above 16 j bits, so that a budget above 0 stays
  /// above 0; between level(largest bound) and that of a fresh ciphertext. noise: rounded to kNoiseStep.
  std::int32_t stored_level(const Noise& noise) const;
  std::int32_t lowest_stored_level() const;
  std::int32_t highest_stored_level() const;
  /// The smallest bound of that level; the canonical norm is at most n times the largest coefficient.
  Noise from_stored_level(std::int32_t level) const;

  Noise fresh_public() const;  ///< by the public key
  Noise fresh_secret() const;  ///< by the secret key
  Noise add(const Noise& a, const Noise& b) const;
  Noise add_plain(const Noise& a) const;
  /// norm: sum of the absolute values of the plaintext's centred coefficients.
  Noise multiply_plain(const Noise& a, double norm) const;
  /// Sum of `terms` products accumulated before one scaling; a and b bound each side. Two-part inputs.
  Noise multiply(const Noise& a, const Noise& b, std::size_t terms = 1) const;
  Noise key_switch(const Noise& a) const;  ///< relinearize, rotate; needs the special prime

  /// One level of the promise of Parameters::promised_depth: operands of noise a, doubled by an addition, a
  /// plaintext added, rotated once (with special prime), then multiplied and relinearized.
  Noise level(const Noise& a) const;

 private:
  double n_, t_, q_log2_, limbs_, sigma_;
  double limit_;             // log2(Q / 2t)
  double secret_square_;     // expected square of a coefficient of s
  double secret_canonical_;  // bound on |s| at the roots
  double special_ = 0;       // p, or 0
  double digits_ = 0;        // sqrt(sum of squared bounds on the digits at the roots) / p
};

}  // namespace nttforge::bfv
