// SPDX-License-Identifier: Apache-2.0
// Keys and ciphertexts against their definitions, every random polynomial drawn again from the stream that
// docs/format.md names: a stream used twice, a sign or a wrong gadget shows here, though everything would
// still decrypt.

#include "nttforge/bfv/testing.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/device/testing_reference.hpp"
#include "nttforge/rns/mod_down.hpp"

namespace nttforge::bfv::testing {
namespace {

using Words = std::vector<std::uint64_t>;

/// Polynomials modulo Q or Q p in coefficient form, by the reference queue.
struct Ring {
  Ring(const Context& context, bool key)
      : tables(queue.device().make_ring(key ? context.ring_key().spec() : context.ring_q().spec())) {}

  Words coefficients(ConstWordPtr transformed) const {
    Words x(tables->words());
    queue.download(transformed, x);
    queue.inverse(*tables, x.data(), 1);
    return x;
  }
  Words product(Words a, Words b) const {
    queue.forward(*tables, a.data(), 1);
    queue.forward(*tables, b.data(), 1);
    queue.multiply(*tables, a.data(), b.data(), a.data(), 1);
    queue.inverse(*tables, a.data(), 1);
    return a;
  }
  Words add(Words a, const Words& b) const {
    queue.add(*tables, a.data(), b.data(), a.data(), 1);
    return a;
  }
  Words negate(Words a) const {
    queue.negate(*tables, a.data(), a.data(), 1);
    return a;
  }
  Words error(const Seed& seed, std::uint32_t domain, std::uint32_t index) const {
    Words x(tables->words());
    queue.sample_error(*tables, {seed, static_cast<Domain>(domain), index}, ErrorDistribution::sigma_3_2,
                       x.data());
    return x;
  }
  Words ternary(const Seed& seed, std::uint32_t domain, std::uint32_t index) const {
    Words x(tables->words());
    queue.sample_ternary(*tables, {seed, static_cast<Domain>(domain), index}, x.data());
    return x;
  }
  Words uniform(const Seed& seed, std::uint32_t domain, std::uint32_t index) const {
    Words x(tables->words());
    queue.sample_uniform(*tables, {seed, static_cast<Domain>(domain), index}, x.data());
    return x;
  }

