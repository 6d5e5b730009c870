// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/ckks/plaintext.hpp"
#include "nttforge/rlwe/zero_encryptor.hpp"

namespace nttforge::ckks {

/// Encrypts with the public key, or with the secret key (less noise, and half the bytes when serialised). A
/// batch of plaintexts becomes a batch of ciphertexts. Each call draws a fresh seed from the operating
/// system; with an explicit seed the result is a function of key, seed, index and plaintext alone: for tests;
/// element b takes the index index + b, and no (seed, index) may be used twice. Const calls may run
/// concurrently.
class Encryptor {
 public:
  explicit Encryptor(PublicKey key);
  explicit Encryptor(SecretKey key);

  const ContextPtr& context() const { return context_; }

  /// throws ContextError; ParameterError unless the plaintext is at the highest level, or if an element's
  /// index is past 2^32 - 1.
  Ciphertext encrypt(const Plaintext& plaintext) const;
  Ciphertext encrypt(const Plaintext& plaintext, const Seed& seed, std::uint32_t index) const;

 private:
  ContextPtr context_;
  rlwe::ZeroEncryptor zero_;
};

}  // namespace nttforge::ckks
