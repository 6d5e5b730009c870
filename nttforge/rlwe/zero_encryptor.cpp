// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/zero_encryptor.hpp"

#include <limits>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/rlwe/sampling.hpp"

namespace nttforge::rlwe {

ZeroEncryptor::ZeroEncryptor(PublicKey key) : context_(key.context()), public_key_(std::move(key)) {
  if (context_ == nullptr) throw ContextError("public key is empty: assign it before use");
}

ZeroEncryptor::ZeroEncryptor(SecretKey key) : context_(key.context()), secret_key_(std::move(key)) {
  if (context_ == nullptr) throw ContextError("secret key is empty: assign it before use");
}

Ciphertext ZeroEncryptor::encrypt(const MessageRows& message, Encoding encoding, const Seed& seed,
                                  std::uint32_t index, std::size_t batch) const {
  Ciphertext result(context_, 2, context_->top(encoding), batch);
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

void ZeroEncryptor::mask_by_public_key(const MessageRows& message, const Seed& seed, std::uint32_t index,
                                       Ciphertext& result) const {
  const RingTables& ring = context_->ring_q();
  const StepTables* division = context_->key_switching(context_->top_level()).division.get();
  const SmallPolynomial u = mask_polynomial(*context_, {seed, Domain::encrypt_u, index});
  const SmallPolynomial errors[] = {error_polynomial(*context_, {seed, Domain::encrypt_error_0, index}),
                                    error_polynomial(*context_, {seed, Domain::encrypt_error_1, index})};
  context_->queue().encrypt_batch(context_->ring_key(), ring, division, public_key_.data(), u, errors,
                                  message, result.form(), result.data(), result.batch());
  result.set_meta(result.meta().fresh(context_->noise_model(), NoiseSource::fresh_public, true));
}

void ZeroEncryptor::mask_by_secret_key(const MessageRows& message, const Seed& seed, std::uint32_t index,
                                       Ciphertext& result) const {
  const Seed public_seed = derive_seed(seed, index);
  // The first k limbs of the secret key are its residues modulo Q.
  context_->queue().encrypt_by_secret(context_->ring_q(), secret_key_.data(),
                                      {public_seed, Domain::encrypt_a, 0},
                                      error_polynomial(*context_, {seed, Domain::encrypt_error_0, index}),
                                      message, result.form(), result.data(), result.batch());
  Meta meta = result.meta().fresh(context_->noise_model(), NoiseSource::fresh_secret, true);
  meta.seed = public_seed;
  result.set_meta(meta);
}

}  // namespace nttforge::rlwe
