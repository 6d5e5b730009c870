// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "nttforge/integer_encoding/budget.hpp"
#include "nttforge/integer_encoding/flooding.hpp"
#include "nttforge/integer_encoding/plaintext.hpp"
#include "nttforge/rlwe/phase.hpp"

namespace nttforge::integer_encoding {

/// Decrypts ciphertexts of two or three parts, and batches of them to batches of plaintexts. Const calls may
/// run concurrently.
class Decryptor {
 public:
  explicit Decryptor(SecretKey key);

  const IntegerContextPtr& context() const { return context_; }

  /// Constant time in secret and message, but for whether it refuses. The plaintext has the ciphertext's
  /// encoding. throws ContextError; NoiseError if the predicted budget is not above 0 bits, or the measured
  /// one of an element below half a bit (as noise_budget_bits says, but to a relative 2^-43 at the limit):
  /// too much noise, or another secret key. It names the first such element of a batch.
  Plaintext decrypt(const Ciphertext& ciphertext) const;
  /// For answers that others see, who may have chosen the circuit: as decrypt, but with flooding noise from a
  /// fresh seed of the operating system, so that the answer and a refusal depend on the ciphertext's own
  /// noise with a statistical distance of at most 2^-security_bits. Whether there is room for that follows
  /// from the bound alone, or from `stated`: the budget that its owner knows the computation to leave, as of
  /// a run of his own, where the ciphertext came in bytes, which prove nothing. throws ContextError;
  /// ParameterError unless security_bits is in [20, 128]; NoiseError if that leaves less than
  /// shared_budget_bits(), or as decrypt (for a wrong key, or a bound that was wrong).
  Plaintext decrypt_shared(const Ciphertext& ciphertext, unsigned security_bits = kSharedBits,
                           NoiseBound bound = NoiseBound::proved,
                           std::optional<double> stated = std::nullopt) const;
  /// Whatever the noise: what an exhausted ciphertext decrypts to is not what was computed.
  Plaintext decrypt_unchecked(const Ciphertext& ciphertext) const;

  /// log2(Q / (2 w)), w the largest coefficient of the phase c0 + c1 s + ... times
  /// IntegerContext::budget_scale(), centred modulo Q, by exact integers: the bits left, the fewest of a
  /// batch; 0 when exhausted, and below half a bit, where it could be. Slow (big integers), not constant
  /// time; the result depends on the secret: do not publish it.
  double noise_budget_bits(const Ciphertext& ciphertext) const;

 private:
  /// throws NoiseError where noise shows that it is too large.
  Plaintext measured(const Ciphertext& ciphertext) const;

  IntegerContextPtr context_;
  rlwe::Phase phase_;
};

}  // namespace nttforge::integer_encoding
