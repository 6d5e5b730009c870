// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/rlwe/ciphertext.hpp"
#include "nttforge/rlwe/keys.hpp"

namespace nttforge::rlwe {

/// Encrypts zero with the public key, or with the secret key (less noise, and half the bytes when
/// serialised), and adds a message that a scheme has made a polynomial modulo Q. Const calls may run
/// concurrently.
class ZeroEncryptor {
 public:
  /// throws ContextError for an empty key.
  explicit ZeroEncryptor(PublicKey key);
  explicit ZeroEncryptor(SecretKey key);

  const RlweContextPtr& context() const { return context_; }

  /// A batch of fresh ciphertexts at the highest level, a function of key, seed, index and message alone.
  /// Element b takes the index index + b: never use a (seed, index) twice. By the secret key all parts 1 come
  /// from one public seed, derived from seed and index, element b's from its streams of index b. message
  /// [batch][k][n] in coefficient form, or null. The caller wipes the stack. throws UnsupportedError if these
  /// parameters have no such encoding, ParameterError if an index is past 2^32 - 1.
  Ciphertext encrypt(const MessageRows& message, Encoding encoding, const Seed& seed, std::uint32_t index,
                     std::size_t batch = 1) const;

 private:
  void mask_by_public_key(const MessageRows& message, const Seed& seed, std::uint32_t index,
                          Ciphertext& result) const;
  void mask_by_secret_key(const MessageRows& message, const Seed& seed, std::uint32_t index,
                          Ciphertext& result) const;

  RlweContextPtr context_;
  PublicKey public_key_;
  SecretKey secret_key_;
};

}  // namespace nttforge::rlwe
