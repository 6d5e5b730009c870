// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/bfv/ciphertext.hpp"
#include "nttforge/bfv/keys.hpp"
#include "nttforge/bfv/plaintext.hpp"

namespace nttforge::bfv {

/// Decrypts ciphertexts of two or three parts. Const calls may run concurrently.
class Decryptor {
 public:
  explicit Decryptor(SecretKey key);

  const ContextPtr& context() const { return key_.context(); }

  /// Constant time in secret and message, but for whether it refuses. The plaintext has the ciphertext's
  /// encoding. throws ContextError; NoiseError if the predicted budget is not above 0 bits, or the measured
  /// one below half a bit (as noise_budget_bits says, but to a relative 2^-43 at the limit): too much noise,
  /// or another secret key.
  Plaintext decrypt(const Ciphertext& ciphertext) const;
  /// Whatever the noise: what an exhausted ciphertext decrypts to is not what was computed.
  Plaintext decrypt_unchecked(const Ciphertext& ciphertext) const;

  /// log2(Q / (2 w)), w the largest |t (c0 + c1 s + ...) mod Q| (centred), by exact integers: the bits left;
  /// 0 when exhausted, and below half a bit, where it could be. Slow (big integers), not constant time; the
  /// result depends on the secret: do not publish it.
  double noise_budget_bits(const Ciphertext& ciphertext) const;

 private:
  DeviceArray phase(const Ciphertext& ciphertext) const;  // c0 + c1 s + c2 s^2, coefficient form, [k][n]

  SecretKey key_;
  DeviceArray square_;  // s^2 modulo Q, transformed
};

}  // namespace nttforge::bfv
