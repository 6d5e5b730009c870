// SPDX-License-Identifier: Apache-2.0
// Batches in bytes: round trips, sizes said beforehand, hostile fields.

#include <span>
#include <vector>

#include "nttforge/base/text/bytes.hpp"
#include "nttforge/bfv/testing.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/integer_encoding/testing_bytes.hpp"
#include "nttforge/rlwe/bytes/format.hpp"

namespace nttforge::bfv::testing {
namespace {

using integer_encoding::testing::Bytes;
using integer_encoding::testing::torture;

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
      NTTF_CHECK(back == *object && back.meta().seed == object->meta().seed && back.batch() == batch);
      NTTF_CHECK(to_bytes(back) == to_bytes(*object));
    }
    NTTF_CHECK(ciphertext_from_bytes(context, to_bytes(y)).meta().source == NoiseSource::fresh_secret);
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

std::vector<Bytes> elements_of(const Ciphertext& batch, std::size_t first, std::size_t count, bool noise) {
  std::vector<Bytes> all(count, Bytes(element_bytes(batch, noise), 0xA5));
  const std::vector<std::span<std::uint8_t>> places(all.begin(), all.end());
  elements_to_bytes(batch, first, noise, places);
  return all;
}

/// Elements of a batch, written as if each was alone, and read back as one object.
void check_elements(const ContextPtr& context, const Ciphertext& batch, bool noise) {
  std::vector<Bytes> alone;
  std::vector<Ciphertext> read;
  std::vector<const Ciphertext*> terms;
  std::vector<std::span<const std::uint8_t>> objects;
  for (std::size_t e = 0; e < batch.batch(); ++e) {
    Ciphertext one = batch.element(e);
    one.set_meta(one.meta().without_seed());
    alone.push_back(to_bytes(one, noise));
  }
  for (const Bytes& bytes : alone) {
    objects.push_back(bytes);
    read.push_back(ciphertext_from_bytes(context, bytes));
  }
  for (const Ciphertext& one : read) terms.push_back(&one);
  NTTF_CHECK(elements_of(batch, 0, batch.batch(), noise) == alone);
  NTTF_CHECK(elements_of(batch, 2, 2, noise) == std::vector<Bytes>({alone[2], alone[3]}));
  const Ciphertext stacked = Ciphertext::stack(terms), found = stack_from_bytes(context, objects);
  NTTF_CHECK(found == stacked && to_bytes(found) == to_bytes(stacked));
  NTTF_CHECK(found.meta().seed == stacked.meta().seed && found.meta().source == stacked.meta().source);
  NTTF_CHECK(found.noise() == stacked.noise() && found.meta().stored_bits == stacked.meta().stored_bits);
}

NTTF_TEST("bytes of batches: elements leave and come together with the bytes and words of each alone") {
  Rng rng;
  const std::size_t batch = 5;
  for (const unsigned word_bits : {64u, 32u}) {
    Parameters parameters = small_parameters(64, 257, 3, word_bits == 64 ? 45 : 29);
    parameters.word_bits = word_bits;
    const Party party(parameters, make_cpu_device(2));
    const ContextPtr& context = party.context;
    const Plaintext plain(context, random_values(rng, batch * 64, 257), Encoding::slots, batch);
    const Ciphertext x = party.encryptor.encrypt(plain), y = party.secret_encryptor.encrypt(plain),
                     product = party.evaluator.multiply(x, y), small = party.evaluator.shrink(x, 1);
    NTTF_CHECK(small.meta().rounded());
    for (const Ciphertext* one : {&x, &y, &product, &small}) check_elements(context, *one, true);
    check_elements(context, small, false);
    // Seeds of their own, as clients send them; and ciphertexts that are no batch of one kind.
    std::vector<Bytes> sent;
    for (int i = 0; i < 3; ++i)
      sent.push_back(to_bytes(party.secret_encryptor.encrypt(plain.element(static_cast<std::size_t>(i)))));
    const auto load = [&](const std::vector<Bytes>& objects) {
      const std::vector<std::span<const std::uint8_t>> spans(objects.begin(), objects.end());
      return stack_from_bytes(context, spans);
    };
    const Ciphertext together = load(sent);
    for (std::size_t e = 0; e < 3; ++e)
      NTTF_CHECK(together.element(e) == ciphertext_from_bytes(context, sent[e]));
    const Bytes whole = to_bytes(y), lower = to_bytes(party.evaluator.mod_switch(x));
    NTTF_CHECK_EQ(load({sent[0], whole, sent[1]}).batch(), std::size_t{7});
    NTTF_CHECK_THROWS(load({sent[0], lower}), ParameterError, "they must agree");
    NTTF_CHECK_THROWS(load({}), SizeError, "objects is empty");
    NTTF_CHECK_THROWS(elements_of(x, 4, 2, true), SizeError, "count = 2");
    NTTF_CHECK_THROWS(elements_of(x, 0, 0, true), SizeError, "count = 0");
    Bytes few(element_bytes(x) - 1);
    const std::span<std::uint8_t> place = few;
    NTTF_CHECK_THROWS(elements_to_bytes(x, 0, true, {&place, 1}), SizeError, "an element takes");
    // Each object is checked as if it was alone, and a residue out of range is found in its element.
    Bytes bytes = sent[1];
    bytes[kHeaderBytes + 60] = static_cast<std::uint8_t>(bytes[kHeaderBytes + 60] ^ 1);
    NTTF_CHECK_THROWS(load({sent[0], bytes}), FormatError, "checksum");
    for (std::size_t i = bytes.size() - kChecksumBytes - 6; i < bytes.size() - kChecksumBytes; ++i)
      bytes[i] = 0xFF;
    bytes = with_batch(bytes, 1);
    NTTF_CHECK_THROWS(load({sent[0], bytes}), FormatError, "ciphertext element 1, part[0] limb 2");
  }
}

NTTF_TEST("bytes of batches: hostile bytes beside right ones are refused as they are alone") {
  const Party party(small_parameters(8, 17, 2, 30), make_cpu_device(1));
  const ContextPtr& context = party.context;
  Rng rng;
  const Plaintext plain(context, random_values(rng, 8, 17), Encoding::slots);
  const Bytes good = to_bytes(party.secret_encryptor.encrypt(plain));
  torture(good, [&](const Bytes& hostile) {
    const std::vector<std::span<const std::uint8_t>> objects{good, hostile, good};
    bool alone = true;
    try {
      ciphertext_from_bytes(context, hostile);
    } catch (const Error&) {
      alone = false;
    }
    try {
      const Ciphertext found = stack_from_bytes(context, objects);
      NTTF_CHECK(alone && found.element(found.batch() - 1) == found.element(0));
      return found;
    } catch (const ParameterError&) {  // a right ciphertext, of another kind
      NTTF_CHECK(alone);
      throw FormatError("not alike");
    } catch (const Error&) {
      NTTF_CHECK(!alone);
      throw;
    }
  });
}

}  // namespace
}  // namespace nttforge::bfv::testing
