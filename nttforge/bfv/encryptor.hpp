// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/bfv/ciphertext.hpp"
#include "nttforge/bfv/keys.hpp"
#include "nttforge/bfv/plaintext.hpp"

namespace nttforge::bfv {

/// Encrypts with the public key, or with the secret key (less noise, and half the bytes when serialised).
/// Each call draws a fresh seed from the operating system. With an explicit seed the result is a function of
/// key, seed, index and plaintext alone: for tests; never use a (seed, index) twice. Const calls may run
/// concurrently.
class Encryptor {
 public:
  explicit Encryptor(PublicKey key);
  explicit Encryptor(SecretKey key);

  const ContextPtr& context() const { return context_; }

  /// throws ContextError.
  Ciphertext encrypt(const Plaintext& plaintext) const;
  Ciphertext encrypt(const Plaintext& plaintext, const Seed& seed, std::uint32_t index) const;
  /// throws UnsupportedError if these parameters have no such encoding.
  Ciphertext encrypt_zero(Encoding encoding) const;

 private:
  /// Encryption of `message`, scaled and modulo Q (null: of zero).
  Ciphertext masked(ConstWordPtr message, Encoding encoding, const Seed& seed, std::uint32_t index) const;
  void mask_by_public_key(ConstWordPtr message, const Seed& seed, std::uint32_t index,
                          Ciphertext& result) const;
  void mask_by_secret_key(ConstWordPtr message, const Seed& seed, std::uint32_t index,
                          Ciphertext& result) const;

  ContextPtr context_;
  PublicKey public_key_;
  SecretKey secret_key_;
};

}  // namespace nttforge::bfv
