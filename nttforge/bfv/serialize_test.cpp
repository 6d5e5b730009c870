// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/serialize.hpp"

#include <algorithm>
#include <cmath>

#include "nttforge/base/error.hpp"
#include "nttforge/base/text/bytes.hpp"
#include "nttforge/bfv/testing.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/integer_encoding/testing_bytes.hpp"
#include "nttforge/rlwe/bytes/format.hpp"

namespace nttforge::bfv::testing {
namespace {

using integer_encoding::testing::Bytes;
using integer_encoding::testing::resealed;
using integer_encoding::testing::torture;

NTTF_TEST("bit packing: every width, odd lengths, limits") {
  Rng rng;
  for (unsigned width = 1; width <= 62; ++width)
    for (std::size_t n : {1u, 2u, 7u, 8u, 33u}) {
      const std::uint64_t modulus =
          (std::uint64_t{1} << (width - 1)) + 1 + rng.below(std::uint64_t{1} << (width - 1));
      std::vector<std::uint64_t> row(n), back(n);
      for (auto& value : row) value = rng.below(modulus);
      row[0] = modulus - 1;
      ByteWriter writer;
      pack_row(row, modulus, writer);
      NTTF_CHECK_EQ(writer.data().size(), row_bytes(n, modulus));
      ByteReader reader(writer.data());
      unpack_row(reader, modulus, back, "row");
      NTTF_CHECK(row == back);
      if (std::uint64_t{1} << width > modulus) {  // the modulus itself fits in the width: must be refused
        ByteWriter bad;
        row[n - 1] = modulus;
        pack_row(row, modulus, bad);
        ByteReader bad_reader(bad.data());
        NTTF_CHECK_THROWS(unpack_row(bad_reader, modulus, back, "row"), FormatError,
                          "is not below its modulus");
      }
    }
  const Bytes padded{0x10};  // three values of one bit, then a bit that should be zero
  ByteReader reader(padded);
  std::vector<std::uint64_t> row(3);
  NTTF_CHECK_THROWS(unpack_row(reader, 2, row, "row"), FormatError, "padding bits");
}

NTTF_TEST("round trips: every kind, exact sizes, usable afterwards") {
  Rng rng;
  const auto device = make_cpu_device(1);
  const Parameters sets[] = {small_parameters(64, 257, 3, 45),
                             small_parameters(8, 2, 1, 30),
                             small_parameters(16, 65537, 2, 55),
                             Parameters::badawi2018(2048),
                             Parameters::preset(4096),
                             hybrid_parameters(64, 257, 5, 40, 2),
                             hybrid_parameters(16, 97, 4, 30, 3, 4)};
  for (const Parameters& parameters : sets) {
    NTTF_CHECK(parameters_from_bytes(to_bytes(parameters), true) == parameters);
    if (parameters.security == SecurityLevel::insecure_by_request) {
      NTTF_CHECK_THROWS(parameters_from_bytes(to_bytes(parameters)), ParameterError, "no security level");
    } else {
      NTTF_CHECK(parameters_from_bytes(to_bytes(parameters)) == parameters);
    }
    const Party party(parameters, device);
    const ContextPtr& context = party.context;
    const ObjectSizes sizes = parameters.serialized_sizes();
    const Encoding encoding = context->has_batching() ? Encoding::slots : Encoding::coefficients;
    const Plaintext plain(context, random_values(rng, context->n(), context->t()), encoding);
    const Bytes plain_bytes = to_bytes(plain);
    NTTF_CHECK_EQ(plain_bytes.size(), sizes.plaintext);
    NTTF_CHECK(plaintext_from_bytes(context, plain_bytes) == plain);

    const Bytes secret_bytes = to_bytes(party.generator.secret_key());
    NTTF_CHECK_EQ(secret_bytes.size(), sizes.secret_key);
    const Decryptor decryptor(secret_key_from_bytes(context, secret_bytes));
    const Bytes public_bytes = to_bytes(party.generator.public_key());
    NTTF_CHECK_EQ(public_bytes.size(), sizes.public_key);
    const Encryptor encryptor(public_key_from_bytes(context, public_bytes));

    const Ciphertext x = encryptor.encrypt(plain, test_seed(3), 5);
    NTTF_CHECK(x == party.encryptor.encrypt(plain, test_seed(3), 5));  // the loaded key has every word
    const Bytes x_bytes = to_bytes(x);
    NTTF_CHECK_EQ(x_bytes.size(), sizes.ciphertext);
    const Ciphertext x_back = ciphertext_from_bytes(context, x_bytes);
    NTTF_CHECK(x_back == x && x_back.noise().coefficient == x.noise().coefficient);
    NTTF_CHECK(!x_back.noise().proved.known() && x.noise().proved.known());
    NTTF_CHECK(x_back.meta().source == NoiseSource::fresh_public);
    NTTF_CHECK(decryptor.decrypt(x_back) == plain);

    const Ciphertext y = party.secret_encryptor.encrypt(plain);
    const Bytes y_bytes = to_bytes(y);
    NTTF_CHECK_EQ(y_bytes.size(), sizes.ciphertext_seeded);
    const Ciphertext y_back = ciphertext_from_bytes(context, y_bytes);
    NTTF_CHECK(y_back == y && y_back.meta().seed == y.meta().seed);
    NTTF_CHECK(y_back.meta().source == NoiseSource::fresh_secret && !y_back.noise().proved.known());
    NTTF_CHECK_EQ(to_bytes(party.evaluator.add(y, y)).size(), sizes.ciphertext);  // no longer seeded

    const Ciphertext product = party.evaluator.multiply(x, y);
    NTTF_CHECK_EQ(to_bytes(product).size(), sizes.ciphertext_three_parts);
    NTTF_CHECK(ciphertext_from_bytes(context, to_bytes(product)) == product);

    const auto key = party.generator.relinearization_key();
    const Bytes key_bytes = to_bytes(key);
    NTTF_CHECK_EQ(key_bytes.size(), sizes.relinearization_key);
    const auto key_back = relinearization_key_from_bytes(context, key_bytes);
    NTTF_CHECK(party.evaluator.relinearize(product, key_back) == party.evaluator.relinearize(product, key));

    const auto rotations = party.generator.rotation_keys(std::vector<std::int64_t>{1, -1}, true);
    const Bytes rotation_bytes = to_bytes(rotations);
    NTTF_CHECK_EQ(rotation_bytes.size(), sizes.rotation_keys_frame + 3 * sizes.rotation_key);
    const auto rotations_back = rotation_keys_from_bytes(context, rotation_bytes);
    NTTF_CHECK(rotations_back.steps() == rotations.steps());
    for (std::uint64_t element : rotations.elements())
      NTTF_CHECK(party.evaluator.apply_galois(x, element, rotations_back) ==
                 party.evaluator.apply_galois(x, element, rotations));
    NTTF_CHECK(read_header(rotation_bytes).scheme == Scheme::bfv);
    NTTF_CHECK(read_header(rotation_bytes).kind == ObjectKind::rotation_keys);
    NTTF_CHECK_EQ(read_header(rotation_bytes).fingerprint, context->fingerprint());
  }
}

NTTF_TEST("fingerprint: a function of the parameters alone") {
  const auto device = make_cpu_device(1);
  const auto a = Context::create(Parameters::preset(4096), device),
             b = Context::create(Parameters::preset(4096), device);
  const auto c = Context::create(Parameters::preset(4096, 40961), device);
  NTTF_CHECK_EQ(a->fingerprint(), b->fingerprint());
  NTTF_CHECK(a->fingerprint() != c->fingerprint());
}

void torture_all(const Parameters& parameters) {
  const Party party(parameters, make_cpu_device(1));
  const ContextPtr& context = party.context;
  const Plaintext plain(context, std::vector<std::uint64_t>{1, 2, 3});
  torture(to_bytes(context->parameters()), [](const Bytes& b) { parameters_from_bytes(b, true); });
  torture(to_bytes(party.generator.secret_key()), [&](const Bytes& b) { secret_key_from_bytes(context, b); });
  torture(to_bytes(party.generator.public_key()), [&](const Bytes& b) { public_key_from_bytes(context, b); });
  torture(to_bytes(party.generator.relinearization_key()),
          [&](const Bytes& b) { relinearization_key_from_bytes(context, b); });
  torture(to_bytes(party.generator.rotation_keys(std::vector<std::int64_t>{1}, true)),
          [&](const Bytes& b) { rotation_keys_from_bytes(context, b); });
  torture(to_bytes(plain), [&](const Bytes& b) { plaintext_from_bytes(context, b); });
  torture(to_bytes(party.encryptor.encrypt(plain)),
          [&](const Bytes& b) { ciphertext_from_bytes(context, b); });
  torture(to_bytes(party.secret_encryptor.encrypt(plain)),
          [&](const Bytes& b) { ciphertext_from_bytes(context, b); });
}

NTTF_TEST("hostile bytes: truncated, extended, altered, altered with a right checksum") {
  torture_all(small_parameters(8, 17, 2, 30));
  torture_all(hybrid_parameters(8, 17, 3, 30, 2));
}

NTTF_TEST("hostile bytes: numbers of special primes and of a digit's primes") {
  const Parameters parameters = hybrid_parameters(8, 17, 3, 30, 2);
  const auto with = [&](std::initializer_list<std::pair<std::size_t, std::uint8_t>> changes) {
    Bytes payload = parameters.canonical_bytes();
    for (const auto& [at, value] : changes) payload[at] = value;
    if (payload[26] == 0) payload.resize(payload.size() - 16);
    return parameters_from_bytes(seal(Scheme::bfv, ObjectKind::parameters, checksum64(payload), payload),
                                 true);
  };
  NTTF_CHECK(with({}) == parameters && with({{23, 1}}).digits() == 3 && with({{23, 3}}).digits() == 1);
  NTTF_CHECK_THROWS(with({{23, 0}}), FormatError, "parameters.primes of a digit = 0 is out of range [1, 24]");
  NTTF_CHECK_THROWS(with({{23, 25}}), FormatError, "parameters.primes of a digit = 25 is out of range");
  NTTF_CHECK_THROWS(with({{23, 4}}), FormatError, "digit_primes = 4 is out of range [1, 3]");
  NTTF_CHECK_THROWS(with({{26, 25}}), FormatError, "parameters.special primes = 25 is out of range [0, 24]");
  NTTF_CHECK_THROWS(with({{27, 1}}), FormatError, "parameters.special primes = 258 is out of range");
  NTTF_CHECK_THROWS(with({{26, 3}}), FormatError, "parameters.p");
  NTTF_CHECK_THROWS(with({{26, 1}}), FormatError, "parameters");
  NTTF_CHECK_THROWS(with({{26, 0}}), FormatError, "digit_primes = 2: without special primes");
  NTTF_CHECK(!with({{26, 0}, {23, 1}}).has_evaluation_keys());
  // Objects of another split of the same primes are refused by their fingerprint.
  const Party party(parameters, make_cpu_device(1));
  const auto other = Context::create(with({{23, 1}}), make_cpu_device(1));
  NTTF_CHECK_THROWS(relinearization_key_from_bytes(other, to_bytes(party.generator.relinearization_key())),
                    ContextError, "was made with other parameters");
}

NTTF_TEST("hostile bytes: messages name the field") {
  const auto device = make_cpu_device(1);
  const Party party(small_parameters(8, 17, 2, 30), device), other(small_parameters(8, 97, 2, 30), device);
  const ContextPtr& context = party.context;
  const Bytes good = to_bytes(party.encryptor.encrypt_zero(Encoding::slots));
  const auto with = [&](std::size_t at, std::uint8_t value) {
    Bytes bytes = good;
    bytes[at] = value;
    return resealed(bytes);
  };
  const auto load = [&](const Bytes& bytes) { return ciphertext_from_bytes(context, bytes); };
  NTTF_CHECK_THROWS(load(Bytes()), FormatError, "0 bytes are too few");
  NTTF_CHECK_THROWS(load(with(0, 'X')), FormatError, "header.magic");
  NTTF_CHECK_THROWS(load(with(8, 2)), FormatError,
                    "header.version = 2 is not supported, this build reads version 1: a newer release");
  NTTF_CHECK_THROWS(load(with(8, 0)), FormatError, "this build reads version 1: no release wrote such bytes");
  NTTF_CHECK_THROWS(load(with(40, 2)), FormatError,
                    "ciphertext.form = 2 must be 0 (coefficients) or 1 (values)");
  NTTF_CHECK_THROWS(load(with(10, 2)), FormatError,
                    "the bytes hold an object of BGV, this context is of BFV");
  for (const int scheme : {0, 4, 5})
    NTTF_CHECK_THROWS(load(with(10, static_cast<std::uint8_t>(scheme))), FormatError,
                      "header.scheme = " + std::to_string(scheme));
  NTTF_CHECK_THROWS(load(with(12, 11)), FormatError, "header.kind = 11 is out of range");
  NTTF_CHECK_THROWS(load(with(12, 6)), FormatError, "the bytes hold plaintext, expected ciphertext");
  NTTF_CHECK_THROWS(load(with(14, 1)), FormatError, "header.reserved = 1 must be 0");
  NTTF_CHECK_THROWS(load(with(24, 0xFF)), FormatError, "header.payload_bytes");
  NTTF_CHECK_THROWS(load(with(31, 0xFF)), FormatError, "header.payload_bytes");
  NTTF_CHECK_THROWS(load(to_bytes(other.encryptor.encrypt_zero(Encoding::slots))), ContextError,
                    "made with other parameters");
  NTTF_CHECK_THROWS(load(with(32, 1)), FormatError, "ciphertext.parts = 1");
  NTTF_CHECK_THROWS(load(with(32, 3)), FormatError, "a fresh ciphertext has two parts");
  NTTF_CHECK_THROWS(load(with(34, 1)), FormatError,
                    "ciphertext.limbs = 1: a fresh ciphertext has the highest level, 2");
  for (const int level : {0, 3})
    NTTF_CHECK_THROWS(load(with(34, static_cast<std::uint8_t>(level))), FormatError,
                      "ciphertext.limbs = " + std::to_string(level) + " is out of range [1, 2]");
  NTTF_CHECK_THROWS(load(with(36, 2)), FormatError, "ciphertext: the payload has 144 bytes");
  NTTF_CHECK_THROWS(load(with(41, 0)), FormatError, "ciphertext.encoding = 0 must be 1 (slots) or 2");
  NTTF_CHECK_THROWS(load(with(41, 3)), FormatError, "ciphertext.encoding = 3 must be 1 (slots) or 2");
  NTTF_CHECK_THROWS(load(with(42, 2)), FormatError, "and they are not rounded");
  NTTF_CHECK_THROWS(load(with(43, 4)), FormatError, "ciphertext.noise source = 4 is out of range [0, 3]");
  NTTF_CHECK_THROWS(load(with(44, 1)), FormatError, "ciphertext.noise level = 1 is out of range [0, 0]");
  NTTF_CHECK_THROWS(load(with(48, 2)), FormatError, "ciphertext.correction factor = 2 must be 1");
  Bytes three = to_bytes(party.evaluator.square(party.encryptor.encrypt_zero(Encoding::slots)));
  three[32] = 2;
  NTTF_CHECK_THROWS(load(resealed(three)), FormatError, "the payload has");
  // A computed bound is between the largest there is and that of a fresh ciphertext.
  const NoiseModel& model = context->noise_model();
  for (const std::int32_t level : {model.lowest_stored_level(2) - 1, model.highest_stored_level(2) + 1}) {
    Bytes bytes = with(43, 3);
    for (std::size_t i = 0; i < 4; ++i)
      bytes[44 + i] = static_cast<std::uint8_t>(static_cast<std::uint32_t>(level) >> (8 * i));
    NTTF_CHECK_THROWS(load(resealed(bytes)), FormatError,
                      "ciphertext.noise level = " + std::to_string(level) + " is out of range");
  }
  // Coefficients where t has no slots.
  const Party even(small_parameters(8, 64, 2, 30), device);
  Bytes claims = to_bytes(even.encryptor.encrypt_zero(Encoding::coefficients));
  claims[41] = 1;
  NTTF_CHECK_THROWS(ciphertext_from_bytes(even.context, resealed(claims)), FormatError,
                    "t = 64 does not allow batching");
  Bytes words = to_bytes(Plaintext(context, Encoding::slots));
  words[32] = 9;
  NTTF_CHECK_THROWS(plaintext_from_bytes(context, resealed(words)), FormatError, "plaintext.encoding = 9");
  // Fields of parameters and keys with one allowed value.
  const auto parameters_with = [&](std::size_t at, std::uint8_t value) {
    Bytes payload = context->parameters().canonical_bytes();
    payload[at] = value;
    return seal(Scheme::bfv, ObjectKind::parameters, checksum64(payload), payload);
  };
  const std::pair<std::size_t, const char*> fields[] = {{16, "parameters.scheme = 9"},
                                                        {18, "parameters.word bits = 9"},
                                                        {22, "unknown security table 9"},
                                                        {23, "digit_primes = 9 is out of range [1, 2]"},
                                                        {26, "parameters.p"},
                                                        {28, "secret weight = 9: the coefficients of a"}};
  for (const auto& [at, text] : fields)
    NTTF_CHECK_THROWS(parameters_from_bytes(parameters_with(at, 9), true), FormatError, text);
  NTTF_CHECK(parameters_from_bytes(parameters_with(16, 1), true) == context->parameters());
  Bytes key = to_bytes(party.generator.relinearization_key());
  for (const auto& [at, text] : {std::pair{32, "relinearization key.primes = 9 is out of range [2, 3]"},
                                 std::pair{34, "relinearization key.digits = 9 must be 2"},
                                 std::pair{36, "relinearization key.count = 9 must be 1"}}) {
    Bytes bytes = key;
    bytes[static_cast<std::size_t>(at)] = 9;
    NTTF_CHECK_THROWS(relinearization_key_from_bytes(context, resealed(bytes)), FormatError, text);
  }
  Bytes high = good;  // all ones: the first residue is above its modulus
  for (std::size_t i = 56; i < 64; ++i) high[i] = 0xFF;
  NTTF_CHECK_THROWS(load(resealed(high)), FormatError, "ciphertext part[0] limb 0: value");
  Bytes altered = good;
  altered[60] ^= 4;
  NTTF_CHECK_THROWS(load(altered), FormatError, "checksum does not match");
  // Rotation keys out of order or twice.
  const Bytes rotations = to_bytes(party.generator.rotation_keys(std::vector<std::int64_t>{1}, true));
  const auto entry = static_cast<std::ptrdiff_t>(context->parameters().serialized_sizes().rotation_key);
  Bytes reordered = rotations, repeated = rotations;
  std::swap_ranges(reordered.begin() + 40, reordered.begin() + 40 + entry, reordered.begin() + 40 + entry);
  std::copy(rotations.begin() + 40, rotations.begin() + 40 + entry, repeated.begin() + 40 + entry);
  NTTF_CHECK_THROWS(rotation_keys_from_bytes(context, resealed(reordered)), FormatError,
                    "in increasing order");
  NTTF_CHECK_THROWS(rotation_keys_from_bytes(context, resealed(repeated)), FormatError,
                    "in increasing order");
  // Parameters that a set must not have are refused when loaded as well.
  Parameters weak = Parameters::preset(4096);
  weak.n = 2048;
  const Bytes payload = weak.canonical_bytes();
  NTTF_CHECK_THROWS(
      parameters_from_bytes(seal(Scheme::bfv, ObjectKind::parameters, checksum64(payload), payload)),
      FormatError, "is not reached");
  // The table that a level is by belongs to the set; one that does not exist is refused.
  const Parameters old = Parameters::preset(4096, 0, SecurityLevel::classical128, SecurityTable::hes2018);
  NTTF_CHECK(parameters_from_bytes(to_bytes(old), false, SecurityTable::hes2018) == old);
  NTTF_CHECK(parameters_from_bytes(to_bytes(old), true) == old);
  NTTF_CHECK_THROWS(parameters_from_bytes(to_bytes(old)), ParameterError,
                    "or pass security_table = hes2018 if you accept theirs");
  const Parameters strict = Parameters::preset(4096);  // who takes the older table takes the stricter one
  NTTF_CHECK(parameters_from_bytes(to_bytes(strict), false, SecurityTable::hes2018) == strict);
  Parameters within = strict;  // a set that claims the older table, and is within the stricter one
  within.security_table = SecurityTable::hes2018;
  NTTF_CHECK(parameters_from_bytes(to_bytes(within)) == within);
  Parameters claims_more = old, unknown = old;
  claims_more.security_table = SecurityTable::guidelines2024;
  unknown.security_table = static_cast<SecurityTable>(3);
  for (const auto& [bad, expected] :
       {std::pair{claims_more, "exceeds the 106 bits"}, std::pair{unknown, "unknown security table 3"}}) {
    const Bytes stored = bad.canonical_bytes();
    NTTF_CHECK_THROWS(
        parameters_from_bytes(seal(Scheme::bfv, ObjectKind::parameters, checksum64(stored), stored)),
        FormatError, expected);
  }
}

NTTF_TEST("noise in bytes: coarse after a plaintext factor, exact when fresh, absent on request") {
  const Party party(Parameters::preset(4096), make_cpu_device(1));
  const ContextPtr& context = party.context;
  const auto stored = [&](const Ciphertext& c, bool noise = true) {
    return ciphertext_from_bytes(context, to_bytes(c, noise));
  };
  // All factors of up to 15 bits are stored as one of two bounds; also 1, which changes nothing, differs from
  // fresh.
  std::vector<double> bounds;
  for (const Encryptor* encryptor : {&party.encryptor, &party.secret_encryptor}) {
    const Ciphertext x =
        encryptor->encrypt(Plaintext::constant(context, 3, Encoding::slots), test_seed(1), 0);
    bounds.clear();
    for (std::int64_t w = 0; w < 32768; w = w < 64 ? w + 1 : w + 509) {
      const Ciphertext product =
          party.evaluator.multiply_plain(x, Plaintext::constant(context, w, Encoding::slots));
      NTTF_CHECK(product.meta().source == NoiseSource::computed);
      const Ciphertext read = stored(product);
      NTTF_CHECK(read == product && read.meta().source == NoiseSource::computed);
      NTTF_CHECK(*predicted_noise_budget_bits(read) <= *predicted_noise_budget_bits(product));
      NTTF_CHECK(*predicted_noise_budget_bits(read) > 0);
      bounds.push_back(read.noise().coefficient);
      const Ciphertext silent = stored(product, false);
      NTTF_CHECK(silent == product && *predicted_noise_budget_bits(silent) > 0);
      NTTF_CHECK(*predicted_noise_budget_bits(silent) <= kNoiseStep && !silent.noise().proved.known());
    }
    std::sort(bounds.begin(), bounds.end());
    NTTF_CHECK(std::unique(bounds.begin(), bounds.end()) - bounds.begin() <= 2);
  }
  Ciphertext x = party.encryptor.encrypt_zero(Encoding::slots);
  NTTF_CHECK_EQ(to_bytes(x, false).size(), context->parameters().serialized_sizes().ciphertext);
  // At the limit: a step below it is told, at it nothing can be.
  const double limit = context->noise_model().limit_log2(x.level());
  const double last = (std::ceil(limit / kNoiseStep) - 1) * kNoiseStep;
  x.set_noise({last, last, 0});
  NTTF_CHECK(*predicted_noise_budget_bits(stored(x, false)) > 0);
  x.set_noise({last + kNoiseStep, last, 0});
  NTTF_CHECK_THROWS(to_bytes(x, false), NoiseError, "above 0 bits, and it is not");
  x.set_noise(Noise::unknown());
  NTTF_CHECK_THROWS(to_bytes(x, false), NoiseError, "and nothing is known of it");
  NTTF_CHECK(!stored(x).noise().known());
}

NTTF_TEST("a checksum that mixes: pairs of flips in the same bit are refused") {
  const Party party(Parameters::preset(1024), make_cpu_device(1));
  const Bytes good = to_bytes(party.encryptor.encrypt_zero(Encoding::coefficients));
  Rng rng;
  for (int trial = 0; trial < 600; ++trial) {
    const std::size_t words = good.size() / 8;
    const std::size_t a = 7 + rng.below(words - 8), b = 7 + rng.below(words - 8);
    if (a == b) continue;
    const unsigned bit = trial < 300 ? 63 : static_cast<unsigned>(rng.below(64));
    Bytes bytes = good;
    for (std::size_t word : {a, b})
      bytes[8 * word + bit / 8] = static_cast<std::uint8_t>(bytes[8 * word + bit / 8] ^ (1u << bit % 8));
    NTTF_CHECK_THROWS(ciphertext_from_bytes(party.context, bytes), FormatError, "checksum does not match");
  }
}

NTTF_TEST("byte layout is the documented one") {
  const Party party(small_parameters(8, 17, 2, 30), make_cpu_device(1));
  const Bytes bytes = to_bytes(Plaintext(party.context, std::vector<std::uint64_t>{1, 2, 3, 16}));
  // 32 header bytes, 8 of fields, 8 values of 5 bits, checksum.
  NTTF_CHECK_EQ(bytes.size(), std::size_t{32 + 8 + 5 + 8});
  NTTF_CHECK(std::string(bytes.begin(), bytes.begin() + 8) == "nttforge");
  NTTF_CHECK_EQ(bytes[8] + 256 * bytes[9], 1);    // version
  NTTF_CHECK_EQ(bytes[10] + 256 * bytes[11], 1);  // BFV
  NTTF_CHECK_EQ(bytes[12] + 256 * bytes[13], 6);  // plaintext
  NTTF_CHECK_EQ(bytes[24], 13);                   // payload bytes
  NTTF_CHECK_EQ(bytes[32], 2);                    // coefficients
  NTTF_CHECK_EQ(bytes[36], 1);                    // batch
  NTTF_CHECK_EQ(bytes[40], 1 | ((2 << 5) & 0xFF));
  NTTF_CHECK_EQ(bytes[41], (2 >> 3) | (3 << 2) | ((16 << 7) & 0xFF));
  NTTF_CHECK_EQ(bytes[42], 16 >> 1);
}

}  // namespace
}  // namespace nttforge::bfv::testing
