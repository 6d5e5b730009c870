// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/zero_encryptor.hpp"

#include "nttforge/rlwe/sampling.hpp"

namespace nttforge::rlwe {

ZeroEncryptor::ZeroEncryptor(PublicKey key) : context_(key.context()), public_key_(std::move(key)) {
  if (context_ == nullptr) throw ContextError("public key is empty: assign it before use");
}

ZeroEncryptor::ZeroEncryptor(SecretKey key) : context_(key.context()), secret_key_(std::move(key)) {
  if (context_ == nullptr) throw ContextError("secret key is empty: assign it before use");
}

Ciphertext ZeroEncryptor::encrypt(ConstWordPtr message, Encoding encoding, const Seed& seed,
                                  std::uint32_t index) const {
  Ciphertext result(context_, 2, encoding);
  if (public_key_.empty())
    mask_by_secret_key(message, seed, index, result);
  else
    mask_by_public_key(message, seed, index, result);
  return result;
}

void ZeroEncryptor::mask_by_public_key(ConstWordPtr message, const Seed& seed, std::uint32_t index,
                                       Ciphertext& result) const {
  const SmallPolynomial u = secret_polynomial(*context_, {seed, Domain::encrypt_u, index});
  const SmallPolynomial errors[] = {error_polynomial(*context_, {seed, Domain::encrypt_error_0, index}),
                                    error_polynomial(*context_, {seed, Domain::encrypt_error_1, index})};
  const StepTables* division = context_->key_switching(context_->limbs()).division.get();
  context_->queue().encrypt(context_->ring_key(), context_->ring_q(), division, public_key_.data(), u, errors,
                            message, result.data());
  result.set_fresh_noise(NoiseSource::fresh_public);
}

void ZeroEncryptor::mask_by_secret_key(ConstWordPtr message, const Seed& seed, std::uint32_t index,
                                       Ciphertext& result) const {
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_q();
  const Seed public_seed = derive_seed(seed, index);
  queue.sample_uniform(ring, {public_seed, Domain::encrypt_a, 0}, result.part(1));
  // c0 = -(a s) + e + message; the first k limbs of the secret key are its residues modulo Q.
  DeviceArray product = queue.allocate_secret(ring, 1), error = queue.allocate_secret(ring, 1);
  queue.multiply_transformed(ring, result.part(1), secret_key_.data(), nullptr, product.data(), 1);
  queue.sample_small(ring, error_polynomial(*context_, {seed, Domain::encrypt_error_0, index}), error.data());
  if (message != nullptr) queue.add(ring, error.data(), message, error.data(), 1);
  queue.sub(ring, error.data(), product.data(), result.part(0), 1);
  result.set_fresh_noise(NoiseSource::fresh_secret);
  result.set_seed(public_seed);
}

}  // namespace nttforge::rlwe
