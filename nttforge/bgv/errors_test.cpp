// SPDX-License-Identifier: Apache-2.0
// What bad input gets: type, message, operands unchanged.

#include "nttforge/base/error.hpp"
#include "nttforge/bgv/testing.hpp"
#include "nttforge/device/make_device.hpp"

namespace nttforge::bgv::testing {
namespace {

struct Fixture {
  std::shared_ptr<const Device> device = make_cpu_device(1);
  Party party{small_parameters(16, 97), device};
  Party other{small_parameters(16, 257), device, 2};
  Plaintext plain{party.context, Values{1, 2, 3}, Encoding::slots};
  Plaintext foreign_plain{other.context, Values{1}, Encoding::slots};
  Ciphertext x = party.encryptor.encrypt(plain);
  Ciphertext foreign = other.encryptor.encrypt(foreign_plain);
  Ciphertext three = party.evaluator.multiply(x, x);
  RelinearizationKey key = party.generator.relinearization_key();
  RotationKeys rotations = party.generator.rotation_keys(std::vector<std::int64_t>{1});
};

NTTF_TEST("bad parameters of BGV: the field, its value, what is allowed") {
  const auto q = ntt_primes(4096, 36, 3);
  const auto make = [](std::size_t n, std::uint64_t t, std::vector<std::uint64_t> primes,
                       std::uint64_t p = 0) {
    return Parameters::custom(n, t, std::move(primes), p, SecurityLevel::insecure_by_request);
  };
  NTTF_CHECK_THROWS(make(4095, 2, q), ParameterError, "n = 4095 is not allowed");
  NTTF_CHECK_THROWS(make(4096, 2, {}), ParameterError, "q is empty");
  NTTF_CHECK_THROWS(make(4096, 2, {q[0], q[1], q[0]}), ParameterError, "q[0] and q[2] are both");
  NTTF_CHECK_THROWS(make(4096, 2, {q[0]}, q[0]), ParameterError, "is also q[0]");
  NTTF_CHECK_THROWS(make(4096, 2, {97}), ParameterError, "q[0] = 97 does not support n = 4096");
  NTTF_CHECK_THROWS(make(4096, 2, {8192 * 3 + 2}), ParameterError, "q[0] = 24578 is composite");
  NTTF_CHECK_THROWS(make(4096, 1, {q[0]}), ParameterError, "t = 1 is out of range");
  NTTF_CHECK_THROWS(make(4096, std::uint64_t{1} << 60, q), ParameterError, "is out of range");
  NTTF_CHECK_THROWS(make(4096, q[1], {q[0], q[1]}), ParameterError, "shares the factor");
  NTTF_CHECK_THROWS(make(4096, q[1], {q[0], q[2]}, q[1]), ParameterError, "with special: t must be coprime");
  NTTF_CHECK_THROWS(make(4096, std::uint64_t{1} << 35, {q[0]}), ParameterError,
                    "is too large for log2 Q = 36");
  NTTF_CHECK_THROWS(Parameters::custom(4096, 2, q, ntt_primes(4096, 50, 1)[0]), ParameterError,
                    "this level allows log2(Q p) <= 106, the set has 158");
  NTTF_CHECK_THROWS(Parameters::preset(3000), ParameterError, "n = 3000 has no preset");
  NTTF_CHECK_THROWS(Parameters::preset(65536), ParameterError, "n = 65536 has no preset");
  NTTF_CHECK_THROWS(Parameters::preset(4096, 1), ParameterError, "t = 1 is out of range");
  NTTF_CHECK_THROWS(Parameters::preset(1024, 65537), ParameterError, "t = 65537 is too large for n = 1024");
  NTTF_CHECK_THROWS(Parameters::preset(1024, 0, SecurityLevel::classical256), ParameterError,
                    "n = 1024 has no preset for classical256");
  NTTF_CHECK_THROWS(Parameters::preset(4096, 0, SecurityLevel::insecure_by_request), ParameterError,
                    "presets are secure");
  Parameters bfv = small_parameters(16, 97);
  bfv.scheme = rlwe::Scheme::bfv;
  NTTF_CHECK_THROWS(bfv.validate(), ParameterError, "scheme = BFV: these are parameters of BGV");
  NTTF_CHECK_THROWS(Context::create(small_parameters(16, 97), nullptr), ParameterError, "device is null");
}

NTTF_TEST("presets of BGV: any t that has room, every level and table") {
  NTTF_CHECK_EQ(Parameters::preset(8192).t, 65537u);
  NTTF_CHECK(Parameters::preset(1024).has_batching());
  for (const std::uint64_t t : {std::uint64_t{2}, std::uint64_t{1000}, (std::uint64_t{1} << 60) - 1})
    NTTF_CHECK_EQ(Parameters::preset(16384, t).t, t);
  for (const SecurityLevel level :
       {SecurityLevel::classical128, SecurityLevel::classical192, SecurityLevel::classical256})
    for (const SecurityTable table : {SecurityTable::guidelines2024, SecurityTable::hes2018}) {
      const Parameters p = Parameters::preset(8192, 0, level, table);
      NTTF_CHECK(p.security_verdict().bits >= security_level_bits(level));
      NTTF_CHECK(p.modulus_bits() <= max_modulus_bits(8192, level, table));
    }
}

NTTF_TEST("bad operands of BGV: contexts, encodings, parts, levels, keys; operands unchanged") {
  const Fixture f;
  const Evaluator& e = f.party.evaluator;
  const char* text = "belongs to another context";
  NTTF_CHECK_THROWS(e.add(f.x, f.foreign), ContextError, "b belongs to another context");
  NTTF_CHECK_THROWS(e.multiply(f.foreign, f.x), ContextError, "a belongs to another context");
  NTTF_CHECK_THROWS(e.multiply(f.x, f.foreign), ContextError, "b belongs to another context");
  NTTF_CHECK_THROWS(e.mod_switch(f.foreign), ContextError, text);
  NTTF_CHECK_THROWS(e.mod_switch_to(f.foreign, 1), ContextError, text);
  NTTF_CHECK_THROWS(e.multiply_plain(f.x, f.foreign_plain), ContextError, text);
  NTTF_CHECK_THROWS(e.relinearize(f.three, f.other.generator.relinearization_key()), ContextError, text);
  NTTF_CHECK_THROWS(f.party.encryptor.encrypt(f.foreign_plain), ContextError, text);
  NTTF_CHECK_THROWS(f.party.decryptor.decrypt(f.foreign), ContextError, text);
  NTTF_CHECK_THROWS(e.multiply(f.x, Ciphertext()), ContextError, "b is empty");
  NTTF_CHECK_THROWS(e.multiply(f.three, f.x), ParameterError, "a has 3 parts");
  NTTF_CHECK_THROWS(e.multiply(f.x, f.three), ParameterError, "b has 3 parts");
  NTTF_CHECK_THROWS(e.square(f.three), ParameterError, "relinearize it first");
  NTTF_CHECK_THROWS(e.rotate_rows(f.three, 1, f.rotations), ParameterError, "a has 3 parts");
  NTTF_CHECK_THROWS(e.rotate_rows(f.x, 2, f.rotations), MissingKeyError, "2");
  NTTF_CHECK_THROWS(e.mod_switch_to(f.x, 0), ParameterError, "level = 0 is out of range [1, 3]");
  NTTF_CHECK_THROWS(e.mod_switch_to(f.x, 4), ParameterError, "levels only go down");
  NTTF_CHECK_THROWS(e.mod_switch_to(e.mod_switch_to(f.x, 1), 2), ParameterError, "a is at level 1");
  NTTF_CHECK_THROWS(e.mod_switch(e.mod_switch_to(f.x, 1)), ParameterError, "a is at level 1, the lowest");
  const Ciphertext coefficients = f.party.encryptor.encrypt_zero(Encoding::coefficients);
  NTTF_CHECK_THROWS(e.multiply(f.x, coefficients), ParameterError,
                    "a is encoded as slots and b as coefficients");
  NTTF_CHECK_THROWS(e.add(f.x, coefficients), ParameterError, "both need the same encoding");
  const Ciphertext* own[] = {&f.x, &f.x};
  const Ciphertext* mixed[] = {&f.x, &f.foreign};
  const Ciphertext* long_one[] = {&f.x, &f.three};
  NTTF_CHECK_THROWS(e.dot_product(own, mixed), ContextError, "b[1] belongs to another context");
  NTTF_CHECK_THROWS(e.dot_product(long_one, own), ParameterError, "a[1] has 3 parts");
  NTTF_CHECK_THROWS(e.dot_product(own, std::span<const Ciphertext* const>(own, 1)), SizeError,
                    "a has 2 terms and b has 1");
  NTTF_CHECK_THROWS(Ciphertext(f.party.context, 2, Meta{{0}}), ParameterError, "level = 0");
  NTTF_CHECK_THROWS(Ciphertext(f.party.context, 2, Meta{{4}}), ParameterError, "level = 4");
  NTTF_CHECK_THROWS(f.party.context->require_message({CiphertextKind{.factor = 0}}), ParameterError,
                    "correction factor = 0");
  NTTF_CHECK_THROWS(f.party.context->require_message({CiphertextKind{.factor = 97}}), ParameterError,
                    "a unit modulo t = 97");
  NTTF_CHECK_THROWS(Evaluator(nullptr), ContextError, "context is null");

  Ciphertext target = e.mod_switch(f.x);
  const Ciphertext before = target;
  NTTF_CHECK_THROWS(e.add_in_place(target, f.foreign), ContextError, text);
  NTTF_CHECK_THROWS(e.sub_in_place(target, coefficients), ParameterError, "same encoding");
  NTTF_CHECK(target == before);
  NTTF_CHECK(f.party.decryptor.decrypt(f.x) == f.plain);
}

NTTF_TEST("exhausted noise of BGV: decryption refuses, by prediction and by measure, unless asked by name") {
  const Fixture f;
  const Decryptor& decryptor = f.party.decryptor;
  Ciphertext claimed = f.x;
  claimed.set_noise({1000, 1000});
  NTTF_CHECK_THROWS(decryptor.decrypt(claimed), NoiseError, "its predicted noise budget is -8");
  NTTF_CHECK(decryptor.decrypt_unchecked(claimed) == f.plain);
  const Party stranger(f.party.context, 3);
  NTTF_CHECK_THROWS(stranger.decryptor.decrypt(f.x), NoiseError, "measured with the secret key");
  Ciphertext deep = f.x;
  while (decryptor.noise_budget_bits(deep) > 0) deep = f.party.evaluator.square_relinearize(deep, f.key);
  NTTF_CHECK(predicted_noise_budget_bits(deep) < 0.0);
  Ciphertext unknown = deep;
  unknown.set_noise(Noise::unknown());
  NTTF_CHECK_THROWS(decryptor.decrypt(unknown), NoiseError, "measured with the secret key");
  NTTF_CHECK(decryptor.decrypt_unchecked(unknown) == decryptor.decrypt_unchecked(deep));
}

NTTF_TEST("without a special prime: no keys, products with three parts, levels all the same") {
  const Party party(small_parameters(16, 97, 3, 45, false), make_cpu_device(1));
  const Plaintext plain(party.context, Values{3}, Encoding::coefficients);
  const Ciphertext x = party.encryptor.encrypt(plain), product = party.evaluator.multiply(x, x);
  NTTF_CHECK_EQ(party.decryptor.decrypt(product).coefficients()[0], 9u);
  NTTF_CHECK_EQ(party.decryptor.decrypt(party.evaluator.mod_switch(product)).coefficients()[0], 9u);
  NTTF_CHECK_THROWS(party.generator.relinearization_key(), UnsupportedError, "special = []");
  NTTF_CHECK_THROWS(party.evaluator.relinearize(product, RelinearizationKey()), UnsupportedError,
                    "special = []");
}

}  // namespace
}  // namespace nttforge::bgv::testing
