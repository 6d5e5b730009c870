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

  /// A fresh ciphertext at the highest level, a function of key, seed, index and message alone: never use a
  /// (seed, index) twice. message [k][n] in coefficient form, or null. The caller wipes the stack. throws
  /// UnsupportedError if these parameters have no such encoding.
  Ciphertext encrypt(ConstWordPtr message, Encoding encoding, const Seed& seed, std::uint32_t index) const;

 private:
  void mask_by_public_key(ConstWordPtr message, const Seed& seed, std::uint32_t index,
                          Ciphertext& result) const;
  void mask_by_secret_key(ConstWordPtr message, const Seed& seed, std::uint32_t index,
                          Ciphertext& result) const;

  RlweContextPtr context_;
  PublicKey public_key_;
  SecretKey secret_key_;
};

}  // namespace nttforge::rlwe
