// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "nttforge/ckks/context.hpp"
#include "nttforge/rlwe/phase.hpp"

namespace nttforge::ckks {

/// log2 of the error that each number of a ciphertext stays within once it is decrypted, by a bound; infinite
/// where that says nothing.
double error_log2(const Ciphertext& ciphertext, NoiseBound bound = NoiseBound::heuristic);

/// Answers for others, who may have chosen the circuit: flooding noise from a fresh seed of the operating
/// system is added to the phase, so that an answer depends on the ciphertext's own error with a statistical
/// distance of at most 2^-security_bits (docs/bounds/ckks_noise.md, Answers that are shared).
struct Sharing {
  unsigned security_bits = 64;            ///< 20 ... 128
  NoiseBound bound = NoiseBound::proved;  ///< what hides the error is derived from
  /// In place of that bound: an error that the numbers are known to stay within, as from a run of one's own,
  /// where the ciphertext came in bytes, which prove nothing.
  std::optional<double> error = std::nullopt;
};

/// log2 of F: flooding is uniform in [-F, F) on every coefficient that is decoded. A function of what is
/// public. throws ParameterError for security_bits or an error out of range; PrecisionError where the bound
/// says nothing, or numbers and flooding pass 2^125 or the modulus.
unsigned flooding_log2(const Ciphertext& ciphertext, const Sharing& sharing);
/// error_log2 of what decryption gives then; the heuristic bound, as for other answers.
double error_log2(const Ciphertext& ciphertext, const Sharing& sharing);

/// Decrypts ciphertexts of two or three parts, and batches of them. Const calls may run concurrently.
class Decryptor {
 public:
  explicit Decryptor(SecretKey key);

  const ContextPtr& context() const { return context_; }

  /// [batch][slots], real numbers where the ciphertext says so. Not for others to see where they chose the
  /// computation [LM21], unless it is flooded. throws ContextError, ParameterError for another encoding,
  /// PrecisionError where no bit of a number is left by the heuristic bound, flooding included; as
  /// flooding_log2.
  std::vector<std::complex<double>> decrypt(const Ciphertext& ciphertext,
                                            const std::optional<Sharing>& sharing = std::nullopt) const;
  /// The same to the memory of the context's device: [batch][slots][2] doubles, in words of 64 bits.
  void decrypt(const Ciphertext& ciphertext, WordPtr out) const;
  /// The same of polynomials, [batch][n].
  std::vector<double> decrypt_coefficients(const Ciphertext& ciphertext,
                                           const std::optional<Sharing>& sharing = std::nullopt) const;

 private:
  /// What is decoded of a ciphertext of slots. throws as decrypt.
  Meta decrypted(const Ciphertext& ciphertext, const std::optional<Sharing>& sharing) const;
  /// The phase at the level and scale that is wanted.
  DeviceArray phase(const Ciphertext& ciphertext, const Meta& wanted) const;
  void decode(const Ciphertext& ciphertext, const Meta& meta, WordPtr out) const;
  /// The whole phase in integers at the level and scale that is wanted, every `stride`-th coefficient of each
  /// element. Flooded where that is wanted.
  void integers(const Ciphertext& ciphertext, std::size_t stride, const Meta& wanted,
                const std::optional<Sharing>& sharing, std::span<Coefficient> out) const;

  ContextPtr context_;
  rlwe::Phase phase_;
};

}  // namespace nttforge::ckks
