// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/zero_encryptor.hpp"

#include <limits>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/rlwe/sampling.hpp"

namespace nttforge::rlwe {

ZeroEncryptor::ZeroEncryptor(PublicKey key) : context_(key.context()), public_key_(std::move(key)) {
  if (context_ == nullptr) throw ContextError("public key is empty: assign it before use");
}

ZeroEncryptor::ZeroEncryptor(SecretKey key) : context_(key.context()), secret_key_(std::move(key)) {
  if (context_ == nullptr) throw ContextError("secret key is empty: assign it before use");
}

Ciphertext ZeroEncryptor::encrypt(ConstWordPtr message, Encoding encoding, const Seed& seed,
                                  std::uint32_t index, std::size_t batch) const {
  Ciphertext result(context_, 2, encoding, context_->limbs(), batch);
  constexpr std::uint32_t kLast = std::numeric_limits<std::uint32_t>::max();
  if (batch - 1 > kLast - index)
    throw ParameterError("index = " + std::to_string(index) +
                         " leaves fewer than batch = " + std::to_string(batch) + " indices up to " +
                         std::to_string(kLast) + ": every element takes one");
  if (public_key_.empty())
    mask_by_secret_key(message, seed, index, result);
  else
    mask_by_public_key(message, seed, index, result);
  return result;
}

void ZeroEncryptor::mask_by_public_key(ConstWordPtr message, const Seed& seed, std::uint32_t index,
                                       Ciphertext& result) const {
  const RingTables& ring = context_->ring_q();
  const StepTables* division = context_->key_switching(context_->limbs()).division.get();
  for (std::size_t b = 0; b < result.batch(); ++b, ++index) {
    poll_interrupt();
    const SmallPolynomial u = secret_polynomial(*context_, {seed, Domain::encrypt_u, index});
    const SmallPolynomial errors[] = {error_polynomial(*context_, {seed, Domain::encrypt_error_0, index}),
                                      error_polynomial(*context_, {seed, Domain::encrypt_error_1, index})};
    context_->queue().encrypt(context_->ring_key(), ring, division, public_key_.data(), u, errors,
                              message == nullptr ? message : message + b * ring.words(), result.part(0, b));
  }
  result.set_fresh_noise(NoiseSource::fresh_public);
}

void ZeroEncryptor::mask_by_secret_key(ConstWordPtr message, const Seed& seed, std::uint32_t index,
                                       Ciphertext& result) const {
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_q();
  const Seed public_seed = derive_seed(seed, index);
  DeviceArray product = queue.allocate_secret(ring, 1), error = queue.allocate_secret(ring, 1);
  for (std::size_t b = 0; b < result.batch(); ++b, ++index) {
    poll_interrupt();
    WordPtr a = result.part(1, b);
    queue.sample_uniform(ring, {public_seed, Domain::encrypt_a, static_cast<std::uint32_t>(b)}, a);
    // c0 = -(a s) + e + message; the first k limbs of the secret key are its residues modulo Q.
    queue.multiply_transformed(ring, a, secret_key_.data(), nullptr, product.data(), 1);
    queue.sample_small(ring, error_polynomial(*context_, {seed, Domain::encrypt_error_0, index}),
                       error.data());
    if (message != nullptr) queue.add(ring, error.data(), message + b * ring.words(), error.data(), 1);
    queue.sub(ring, error.data(), product.data(), result.part(0, b), 1);
  }
  result.set_fresh_noise(NoiseSource::fresh_secret);
  result.set_seed(public_seed);
}

}  // namespace nttforge::rlwe
