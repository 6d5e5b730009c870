// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/integer_encoding/plaintext.hpp"
#include "nttforge/rlwe/zero_encryptor.hpp"

namespace nttforge::integer_encoding {

/// Encrypts with the public key, or with the secret key (less noise, and half the bytes when serialised).
/// A batch of plaintexts becomes a batch of ciphertexts. Each call draws a fresh seed from the operating
/// system. With an explicit seed the result is a function of key, seed, index and plaintext alone: for tests;
/// element b takes the index index + b, and no (seed, index) may be used twice. Const calls may run
/// concurrently.
class Encryptor {
 public:
  explicit Encryptor(PublicKey key);
  explicit Encryptor(SecretKey key);

  const IntegerContextPtr& context() const { return context_; }

  /// throws ContextError; ParameterError if an element's index is past 2^32 - 1.
  Ciphertext encrypt(const Plaintext& plaintext) const;
  Ciphertext encrypt(const Plaintext& plaintext, const Seed& seed, std::uint32_t index) const;
  /// throws UnsupportedError if these parameters have no such encoding, ParameterError unless batch is in
  /// [1, kMaxBatch].
  Ciphertext encrypt_zero(Encoding encoding, std::size_t batch = 1) const;

 private:
  IntegerContextPtr context_;
  rlwe::ZeroEncryptor zero_;
};

}  // namespace nttforge::integer_encoding
