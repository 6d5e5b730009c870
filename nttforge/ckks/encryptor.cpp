// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/encryptor.hpp"

#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"

namespace nttforge::ckks {

Encryptor::Encryptor(PublicKey key)
    : context_(context_as<Context>(key.context(), "public key")), zero_(std::move(key)) {}

Encryptor::Encryptor(SecretKey key)
    : context_(context_as<Context>(key.context(), "secret key")), zero_(std::move(key)) {}

Ciphertext Encryptor::encrypt(const Plaintext& plaintext) const {
  const StackWipe wipe(StackDepth::deep);
  return encrypt(plaintext, os_seed(), 0);
}

Ciphertext Encryptor::encrypt(const Plaintext& plaintext, const Seed& seed, std::uint32_t index) const {
  const StackWipe wipe(StackDepth::deep);
  require_compatible(*context_, plaintext.context(), "plaintext");
  if (plaintext.level() != context_->top_level())
    throw ParameterError("plaintext is at level " + std::to_string(plaintext.level()) +
                         ": fresh ciphertexts have the highest, " + std::to_string(context_->top_level()) +
                         "; encode it there");
  const Plaintext changed =
      plaintext.form() == Form::coefficients ? Plaintext() : plaintext.in(Form::coefficients);
  const Plaintext& message = changed.empty() ? plaintext : changed;
  const Meta& encoded = plaintext.polynomial().meta();
  Ciphertext result =
      zero_.encrypt(message.polynomial().data(), encoded.encoding, seed, index, plaintext.batch());
  Meta meta = result.meta();
  meta.scale = encoded.scale;
  meta.slots = encoded.slots;
  meta.numbers = encoded.numbers;
  meta.noise = rlwe::rounded(context_->noise_model().sum(meta.noise, encoded.noise));
  meta.source = NoiseSource::computed;
  result.set_meta(meta);
  return result;
}

}  // namespace nttforge::ckks
