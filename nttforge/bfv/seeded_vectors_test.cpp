// SPDX-License-Identifier: Apache-2.0
// Keys, ciphertexts and slots against the oracle's bfv_seeded.json and galois.json: word for word from the
// seeds, on every target that this machine can run.

#include <cmath>
#include <string>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/bfv/evaluator.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/integer_encoding/batch_encoder.hpp"
#include "nttforge/integer_encoding/decryptor.hpp"
#include "nttforge/integer_encoding/encryptor.hpp"
#include "nttforge/integer_encoding/testing_seeded.hpp"
#include "nttforge/rlwe/galois.hpp"

using namespace nttforge;
using namespace nttforge::bfv;
using namespace nttforge::integer_encoding::testing;
using nttforge::testing::load_vectors;

namespace {

std::uint64_t splitmix64(std::uint64_t i) {
  std::uint64_t z = i + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

ContextPtr context_of(const Json& c, Target target) {
  return Context::create(parameters_of<Parameters>(c), make_cpu_device(1, target));
}

double budget_of(const Json& entry, const Context& context) {
  const BigUint noise = BigUint::from_decimal(entry.at("noise").as_string());
  return RnsBase(context.parameters().q).product().log2() - (noise * 2).log2();
}

void check_seeded(const Json& c, const Seed& key_seed, const Seed& seed, Target target) {
  const ContextPtr context = context_of(c, target);
  const KeyGenerator generator(context, key_seed);
  check_keys(c, generator);
  const PublicKey public_key = generator.public_key();
  const SecretKey secret = generator.secret_key();
  const RelinearizationKey relinearization = generator.relinearization_key();
  const Decryptor decryptor(secret);
  const auto check = [&](const Ciphertext& x, const std::string& name) {
    const Json& expected = named(c.at("ciphertexts"), name);
    if (!same_words(x.residues(), expected, "parts"))
      nttforge::testing::fail(__FILE__, __LINE__, name + " on " + std::string(target_name(target)));
    const double budget = std::max(budget_of(expected, *context), 0.0);
    NTTF_CHECK(std::abs(decryptor.noise_budget_bits(x) - budget) < 1e-6);
  };
  const Plaintext plain_x(context, c.at("plain_x").as_u64_vector());
  const Plaintext plain_y(context, c.at("plain_y").as_u64_vector());
  const Ciphertext x = Encryptor(public_key).encrypt(plain_x, seed, 0);
  const Ciphertext y = Encryptor(secret).encrypt(plain_y, seed, 1);
  const Evaluator evaluator(context);
  const Ciphertext relinearized = evaluator.multiply_relinearize(x, y, relinearization);
  check(x, "x");
  check(y, "y");
  check(evaluator.add(x, y), "x + y");
  check(evaluator.multiply_plain(x, plain_y), "x times plain y");
  check(evaluator.multiply(x, y), "x y");
  check(relinearized, "relinearized");
  const Ciphertext left[] = {x, y, y}, right[] = {y, y, x};
  check(evaluator.dot_product(left, right), "x y + y y + y x");
  check(evaluator.square(relinearized), "relinearized squared");
  for (const Json& key : c.at("galois_keys").elements()) {
    const std::uint64_t element = key.at("element").as_u64();
    const RotationKeys keys = generator.galois_keys(std::span(&element, 1));
    check_key(keys.key(element), key.at("fnv1a").as_u64());
    check(evaluator.apply_galois(x, element, keys), "x, element " + std::to_string(element));
  }
}

}  // namespace

NTTF_TEST("vectors: keys and ciphertexts from seeds, word for word on every target") {
  const Json vectors = load_vectors("bfv_seeded.json");
  const Seed key_seed = seed_of(vectors.at("key_seed"));
  const Seed seed = seed_of(vectors.at("encryption_seed"));
  NTTF_CHECK(vectors.at("cases").size() >= 3);
  for (const Json& c : vectors.at("cases").elements())
    for (const Target target : available_targets()) check_seeded(c, key_seed, seed, target);
}

NTTF_TEST("vectors: products at full size on every target") {
  const Json vectors = load_vectors("bfv_seeded.json");
  for (const Json& c : vectors.at("products").elements()) {
    for (const Target target : available_targets()) {
      const ContextPtr context = context_of(c, target);
      const auto filled = [&](std::uint64_t first) {
        Words words(2 * context->limbs() * context->n());
        for (std::size_t i = 0; i < words.size(); ++i) {
          const std::size_t limb = i / context->n() % context->limbs();
          words[i] = splitmix64(first + i) % context->parameters().q[limb];
        }
        return Ciphertext(context, 2, words, Encoding::coefficients);
      };
      const Ciphertext product = Evaluator(context).multiply(filled(0), filled(1000000));
      NTTF_CHECK(same_words(product.residues(), c, "product"));
    }
  }
}

NTTF_TEST("vectors: slots of packed plaintexts, rotations and column swap") {
  const Json vectors = load_vectors("galois.json");
  for (const Json& c : vectors.at("slots").elements()) {
    Parameters parameters;
    parameters.n = c.at("n").as_u64();
    parameters.t = c.at("t").as_u64();
    parameters.q = ntt_primes(parameters.n, 50, 2);
    parameters.security = SecurityLevel::insecure_by_request;
    const ContextPtr context = Context::create(parameters, make_cpu_device(1));
    const BatchEncoder encoder(context);
    const Words slots = c.at("slots").as_u64_vector();
    const Plaintext plain = encoder.encode(slots);
    NTTF_CHECK(plain.coefficients() == c.at("polynomial").as_u64_vector());
    NTTF_CHECK(encoder.decode(plain) == slots);
    for (const Json& rotation : c.at("rotations").elements()) {
      const std::int64_t step = rotation.at("step").as_i64(),
                         half = static_cast<std::int64_t>(slots.size() / 2);
      if (step <= -half || step >= half) continue;
      NTTF_CHECK_EQ(rotation_element(parameters.n, step), rotation.at("element").as_u64());
      Plaintext turned(context, Encoding::slots);
      context->queue().automorphism(context->ring_t(), plain.data(), rotation.at("element").as_u64(),
                                    turned.data(), 1);
      NTTF_CHECK(encoder.decode(turned) == rotation.at("slots").as_u64_vector());
    }
    Plaintext swapped(context, Encoding::slots);
    context->queue().automorphism(context->ring_t(), plain.data(), column_swap_element(parameters.n),
                                  swapped.data(), 1);
    NTTF_CHECK(encoder.decode(swapped) == c.at("column_swap").as_u64_vector());
  }
}
