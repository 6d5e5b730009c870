#include "nttforge/bfv/encryptor.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/base/secret.hpp"
#include "nttforge/bfv/key_generator.hpp"

namespace nttforge::bfv {

Encryptor::Encryptor(PublicKey key) : context_(key.context()), public_key_(std::move(key)) {
  if (context_ == nullptr) throw ContextError("public key is empty: assign it before use");
}

Encryptor::Encryptor(SecretKey key) : context_(key.context()), secret_key_(std::move(key)) {
  if (context_ == nullptr) throw ContextError("secret key is empty: assign it before use");
}

Ciphertext Encryptor::encrypt(const Plaintext& plaintext) const {
  require_compatible(*context_, plaintext.context(), "plaintext");
  Ciphertext result = encrypt_zero();
  add_message(result, plaintext);
  return result;
}

Ciphertext Encryptor::encrypt(const Plaintext& plaintext, const Seed& seed, std::uint32_t index) const {
  require_compatible(*context_, plaintext.context(), "plaintext");
  Ciphertext result = zero(seed, index);
  add_message(result, plaintext);
  return result;
}

Ciphertext Encryptor::encrypt_zero() const {
  Seed seed = os_seed();
  Ciphertext result = zero(seed, 0);
  secure_zero(seed.bytes.data(), seed.bytes.size());
  return result;
}

Ciphertext Encryptor::zero(const Seed& seed, std::uint32_t index) const {
  return public_key_.empty() ? zero_by_secret_key(seed, index) : zero_by_public_key(seed, index);
}

Ciphertext Encryptor::zero_by_public_key(const Seed& seed, std::uint32_t index) const {
  const Backend& backend = context_->backend();
  const RingTables& ring = context_->ring_key();
  const std::size_t words = ring.words();
  const Parameters& parameters = context_->parameters();
  DeviceArray u = backend.allocate_secret(words);
  if (parameters.secret == SecretDistribution::ternary)
    backend.sample_ternary(ring, {seed, Domain::encrypt_u, index}, u.data());
  else
    backend.sample_binary(ring, {seed, Domain::encrypt_u, index}, u.data());
  backend.forward(ring, u.data(), 1);
  DeviceArray masked = backend.allocate_secret(2 * words), error = backend.allocate_secret(2 * words);
  backend.multiply_broadcast(ring, public_key_.data(), u.data(), masked.data(), 2);
  backend.inverse(ring, masked.data(), 2);
  backend.sample_error(ring, {seed, Domain::encrypt_error_0, index}, parameters.error, error.data());
  backend.sample_error(ring, {seed, Domain::encrypt_error_1, index}, parameters.error, error.data() + words);
  Ciphertext result(context_, 2);
  if (parameters.p == 0) {
    backend.add(ring, masked.data(), error.data(), result.data(), 2);
  } else {
    backend.add(ring, masked.data(), error.data(), masked.data(), 2);
    backend.mod_down(context_->mod_down(), masked.data(), result.data(), 2);
  }
  result.set_noise(context_->noise_model().fresh_public());
  return result;
}

Ciphertext Encryptor::zero_by_secret_key(const Seed& seed, std::uint32_t index) const {
  const Backend& backend = context_->backend();
  const RingTables& ring = context_->ring_q();
  const Seed public_seed = derive_seed(seed, index);
  Ciphertext result(context_, 2);
  backend.sample_uniform(ring, {public_seed, Domain::encrypt_a, 0}, result.part(1));
  // c0 = -(a s) + e; the first k limbs of the secret key are its residues modulo Q.
  DeviceArray product = backend.allocate_secret(ring.words()), error = backend.allocate_secret(ring.words());
  backend.copy(result.part(1), product.data(), ring.words());
  backend.forward(ring, product.data(), 1);
  backend.multiply(ring, product.data(), secret_key_.data(), product.data(), 1);
  backend.inverse(ring, product.data(), 1);
  backend.sample_error(ring, {seed, Domain::encrypt_error_0, index}, context_->parameters().error,
                       error.data());
  backend.sub(ring, error.data(), product.data(), result.part(0), 1);
  result.set_noise(context_->noise_model().fresh_secret());
  result.set_seed(public_seed);
  return result;
}

void Encryptor::add_message(Ciphertext& ciphertext, const Plaintext& plaintext) const {
  const Backend& backend = context_->backend();
  const RingTables& ring = context_->ring_q();
  DeviceArray message = backend.allocate(ring.words());
  backend.scale_plain(context_->decrypt(), plaintext.data(), message.data());
  backend.add(ring, ciphertext.part(0), message.data(), ciphertext.part(0), 1);
}

}  // namespace nttforge::bfv
