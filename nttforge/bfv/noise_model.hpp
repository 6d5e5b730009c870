// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "nttforge/bfv/parameters.hpp"

namespace nttforge::bfv {

/// log2 of bounds on the noise v of a ciphertext, where c0 + c1 s + c2 s^2 = (Q/t) m + v (mod Q) and v is
/// rational: the largest absolute coefficient, and the largest absolute value at the complex roots of X^n
/// + 1.
struct Noise {
  double coefficient = 0;
  double canonical = 0;
  friend bool operator==(const Noise&, const Noise&) = default;
};

/// Bounds stay within this: far above any Q, and what the byte format takes.
inline constexpr double kMaxNoiseLog2 = 1e6;

/// Predicts noise without the key (docs/bounds/noise.md). Heuristic with margin: every polynomial sampled at
/// random (errors, roundings, digits, ciphertext parts) is taken to be bounded by 6.5 standard deviations at
/// the roots and 9 in its coefficients; from there on the inequalities are exact. Each operation fails it
/// with probability below 2^-40. Decryption is right while the coefficient bound is below Q/(2t).
class NoiseModel {
 public:
  explicit NoiseModel(const Parameters& parameters);

  /// log2(Q / (2 t bound)): bits left; negative means that decryption may fail.
  double budget_bits(const Noise& noise) const { return limit_ - noise.coefficient; }

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
