// SPDX-License-Identifier: Apache-2.0
// Objects of BGV to bytes and back: levels and correction factors travel, hostile bytes are refused.

#include "nttforge/rlwe/serialize.hpp"

#include <algorithm>

#include "nttforge/bgv/testing.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/integer_encoding/testing_bytes.hpp"

namespace nttforge::bgv::testing {
namespace {

using integer_encoding::testing::Bytes;
using integer_encoding::testing::resealed;
using integer_encoding::testing::torture;

constexpr std::size_t kPayload = kHeaderBytes;  // parts, limbs, batch, form, encoding, flags, noise, factor
constexpr std::size_t kLimbsAt = kPayload + 2, kFlagsAt = kPayload + 10, kSourceAt = kPayload + 11,
                      kFactorAt = kPayload + 16;

NTTF_TEST("round trips of BGV: every kind, at every level") {
  Rng rng;
  for (const Parameters& parameters :
       {small_parameters(64, 257, 3, 45), small_parameters(16, 2, 2, 30), small_parameters(16, 65537, 4, 55),
        Parameters::preset(4096), hybrid_parameters(64, 257, 5, 40, 2)}) {
    NTTF_CHECK(parameters_from_bytes(to_bytes(parameters), true) == parameters);
    const Party party(parameters, make_cpu_device(1));
    const ContextPtr& context = party.context;
    const Evaluator& e = party.evaluator;
    const ObjectSizes sizes = parameters.serialized_sizes();
    const Plaintext plain(context, random_values(rng, context->n(), context->t()));
    NTTF_CHECK(plaintext_from_bytes(context, to_bytes(plain)) == plain);
    const SecretKey secret = secret_key_from_bytes(context, to_bytes(party.generator.secret_key()));
    const Encryptor encryptor(public_key_from_bytes(context, to_bytes(party.generator.public_key())));
    const Decryptor decryptor(secret);
    const RelinearizationKey key =
        relinearization_key_from_bytes(context, to_bytes(party.generator.relinearization_key()));
    const RotationKeys rotations = rotation_keys_from_bytes(
        context, to_bytes(party.generator.rotation_keys(std::vector<std::int64_t>{1})));
    const Ciphertext x = encryptor.encrypt(plain, test_seed(3), 5);
    NTTF_CHECK(x == party.encryptor.encrypt(plain, test_seed(3), 5));
    NTTF_CHECK_EQ(to_bytes(x).size(), sizes.ciphertext);
    const Ciphertext seeded = party.secret_encryptor.encrypt(plain);
    NTTF_CHECK_EQ(to_bytes(seeded).size(), sizes.ciphertext_seeded);
    const Ciphertext product = e.multiply(x, seeded);
    for (std::size_t level = 1; level <= context->limbs(); ++level)
      for (const Ciphertext* c : {&x, &seeded, &product}) {
        if (level > c->level()) continue;
        const Ciphertext sent = e.mod_switch_to(*c, level);
        const Bytes bytes = to_bytes(sent);
        NTTF_CHECK(level == context->limbs() || bytes.size() < sizes.ciphertext_three_parts);
        const Ciphertext back = ciphertext_from_bytes(context, bytes);
        NTTF_CHECK(back == sent && back.level() == level && back.factor() == sent.factor());
        NTTF_CHECK(*predicted_noise_budget_bits(back) <= *predicted_noise_budget_bits(sent));
        NTTF_CHECK((*predicted_noise_budget_bits(back) > 0) == (*predicted_noise_budget_bits(sent) > 0));
        NTTF_CHECK(decryptor.decrypt_unchecked(back) == decryptor.decrypt_unchecked(sent));
        if (*predicted_noise_budget_bits(sent) > 0)
          NTTF_CHECK(*predicted_noise_budget_bits(ciphertext_from_bytes(context, to_bytes(sent, false))) > 0);
        else
          NTTF_CHECK_THROWS(to_bytes(sent, false), NoiseError, "above 0 bits, and it is not");
      }
    NTTF_CHECK(decryptor.decrypt(ciphertext_from_bytes(context, to_bytes(seeded))) == plain);
    NTTF_CHECK(e.relinearize(product, key) == e.relinearize(product, party.generator.relinearization_key()));
    NTTF_CHECK(rotations.steps() == std::vector<std::int64_t>{1});
    NTTF_CHECK(read_header(to_bytes(x)).scheme == Scheme::bgv);
  }
}

NTTF_TEST("hostile bytes of BGV: truncated, extended, altered, altered with a right checksum") {
  const Party party(small_parameters(8, 17, 2, 30), make_cpu_device(1));
  const ContextPtr& context = party.context;
  const Plaintext plain(context, std::vector<std::uint64_t>{1, 2, 3});
  const Ciphertext x = party.encryptor.encrypt(plain);
  torture(to_bytes(context->parameters()), [](const Bytes& b) { parameters_from_bytes(b, true); });
  torture(to_bytes(party.generator.secret_key()), [&](const Bytes& b) { secret_key_from_bytes(context, b); });
  torture(to_bytes(party.generator.relinearization_key()),
          [&](const Bytes& b) { relinearization_key_from_bytes(context, b); });
  for (const Ciphertext& c : {x, party.secret_encryptor.encrypt(plain), party.evaluator.mod_switch(x),
                              party.evaluator.multiply(x, x)})
    torture(to_bytes(c), [&](const Bytes& b) { ciphertext_from_bytes(context, b); });
}

NTTF_TEST("hostile bytes of BGV: messages name the field") {
  const auto device = make_cpu_device(1);
  const Party party(small_parameters(8, 17, 3, 30), device);
  const ContextPtr& context = party.context;
  const Ciphertext x = party.encryptor.encrypt_zero(Encoding::slots), lower = party.evaluator.mod_switch(x);
  const auto with = [](Bytes bytes, std::size_t at, std::uint8_t value) {
    bytes[at] = value;
    return resealed(bytes);
  };
  const auto load = [&](const Bytes& bytes) { return ciphertext_from_bytes(context, bytes); };
  const Bytes good = to_bytes(lower);
  NTTF_CHECK(load(good) == lower);
  NTTF_CHECK_THROWS(load(with(good, 10, 1)), FormatError,
                    "the bytes hold an object of BFV, this context is of BGV");
  NTTF_CHECK_THROWS(load(with(good, kLimbsAt, 0)), FormatError,
                    "ciphertext.limbs = 0 is out of range [1, 3]");
  NTTF_CHECK_THROWS(load(with(good, kLimbsAt, 4)), FormatError,
                    "ciphertext.limbs = 4 is out of range [1, 3]");
  NTTF_CHECK_THROWS(load(with(good, kLimbsAt, 3)), FormatError, "ciphertext");  // bytes are missing
  NTTF_CHECK_THROWS(load(with(good, kFactorAt, 0)), FormatError, "ciphertext.correction factor = 0");
  NTTF_CHECK_THROWS(load(with(good, kFactorAt, 17)), FormatError, "ciphertext.correction factor = 17");
  Bytes fresh = good;
  std::fill_n(fresh.begin() + kSourceAt, 5, std::uint8_t{0});  // source and level of the noise
  NTTF_CHECK_THROWS(load(with(fresh, kSourceAt, 2)), FormatError,
                    "a fresh ciphertext has the highest level, 3");
  NTTF_CHECK_THROWS(load(with(good, kFlagsAt, 1)), FormatError, "ciphertext");
  NTTF_CHECK_THROWS(load(with(to_bytes(x), kFactorAt, 16)), FormatError,
                    "a fresh ciphertext has the factor 1");
  // An even t: an even factor is no unit.
  const Party even(small_parameters(8, 16, 3, 30), device);
  const Bytes sent = to_bytes(even.evaluator.mod_switch(even.encryptor.encrypt_zero(Encoding::coefficients)));
  NTTF_CHECK_THROWS(ciphertext_from_bytes(even.context, with(sent, kFactorAt, 6)), FormatError,
                    "ciphertext.correction factor = 6 is not allowed: a unit modulo t = 16");
  Bytes other = rlwe::to_bytes(party.context->parameters());
  other[10] = 1;
  NTTF_CHECK_THROWS(parameters_from_bytes(resealed(other), true), FormatError,
                    "parameters of BFV, expected BGV");
}

}  // namespace
}  // namespace nttforge::bgv::testing
