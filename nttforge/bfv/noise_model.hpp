#pragma once

#include <cstdint>

#include "nttforge/bfv/parameters.hpp"

namespace nttforge::bfv {

/// Predicts noise without the key: docs/bounds/noise.md. A noise is the polynomial t (c0 + c1 s + ...) - Q m
/// reduced into
/// (-Q/2, Q/2], divided by t; the model carries log2 of a bound B on its largest coefficient that holds
/// except with probability below 2^-40 an operation (a heuristic: coefficients taken as independent).
/// Decryption is right while B < Q/(2t).
class NoiseModel {
 public:
  explicit NoiseModel(const Parameters& parameters);

  /// log2(Q / (2 t B)): bits left; negative means that decryption may fail.
  double budget_bits(double noise_log2) const { return limit_log2_ - noise_log2; }
  double limit_log2() const { return limit_log2_; }

  double fresh_public() const;  ///< by the public key
  double fresh_secret() const;  ///< by the secret key
  double add(double a, double b) const;
  double add_plain(double a) const;
  /// plaintext with at most `nonzero` non-zero centred coefficients of at most `magnitude`.
  double multiply_plain(double a, std::uint64_t magnitude, std::size_t nonzero) const;
  /// Sum of `terms` products accumulated before one scaling; a and b the largest of each side. Two-part
  /// inputs.
  double multiply(double a, double b, std::size_t terms = 1) const;
  double key_switch(double a) const;  ///< relinearize, rotate; needs the special prime

 private:
  double n_, t_, log_q_, limit_log2_, secret_variance_, secret_norm_, sigma_, key_switch_log2_, limbs_;
  double special_ = 0;
};

}  // namespace nttforge::bfv