  std::shared_ptr<const Queue> queue_ = nttforge::testing::make_reference_device()->make_queue();
  const Queue& queue = *queue_;
  std::shared_ptr<const RingTables> tables;
};

Words as_words(ConstWordPtr data, std::size_t count) {
  static const auto queue = nttforge::testing::make_reference_device()->make_queue();
  Words x(count);
  queue->download(data, x);
  return x;
}

void check_keys(const Parameters& parameters) {
  const Party party(parameters, make_cpu_device(1));  // both devices' memory is the host's
  const Seed seed = test_seed(1);
  const Ring ring(*party.context, true);
  const std::size_t words = ring.tables->words(), n = parameters.n;
  const Words s = ring.ternary(seed, 1, 0);
  NTTF_CHECK(ring.coefficients(party.generator.secret_key().data()) == s);

  const PublicKey public_key = party.generator.public_key();
  const Seed public_seed = derive_seed(seed, 2);
  NTTF_CHECK(public_key.seed() == public_seed);
  NTTF_CHECK(as_words(public_key.data() + words, words) == ring.uniform(public_seed, 2, 0));
  const Words a = ring.coefficients(public_key.data() + words);
  NTTF_CHECK(ring.coefficients(public_key.data()) ==
             ring.negate(ring.add(ring.product(a, s), ring.error(seed, 3, 0))));

  // Gadget: P modulo the primes of the digit, 0 modulo the others and the special ones.
  const auto check_switch = [&](const KeySwitchKey& key, const Words& from, std::uint32_t purpose) {
    const Seed key_seed = derive_seed(seed, purpose);
    NTTF_CHECK(key.seed() == key_seed && !(key_seed == public_seed));
    for (std::uint32_t i = 0; i < parameters.digits(); ++i) {
      const ConstWordPtr b = key.words().data() + 2 * i * words;
      NTTF_CHECK(as_words(b + words, words) == ring.uniform(key_seed, 4, purpose << 8 | i));
      Words expected = ring.negate(
          ring.add(ring.product(ring.coefficients(b + words), s), ring.error(seed, 5, purpose << 8 | i)));
      for (std::size_t j = 0; j < parameters.limbs(); ++j) {
        if (j / parameters.digit_primes != i) continue;
        const Modulus q(parameters.q[j]);
        const std::uint64_t product = BigUint::product(parameters.special).mod(q.value());
        for (std::size_t x = j * n; x < (j + 1) * n; ++x)
          expected[x] = q.add(expected[x], q.mul(product, from[x]));
      }
      NTTF_CHECK(ring.coefficients(b) == expected);
    }
  };
  check_switch(party.generator.relinearization_key().key(), ring.product(s, s), 0);
  const std::vector<std::int64_t> steps{2};
  Words image(words);
  ring.queue.automorphism(*ring.tables, s.data(), 9, image.data(), 1);
  check_switch(party.generator.rotation_keys(steps).key(9), image, 9);
}

NTTF_TEST("keys are what they are defined to be") {
  check_keys(small_parameters(32, 97, 3, 45));
  check_keys(hybrid_parameters(32, 97, 5, 45, 2));
  check_keys(hybrid_parameters(32, 97, 4, 30, 3, 2));
}

NTTF_TEST("ciphertexts are what they are defined to be") {
  Rng rng;
  for (std::size_t special : {0, 1, 2, 3}) {
    const Parameters parameters = hybrid_parameters(32, 97, 3, 45, special);
    const Party party(parameters, make_cpu_device(1));
    const Seed key_seed = test_seed(1), seed = test_seed(2);
    const Ring ring(*party.context, false), key_ring(*party.context, true);
    const std::size_t words = ring.tables->words(), key_words = key_ring.tables->words();
    const Plaintext plain(party.context, random_values(rng, 32, 97));
    Words message(words);
    const RnsBase base(parameters.q);
    const BigUint half(97 / 2);
    for (std::size_t i = 0; i < 32; ++i) {  // round(Q m / t)
      const BigUint scaled = (base.product() * plain.coefficients()[i] + half).divided_by(97);
      for (std::size_t j = 0; j < parameters.limbs(); ++j) message[j * 32 + i] = scaled.mod(parameters.q[j]);
    }

    const Ciphertext by_secret = party.secret_encryptor.encrypt(plain, seed, 7);
    const Seed public_seed = derive_seed(seed, 7);
    NTTF_CHECK(by_secret.seed() == public_seed);
    const Words a = ring.uniform(public_seed, 9, 0);
    const Words s = ring.ternary(key_seed, 1, 0);
    NTTF_CHECK(as_words(by_secret.part(1), words) == a);
    NTTF_CHECK(as_words(by_secret.part(0), words) ==
               ring.add(ring.add(ring.negate(ring.product(a, s)), ring.error(seed, 7, 7)), message));

    const Ciphertext by_public = party.encryptor.encrypt(plain, seed, 7);
    const PublicKey key = party.generator.public_key();
    const Words u = key_ring.ternary(seed, 6, 7);
    for (std::size_t part = 0; part < 2; ++part) {
      const Words pk = key_ring.coefficients(key.data() + part * key_words);
      Words expected = key_ring.add(key_ring.product(pk, u),
                                    key_ring.error(seed, static_cast<std::uint32_t>(7 + part), 7));
      if (special != 0) {
        const RnsStep step = special == 1 ? mod_down(RnsBase(key_ring.tables->spec().moduli))
                                          : mod_down_fast(RnsBase(parameters.q), RnsBase(parameters.special));
        const auto tables = ring.queue.device().make_step(step, parameters.n);
        Words down(words);
        ring.queue.apply_joined(*tables, expected.data(), down.data(), 1);
        expected = down;
      }
      if (part == 0) expected = ring.add(expected, message);
      NTTF_CHECK(as_words(by_public.part(part), words) == expected);
    }
  }
}

}  // namespace
}  // namespace nttforge::bfv::testing
