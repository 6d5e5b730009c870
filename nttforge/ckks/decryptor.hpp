// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "nttforge/ckks/context.hpp"
#include "nttforge/rlwe/phase.hpp"

namespace nttforge::ckks {

/// log2 of the error that each number of a ciphertext stays within once it is decrypted, by a bound; infinite
/// where that says nothing.
double error_log2(const Ciphertext& ciphertext, NoiseBound bound = NoiseBound::heuristic);

/// Decrypts ciphertexts of two or three parts, and batches of them. Const calls may run concurrently.
class Decryptor {
 public:
  explicit Decryptor(SecretKey key);

  const ContextPtr& context() const { return context_; }

  /// [batch][slots], real numbers where the ciphertext says so. Not for others to see where they chose the
  /// computation [LM21]. throws ContextError, ParameterError for another encoding, PrecisionError where no
  /// bit of a number is left by the heuristic bound.
  std::vector<std::complex<double>> decrypt(const Ciphertext& ciphertext) const;
  /// The same of polynomials, [batch][n].
  std::vector<double> decrypt_coefficients(const Ciphertext& ciphertext) const;

 private:
  /// The whole phase in integers at the level and scale that is wanted, every `stride`-th coefficient of each
  /// element.
  void integers(const Ciphertext& ciphertext, std::size_t stride, const Meta& wanted,
                std::span<Coefficient> out) const;

  ContextPtr context_;
  rlwe::Phase phase_;
};

}  // namespace nttforge::ckks
