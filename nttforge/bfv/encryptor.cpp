// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/encryptor.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/bfv/key_generator.hpp"

namespace nttforge::bfv {

Encryptor::Encryptor(PublicKey key) : context_(key.context()), public_key_(std::move(key)) {
  if (context_ == nullptr) throw ContextError("public key is empty: assign it before use");
}

Encryptor::Encryptor(SecretKey key) : context_(key.context()), secret_key_(std::move(key)) {
  if (context_ == nullptr) throw ContextError("secret key is empty: assign it before use");
}

Ciphertext Encryptor::encrypt(const Plaintext& plaintext) const {
  const StackWipe wipe(StackDepth::deep);
  return encrypt(plaintext, os_seed(), 0);
}

Ciphertext Encryptor::encrypt(const Plaintext& plaintext, const Seed& seed, std::uint32_t index) const {
  const StackWipe wipe(StackDepth::deep);
  require_compatible(*context_, plaintext.context(), "plaintext");
  DeviceArray message = context_->queue().allocate_secret(context_->ring_q().words());
  context_->queue().apply(context_->scale_plain(), plaintext.data(), nullptr, message.data(), 1);
  return masked(message.data(), plaintext.encoding(), seed, index);
}

Ciphertext Encryptor::encrypt_zero(Encoding encoding) const {
  const StackWipe wipe(StackDepth::deep);
  return masked(nullptr, encoding, os_seed(), 0);
}

Ciphertext Encryptor::masked(ConstWordPtr message, Encoding encoding, const Seed& seed,
                             std::uint32_t index) const {
  Ciphertext result(context_, 2, encoding);
  if (public_key_.empty())
    mask_by_secret_key(message, seed, index, result);
  else
    mask_by_public_key(message, seed, index, result);
  return result;
}

void Encryptor::mask_by_public_key(ConstWordPtr message, const Seed& seed, std::uint32_t index,
                                   Ciphertext& result) const {
  const Parameters& parameters = context_->parameters();
  using Kind = SmallPolynomial::Kind;
  const bool ternary = parameters.secret == SecretDistribution::ternary;
  const SmallPolynomial u{ternary ? Kind::ternary : Kind::binary, {seed, Domain::encrypt_u, index}, {}};
  const SmallPolynomial errors[] = {{Kind::error, {seed, Domain::encrypt_error_0, index}, parameters.error},
                                    {Kind::error, {seed, Domain::encrypt_error_1, index}, parameters.error}};
  context_->queue().encrypt(context_->ring_key(), context_->ring_q(),
                            parameters.p == 0 ? nullptr : &context_->mod_down(), public_key_.data(), u,
                            errors, message, result.data());
  result.set_fresh_noise(NoiseSource::fresh_public);
}

void Encryptor::mask_by_secret_key(ConstWordPtr message, const Seed& seed, std::uint32_t index,
                                   Ciphertext& result) const {
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_q();
  const Seed public_seed = derive_seed(seed, index);
  queue.sample_uniform(ring, {public_seed, Domain::encrypt_a, 0}, result.part(1));
  // c0 = -(a s) + e + message; the first k limbs of the secret key are its residues modulo Q.
  DeviceArray product = queue.allocate_secret(ring.words()), error = queue.allocate_secret(ring.words());
  queue.multiply_transformed(ring, result.part(1), secret_key_.data(), nullptr, product.data(), 1);
  queue.sample_error(ring, {seed, Domain::encrypt_error_0, index}, context_->parameters().error,
                     error.data());
  if (message != nullptr) queue.add(ring, error.data(), message, error.data(), 1);
  queue.sub(ring, error.data(), product.data(), result.part(0), 1);
  result.set_fresh_noise(NoiseSource::fresh_secret);
  result.set_seed(public_seed);
}

}  // namespace nttforge::bfv
