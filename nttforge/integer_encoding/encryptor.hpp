// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/integer_encoding/plaintext.hpp"
#include "nttforge/rlwe/zero_encryptor.hpp"

namespace nttforge::integer_encoding {

/// Encrypts with the public key, or with the secret key (less noise, and half the bytes when serialised).
/// Each call draws a fresh seed from the operating system. With an explicit seed the result is a function of
/// key, seed, index and plaintext alone: for tests; never use a (seed, index) twice. Const calls may run
/// concurrently.
class Encryptor {
 public:
  explicit Encryptor(PublicKey key);
  explicit Encryptor(SecretKey key);

  const IntegerContextPtr& context() const { return context_; }

  /// throws ContextError.
  Ciphertext encrypt(const Plaintext& plaintext) const;
  Ciphertext encrypt(const Plaintext& plaintext, const Seed& seed, std::uint32_t index) const;
  /// throws UnsupportedError if these parameters have no such encoding.
  Ciphertext encrypt_zero(Encoding encoding) const;

 private:
  IntegerContextPtr context_;
  rlwe::ZeroEncryptor zero_;
};

}  // namespace nttforge::integer_encoding
