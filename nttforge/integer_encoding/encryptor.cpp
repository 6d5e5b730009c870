// SPDX-License-Identifier: Apache-2.0
#include "nttforge/integer_encoding/encryptor.hpp"

#include "nttforge/base/memory/stack_wipe.hpp"

namespace nttforge::integer_encoding {

Encryptor::Encryptor(PublicKey key)
    : context_(context_as<IntegerContext>(key.context(), "public key")), zero_(std::move(key)) {}

Encryptor::Encryptor(SecretKey key)
    : context_(context_as<IntegerContext>(key.context(), "secret key")), zero_(std::move(key)) {}

Ciphertext Encryptor::encrypt(const Plaintext& plaintext) const {
  const StackWipe wipe(StackDepth::deep);
  return encrypt(plaintext, os_seed(), 0);
}

Ciphertext Encryptor::encrypt(const Plaintext& plaintext, const Seed& seed, std::uint32_t index) const {
  const StackWipe wipe(StackDepth::deep);
  require_compatible(*context_, plaintext.context(), "plaintext");
  const std::size_t batch = plaintext.batch();
  if (const StepTables* const embedding = context_->fresh_embedding())
    return zero_.encrypt({plaintext.data(), embedding}, plaintext.encoding(), seed, index, batch);
  DeviceArray message = context_->queue().allocate_secret(context_->ring_q(), batch);
  context_->embed(plaintext.data(), context_->limbs(), 1, message.data(), batch);
  return zero_.encrypt(ConstWordPtr(message.data()), plaintext.encoding(), seed, index, batch);
}

Ciphertext Encryptor::encrypt_zero(Encoding encoding, std::size_t batch) const {
  const StackWipe wipe(StackDepth::deep);
  return zero_.encrypt(ConstWordPtr(), encoding, os_seed(), 0, batch);
}

}  // namespace nttforge::integer_encoding
