// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/rlwe/ciphertext.hpp"
#include "nttforge/rlwe/keys.hpp"

namespace nttforge::rlwe {

/// The phase c0 + c1 s + c2 s^2 of ciphertexts under a secret s: message and noise. Const calls may run
/// concurrently.
class Phase {
 public:
  /// throws ContextError for an empty key.
  explicit Phase(SecretKey key);

  /// [batch][level][n] in coefficient form, in memory that is wiped. Constant time. The caller wipes the
  /// stack. throws ContextError.
  DeviceArray of(const Ciphertext& ciphertext) const;
  /// The same through the steps that take a phase of this level to a plaintext [batch][n].
  void decrypt(const Ciphertext& ciphertext, const StepTables& recover, WordPtr out) const;
  /// The same, waits, and returns whether a correction passes the steps' limit.
  bool decrypt_checked(const Ciphertext& ciphertext, const StepTables& recover, WordPtr out) const;

 private:
  /// `use` of queue, ring of the ciphertext's primes, and the rows of s and s^2 modulo these, transformed. Of
  /// two parts, which do not need it, the square is not made: those of s are in its place.
  template <class Use>
  auto with_secret(const Ciphertext& ciphertext, const Use& use) const;

  SecretKey key_;
};

}  // namespace nttforge::rlwe
