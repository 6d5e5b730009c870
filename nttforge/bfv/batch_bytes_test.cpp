// SPDX-License-Identifier: Apache-2.0
// Batches in bytes: round trips, sizes said beforehand, hostile fields.

#include "nttforge/base/text/bytes.hpp"
#include "nttforge/bfv/testing.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/rlwe/bytes/format.hpp"

namespace nttforge::bfv::testing {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kBatchAt = kHeaderBytes + 4;  // in plaintexts and ciphertexts

/// The bytes with another batch and a right checksum.
Bytes with_batch(Bytes bytes, std::uint32_t batch) {
  for (std::size_t i = 0; i < 4; ++i) bytes[kBatchAt + i] = static_cast<std::uint8_t>(batch >> (8 * i));
  const std::uint64_t checksum = checksum64(std::span(bytes).first(bytes.size() - kChecksumBytes));
  for (std::size_t i = 0; i < 8; ++i)
    bytes[bytes.size() - 8 + i] = static_cast<std::uint8_t>(checksum >> (8 * i));
  return bytes;
}

NTTF_TEST("bytes of batches: round trips and exact sizes") {
  Rng rng;
  const std::size_t batch = 5;
  for (const Parameters& parameters : {small_parameters(64, 257, 3, 45), small_parameters(8, 2, 1, 30)}) {
    const Party party(parameters, make_cpu_device(1));
    const ContextPtr& context = party.context;
    const ObjectSizes sizes = parameters.serialized_sizes(batch), memory = parameters.memory_sizes(batch);
    const Encoding encoding = context->has_batching() ? Encoding::slots : Encoding::coefficients;
    const Plaintext plain(context, random_values(rng, batch * context->n(), context->t()), encoding, batch);
    NTTF_CHECK_EQ(to_bytes(plain).size(), sizes.plaintext);
    NTTF_CHECK_EQ(8 * plain.words(), memory.plaintext);
    NTTF_CHECK(plaintext_from_bytes(context, to_bytes(plain)) == plain);

    const Ciphertext x = party.encryptor.encrypt(plain), y = party.secret_encryptor.encrypt(plain),
                     product = party.evaluator.multiply(x, y);
    NTTF_CHECK_EQ(to_bytes(x).size(), sizes.ciphertext);
    NTTF_CHECK_EQ(to_bytes(y).size(), sizes.ciphertext_seeded);
    NTTF_CHECK_EQ(to_bytes(product).size(), sizes.ciphertext_three_parts);
    NTTF_CHECK_EQ(8 * x.words(), memory.ciphertext);
    NTTF_CHECK_EQ(8 * product.words(), memory.ciphertext_three_parts);
    for (const Ciphertext* object : {&x, &y, &product}) {
      const Ciphertext back = ciphertext_from_bytes(context, to_bytes(*object));
      NTTF_CHECK(back == *object && back.seed() == object->seed() && back.batch() == batch);
      NTTF_CHECK(to_bytes(back) == to_bytes(*object));
    }
    NTTF_CHECK(ciphertext_from_bytes(context, to_bytes(y)).noise_source() == NoiseSource::fresh_secret);
    // A single one of a batch is written like any single one.
    NTTF_CHECK_EQ(to_bytes(x.element(3)).size(), parameters.serialized_sizes().ciphertext);
    NTTF_CHECK(ciphertext_from_bytes(context, to_bytes(y.element(0))) == y.element(0));
    NTTF_CHECK_EQ(to_bytes(y.element(0)).size(), parameters.serialized_sizes().ciphertext_seeded);
    NTTF_CHECK(ciphertext_from_bytes(context, to_bytes(y.element(4))) == y.element(4));
  }
  NTTF_CHECK_THROWS(small_parameters(8, 2, 1, 30).serialized_sizes(0), ParameterError, "batch = 0");
  NTTF_CHECK_THROWS(small_parameters(8, 2, 1, 30).memory_sizes(kMaxBatch + 1), ParameterError,
                    "batch = 1048577 is out of range [1, 1048576]");
}

NTTF_TEST("bytes of batches: a batch that the payload has not is refused before anything is allocated") {
  Rng rng;
  const Party party(small_parameters(16, 65537, 2, 45), make_cpu_device(1));
  const ContextPtr& context = party.context;
  const Plaintext plain(context, random_values(rng, 3 * 16, 65537), Encoding::slots, 3);
  for (const Ciphertext& object : {party.encryptor.encrypt(plain), party.secret_encryptor.encrypt(plain)}) {
    const auto load = [&](std::uint32_t batch) {
      return ciphertext_from_bytes(context, with_batch(to_bytes(object), batch));
    };
    NTTF_CHECK(load(3) == object);
    for (const std::uint32_t batch : {0u, (1u << 20) + 1, 0x80000003u, ~0u})
      NTTF_CHECK_THROWS(load(batch), FormatError,
                        "ciphertext.batch = " + std::to_string(batch) + " is out of range [1, 1048576]");
    for (const std::uint32_t batch : {1u, 2u, 4u, 6u, 1u << 20})
      NTTF_CHECK_THROWS(load(batch), FormatError, "ciphertext: the payload has");
  }
  const auto load = [&](std::uint32_t batch) {
    return plaintext_from_bytes(context, with_batch(to_bytes(plain), batch));
  };
  NTTF_CHECK(load(3) == plain);
  NTTF_CHECK_THROWS(load(0), FormatError, "plaintext.batch = 0 is out of range [1, 1048576]");
  NTTF_CHECK_THROWS(load((1u << 20) + 1), FormatError, "plaintext.batch = 1048577 is out of range");
  for (const std::uint32_t batch : {1u, 2u, 4u, 1u << 20})
    NTTF_CHECK_THROWS(load(batch), FormatError, "plaintext: the payload has");
  // A residue out of range in the last ciphertext is named with it: its row of limb 1 is all ones.
  Bytes bytes = to_bytes(party.encryptor.encrypt(plain));
  for (std::size_t i = bytes.size() - kChecksumBytes - 6; i < bytes.size() - kChecksumBytes; ++i)
    bytes[i] = 0xFF;
  NTTF_CHECK_THROWS(ciphertext_from_bytes(context, with_batch(bytes, 3)), FormatError,
                    "ciphertext element 2, part[1] limb 1");
}

}  // namespace
}  // namespace nttforge::bfv::testing
