// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything that BFV needs on one device, from one seed, and what it computes: two devices must compute the
// same words, and the slots must be those of the definition.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/gpu_bfv_sets.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/bfv/bfv.hpp"
#include "nttforge/rlwe/galois.hpp"

namespace nttforge::bench {

struct BfvParty {
  bfv::ContextPtr context;
  bfv::KeyGenerator generator;
  bfv::BatchEncoder encoder;
  bfv::Encryptor encryptor;
  bfv::Decryptor decryptor;
  bfv::Evaluator evaluator;
  bfv::RelinearizationKey relinearization;
  bfv::RotationKeys rotations;

  BfvParty(const bfv::Parameters& parameters, std::shared_ptr<const Device> device, const Seed& seed)
      : context(bfv::Context::create(parameters, std::move(device))),
        generator(context, seed),
        encoder(context),
        encryptor(generator.public_key()),
        decryptor(generator.secret_key()),
        evaluator(context),
        relinearization(generator.relinearization_key()),
        rotations(generator.rotation_keys(std::vector<std::int64_t>{1})) {}

  bfv::Ciphertext rotate(const bfv::Ciphertext& x) const { return evaluator.rotate_rows(x, 1, rotations); }
};

/// Words and bytes that a party made, each with a name.
struct BfvTranscript {
  std::vector<std::pair<std::string, std::vector<std::uint64_t>>> words;
  std::vector<std::pair<std::string, std::vector<std::uint8_t>>> bytes;
  std::vector<std::uint64_t> rotated_slots;  ///< [batch][n] of the rotated products
};

inline BfvTranscript transcript_of(const BfvParty& party, const Seed& seed, std::size_t batch) {
  const std::size_t n = party.context->n();
  const std::uint64_t t = party.context->t();
  const auto encrypted = [&](std::uint64_t state, std::uint32_t index) {
    return party.encryptor.encrypt(
        party.encoder.encode(std::span<const std::uint64_t>(slot_values(batch * n, t, state)), batch), seed,
        index);
  };
  const bfv::Ciphertext x = encrypted(1, 0), y = encrypted(2, static_cast<std::uint32_t>(batch));
  const bfv::Ciphertext product = party.evaluator.multiply_relinearize(x, y, party.relinearization);
  const bfv::Ciphertext rotated = party.rotate(product);
  const bfv::Plaintext plain = party.decryptor.decrypt(rotated);
  BfvTranscript made;
  made.words = {{"encryption", x.residues()},
                {"product", product.residues()},
                {"rotation", rotated.residues()},
                {"decryption", plain.coefficients()}};
  made.rotated_slots = party.encoder.decode(plain);
  return made;
}

/// throws Error naming what differs between the devices or from the definition.
inline void require_same(const BfvParty& party, const BfvParty& reference, const Seed& seed,
                         std::size_t batch) {
  const std::string set =
      " (" + reference.context->parameters().describe() + ", batch of " + std::to_string(batch) + ")";
  const BfvTranscript made = transcript_of(party, seed, batch),
                      wanted = transcript_of(reference, seed, batch);
  for (std::size_t i = 0; i < made.words.size(); ++i)
    if (made.words[i].second != wanted.words[i].second)
      throw Error(party.context->device().name() + ": the words of the " + made.words[i].first +
                  " are not those of the CPU, so nothing of this set is timed" + set);
  if (to_bytes(party.relinearization) != to_bytes(reference.relinearization) ||
      to_bytes(party.rotations) != to_bytes(reference.rotations))
    throw Error(
        party.context->device().name() +
        ": the bytes of the evaluation keys are not those of the CPU, so nothing of this set is timed" + set);
  const std::size_t n = party.context->n(), row = n / 2;
  const std::uint64_t t = party.context->t();
  const auto a = slot_values(batch * n, t, 1), b = slot_values(batch * n, t, 2);
  for (std::size_t i = 0; i < batch * n; ++i) {
    const std::size_t from = i / row * row + (i % row + 1) % row;
    if (made.rotated_slots[i] != a[from] * b[from] % t)
      throw Error(party.context->device().name() + ": slot " + std::to_string(i) +
                  " of a rotated product is wrong, so nothing of this set is timed" + set);
  }
}

}  // namespace nttforge::bench
