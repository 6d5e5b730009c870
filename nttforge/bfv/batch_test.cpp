// SPDX-License-Identifier: Apache-2.0
// Batches: every operation on a batch gives, word for word, what it gives on each element.

#include <algorithm>
#include <utility>

#include "nttforge/bfv/testing.hpp"
#include "nttforge/device/testing.hpp"
#include "nttforge/device/testing_reference.hpp"
#include "nttforge/integer_encoding/testing_batch.hpp"

namespace nttforge::bfv::testing {
namespace {

std::vector<std::shared_ptr<const Device>> devices() {
  std::vector<std::shared_ptr<const Device>> result = nttforge::testing::gpu_devices();
  for (const auto& device :
       {nttforge::testing::make_reference_device(), make_cpu_device(1), make_cpu_device(2)})
    result.push_back(device);
  return result;
}

NTTF_TEST("every operation on a batch is that on each element, also where a single operand serves all") {
  Rng rng;
  const Parameters sets[] = {small_parameters(32, 65537, 3, 45), small_parameters(64, 2, 1, 61),
                             small_parameters(16, 1000, 2, 55)};
  for (const auto& device : devices())
    for (const Parameters& parameters : sets) check_batches(Party(parameters, device), rng);
}

NTTF_TEST("products of a batch that takes several turns of the workspace") {
  Rng rng;
  const Party party(small_parameters(8192, 65537, 3, 45), make_cpu_device(2));
  const RelinearizationKey key = party.generator.relinearization_key();
  const RotationKeys rotations =
      party.generator.rotation_keys(std::vector<std::int64_t>{1, 2}, /*column_swap=*/true);
  check_results(party, key, rotations, rng, 13, 13, 1);
  check_results(party, key, rotations, rng, 1, 13, 1);
}

NTTF_TEST("sums of products of a batch's elements, where they are, are those of copies") {
  Rng rng;
  constexpr std::size_t kElements = 21;  // more than a sum takes at once
  for (const auto& device : devices())
    for (const unsigned word_bits : {64u, 32u}) {
      Parameters parameters = small_parameters(32, 65537, 3, word_bits == 64 ? 45 : 30);
      parameters.word_bits = word_bits;
      const Party party(parameters, device);
      const auto sealed = [&](std::size_t count) {
        const Plaintext p(party.context, random_values(rng, count * 32, 65537), Encoding::slots, count);
        return party.encryptor.encrypt(p, test_seed(5), 0);
      };
      const Ciphertext a = sealed(kElements), b = sealed(kElements);
      const std::vector<Ciphertext> left = a.views(), right = b.views();
      std::vector<Ciphertext> x, y;
      std::vector<PreparedPlaintext> factors;
      for (std::size_t e = 0; e < kElements; ++e) {
        x.push_back(a.element(e));
        y.push_back(b.element(kElements - 1 - e));
        factors.emplace_back(Plaintext(party.context, random_values(rng, 2 * 32, 65537), Encoding::slots, 2));
        NTTF_CHECK(left[e] == x[e]);
      }
      std::reverse(y.begin(), y.end());
      NTTF_CHECK(party.evaluator.dot_product(left, right) == party.evaluator.dot_product(x, y));
      NTTF_CHECK(party.evaluator.dot_product(left, factors) == party.evaluator.dot_product(x, factors));
    }
  NTTF_CHECK_THROWS(Ciphertext().views(), ContextError, "ciphertext is empty");
}

NTTF_TEST("encryption of a batch takes one index an element") {
  Rng rng;
  for (const auto& device : devices()) {
    const Party party(small_parameters(32, 65537, 2, 45), device);
    const std::size_t n = 32, batch = 4;
    const Plaintext p(party.context, random_values(rng, batch * n, 65537), Encoding::slots, batch);
    const Seed seed = test_seed(3);
    const Ciphertext by_public = party.encryptor.encrypt(p, seed, 7),
                     by_secret = party.secret_encryptor.encrypt(p, seed, 7);
    NTTF_CHECK(by_public.batch() == batch && by_public.meta().source == NoiseSource::fresh_public);
    NTTF_CHECK(by_secret.batch() == batch && by_secret.meta().source == NoiseSource::fresh_secret);
    const Phase phase(party.generator.secret_key());
    const Queue& queue = party.context->queue();
    const RingTables& ring = party.context->ring_q();
    std::vector<std::uint64_t> left(ring.words()), right(left);
    for (std::uint32_t e = 0; e < batch; ++e) {
      const Plaintext element = p.element(e);
      NTTF_CHECK(by_public.element(e) == party.encryptor.encrypt(element, seed, 7 + e));
      // By the secret key: the error of index 7 + e, and a of the object's seed and the stream e.
      const Ciphertext single = party.secret_encryptor.encrypt(element, seed, 7 + e);
      queue.download(phase.of(by_secret.element(e)).data(), left);
      queue.download(phase.of(single).data(), right);
      NTTF_CHECK(left == right);
      DeviceArray a = queue.allocate(ring.words());
      queue.sample_uniform(ring, {*by_secret.meta().seed, Domain::encrypt_a, e}, a.data());
      queue.download(a.data(), left);
      queue.download(by_secret.part(1, e), right);
      NTTF_CHECK(left == right);
      NTTF_CHECK_EQ(by_secret.element(e).meta().seed.has_value(), e == 0);
    }
    NTTF_CHECK(by_secret.element(0) == party.secret_encryptor.encrypt(p.element(0), seed, 7));
    NTTF_CHECK(party.decryptor.decrypt(by_public) == p && party.decryptor.decrypt(by_secret) == p);
    NTTF_CHECK(party.decryptor.decrypt_unchecked(party.evaluator.multiply(by_public, by_secret)) ==
               party.decryptor.decrypt(party.evaluator.multiply(by_public, by_secret)));
    NTTF_CHECK_THROWS(party.encryptor.encrypt(p, seed, 0xFFFFFFFDu), ParameterError,
                      "index = 4294967293 leaves fewer than batch = 4 indices");
    NTTF_CHECK_EQ(party.encryptor.encrypt(p, seed, 0xFFFFFFFCu).batch(), batch);
    const Ciphertext zero = party.encryptor.encrypt_zero(Encoding::slots, 3);
    NTTF_CHECK(party.decryptor.decrypt(zero) == Plaintext(party.context, Encoding::slots, 3));
    NTTF_CHECK(!(zero.element(0) == zero.element(1)));
  }
}

NTTF_TEST("encoders take and give batches") {
  Rng rng;
  for (const auto& device : devices()) {
    const std::size_t n = 32, batch = 3, width = 20;
    const std::uint64_t t = 65537;
    const ContextPtr context = Context::create(small_parameters(n, t, 2, 45), device);
    const BatchEncoder slots(context);
    const CoefficientEncoder coefficients(context);
    const auto values = random_values(rng, batch * width, t);
    const Plaintext p = slots.encode(values, batch), q = coefficients.encode(values, batch);
    NTTF_CHECK(p.batch() == batch && q.batch() == batch && p.words() == batch * n);
    std::vector<std::uint64_t> padded(batch * n, 0);
    for (std::size_t i = 0; i < values.size(); ++i) padded[i / width * n + i % width] = values[i];
    NTTF_CHECK(slots.decode(p) == padded && coefficients.decode(q) == padded);
    NTTF_CHECK(q.coefficients() == padded);
    std::vector<Plaintext> singles;
    for (std::size_t e = 0; e < batch; ++e) {
      const std::span row(values.data() + e * width, width);
      singles.push_back(slots.encode(row));
      NTTF_CHECK(p.element(e) == singles.back() && q.element(e) == coefficients.encode(row));
    }
    const ContextPtr there = Context::create(context->parameters(), make_cpu_device(1));
    NTTF_CHECK(p.to(there).element(1).coefficients() == singles[1].coefficients());
    const Plaintext* terms[] = {&singles[0], &singles[1], &singles[2], &p};
    NTTF_CHECK(Plaintext::stack(std::span(terms).first(3)) == p && !(singles[0] == p));
    NTTF_CHECK(Plaintext::stack(terms).batch() == 2 * batch);
    std::vector<std::int64_t> centred(batch * n);
    for (std::size_t i = 0; i < centred.size(); ++i)
      centred[i] = static_cast<std::int64_t>(rng.below(t)) - static_cast<std::int64_t>(t / 2);
    NTTF_CHECK(slots.decode_signed(slots.encode(centred, batch)) == centred);
    NTTF_CHECK(coefficients.decode_signed(coefficients.encode(centred, batch)) == centred);
    // The norm of a prepared batch is the largest.
    double norm = 0;
    for (const Plaintext& single : singles) norm = std::max(norm, PreparedPlaintext(single).norm());
    NTTF_CHECK_EQ(PreparedPlaintext(p).norm(), norm);

    auto wrong = values;
    wrong[width + 2] = t;
    NTTF_CHECK_THROWS(slots.encode(wrong, batch), ParameterError,
                      "values[1, 2] = 65537 is out of range [0, 65536]");
    NTTF_CHECK_THROWS(Plaintext(context, wrong, Encoding::slots, batch), ParameterError,
                      "coefficients[1, 2] = 65537 is out of range");
    centred[2 * n + 31] = 40000;
    NTTF_CHECK_THROWS(coefficients.encode(centred, batch), ParameterError,
                      "values[2, 31] = 40000 is out of range [-32768, 32768]");
    NTTF_CHECK_THROWS(slots.encode(values, 7), SizeError, "values.size() = 60 is no multiple of batch = 7");
    NTTF_CHECK_THROWS(slots.encode(random_values(rng, 2 * (n + 1), t), 2), SizeError,
                      "values.size() = 66 exceeds the 2 x 32 places of this batch");
    NTTF_CHECK_THROWS(slots.encode(values, 0), ParameterError, "batch = 0 is out of range [1, 1048576]");
    NTTF_CHECK_THROWS(Plaintext(context, Encoding::slots, kMaxBatch + 1), ParameterError,
                      "batch = 1048577 is out of range [1, 1048576]");
    std::vector<std::uint64_t> few(n);
    NTTF_CHECK_THROWS(slots.decode(p, few), SizeError, "out.size() = 32, expected batch x n = 96");
    NTTF_CHECK_THROWS(p.coefficients(few), SizeError, "out.size() = 32, expected batch x n = 96");
    NTTF_CHECK_THROWS(p.element(3), SizeError, "element = 3 is out of range [0, 3)");
    terms[1] = &q;
    NTTF_CHECK_THROWS(Plaintext::stack(terms), ParameterError, "terms[1]");
    NTTF_CHECK_THROWS(Plaintext::stack({}), SizeError, "terms is empty");
  }
}

NTTF_TEST("noise of a batch: the smallest budget, and which element has none left") {
  for (const auto& device : devices()) {
    const Party party(small_parameters(32, 65537, 2, 45), device), stranger(party.context, 77);
    const Ciphertext fresh = party.secret_encryptor.encrypt_zero(Encoding::slots),
                     noisy = party.evaluator.multiply(fresh, fresh),
                     foreign = stranger.encryptor.encrypt_zero(Encoding::slots);
    Ciphertext three = noisy;
    party.evaluator.sub_in_place(three, noisy);
    party.evaluator.add_in_place(three, fresh);  // fresh, of three parts
    const Ciphertext* terms[] = {&three, &noisy, &three};
    const Ciphertext batch = Ciphertext::stack(terms);
    NTTF_CHECK(batch.noise() == noisy.noise() || batch.noise() == three.noise());
    NTTF_CHECK(batch.noise().coefficient >= std::max(noisy.noise().coefficient, three.noise().coefficient));
    NTTF_CHECK_EQ(
        party.decryptor.noise_budget_bits(batch),
        std::min(party.decryptor.noise_budget_bits(noisy), party.decryptor.noise_budget_bits(three)));
    const Ciphertext* mixed[] = {&fresh, &fresh, &foreign, &foreign};
    const Ciphertext bad = Ciphertext::stack(mixed);
    NTTF_CHECK(bad.meta().source == NoiseSource::computed && !bad.meta().seed.has_value());
    NTTF_CHECK_THROWS(party.decryptor.decrypt(bad), NoiseError,
                      "ciphertext: element 2: measured with the secret key, no noise budget is left");
    NTTF_CHECK_THROWS(party.decryptor.decrypt(foreign), NoiseError, "ciphertext: measured");
    NTTF_CHECK_EQ(party.decryptor.noise_budget_bits(bad), 0);
    NTTF_CHECK_EQ(party.decryptor.decrypt_unchecked(bad).batch(), 4u);
  }
}

NTTF_TEST("a batch goes to other devices in parts and comes together from them") {
  for (const auto& device : devices()) {
    const Party party(small_parameters(32, 65537, 2, 45), make_cpu_device(1)),
        other(small_parameters(32, 12289, 2, 45), make_cpu_device(1));
    const ContextPtr there = Context::create(party.context->parameters(), device);
    const Ciphertext all = party.encryptor.encrypt_zero(Encoding::slots, 5);
    Ciphertext back = all.elements(0, 2, there).room(5, party.context);
    NTTF_CHECK(back.batch() == 5 && back.meta().source == all.meta().source && !back.meta().seed.has_value());
    for (const auto& [first, count] : {std::pair{3, 2}, {0, 1}, {1, 2}}) {
      const Ciphertext part = all.elements(first, count, there);
      NTTF_CHECK(part.context() == there && part.batch() == static_cast<std::size_t>(count));
      NTTF_CHECK(part.element(0).residues() == all.element(first).residues());
      back.put(first, part);
    }
    NTTF_CHECK(back == all);
    Ciphertext noisy = all.elements(4, 1, there);
    noisy.set_noise(Noise::unknown());
    back.include(noisy);
    NTTF_CHECK(!back.noise().known());
    const Plaintext p(party.context, std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6}, Encoding::slots, 3);
    std::vector<std::uint64_t> last = p.coefficients();
    last.erase(last.begin(), last.begin() + 32);
    NTTF_CHECK(p.elements(1, 2, there).coefficients() == last);

    NTTF_CHECK_THROWS(all.elements(4, 2, there), SizeError, "elements 4 ... with count = 2");
    NTTF_CHECK_THROWS(all.elements(0, 0, there), SizeError, "need at least one");
    NTTF_CHECK_THROWS(p.elements(3, 1, there), SizeError, "in [0, 3) of this batch");
    NTTF_CHECK_THROWS(back.put(4, all), SizeError, "elements 4 ... with count = 5");
    const Ciphertext three = party.evaluator.multiply(all, all),
                     foreign = other.encryptor.encrypt_zero(Encoding::slots);
    NTTF_CHECK_THROWS(back.put(0, three), ParameterError, "a part has 3 parts, level");
    NTTF_CHECK_THROWS(back.put(0, foreign), ContextError, "equal parameters only");
    NTTF_CHECK_THROWS(all.room(2, other.context), ContextError, "equal parameters only");
    NTTF_CHECK_THROWS(back.put(0, Ciphertext()), ContextError, "ciphertext is empty");
  }
}

NTTF_TEST("stack and element, and what does not go together") {
  const Party party(small_parameters(32, 65537, 2, 45), make_cpu_device(1)),
      other(small_parameters(32, 12289, 2, 45), make_cpu_device(1));
  const Evaluator& e = party.evaluator;
  const Ciphertext x = party.encryptor.encrypt_zero(Encoding::slots, 2),
                   y = party.encryptor.encrypt_zero(Encoding::slots),
                   three = party.encryptor.encrypt_zero(Encoding::slots, 3), product = e.multiply(y, y),
                   coefficients = party.encryptor.encrypt_zero(Encoding::coefficients),
                   elsewhere = other.encryptor.encrypt_zero(Encoding::coefficients), none;
  const Ciphertext* terms[] = {&x, &y, &three};
  const Ciphertext all = Ciphertext::stack(terms);
  NTTF_CHECK(all.batch() == 6 && all.meta().source == NoiseSource::fresh_public);
  NTTF_CHECK(all.element(1) == x.element(1) && all.element(2) == y && all.element(5) == three.element(2));
  NTTF_CHECK(all.words() == 6 * y.words() && all.residues().size() == all.words());
  const Ciphertext copy(party.context, 2, all.residues(), all.meta(), 6);
  NTTF_CHECK(copy == all && !(copy == x));
  const ContextPtr there =
      Context::create(party.context->parameters(), nttforge::testing::make_reference_device());
  NTTF_CHECK(all.to(there).residues() == all.residues() && all.to(there).batch() == 6);
  NTTF_CHECK(all.to(there).element(5).residues() == three.element(2).residues());
  const auto refuse = [&](const Ciphertext& term, auto&& check) {
    const Ciphertext* pair[] = {&x, &term};
    check([&] { return Ciphertext::stack(pair); });
  };
  refuse(product, [](auto f) { NTTF_CHECK_THROWS(f(), ParameterError, "terms[1] has 3 parts"); });
  refuse(coefficients, [](auto f) { NTTF_CHECK_THROWS(f(), ParameterError, "terms[1]"); });
  refuse(elsewhere, [](auto f) { NTTF_CHECK_THROWS(f(), ContextError, "terms[1]"); });
  refuse(none, [](auto f) { NTTF_CHECK_THROWS(f(), ContextError, "terms[1] is empty"); });
  NTTF_CHECK_THROWS(Ciphertext::stack({}), SizeError, "terms is empty");
  NTTF_CHECK_THROWS(x.element(2), SizeError, "element = 2 is out of range [0, 2)");
  NTTF_CHECK_THROWS(x.part(0, 2), SizeError, "element = 2 is out of range [0, 2)");
  NTTF_CHECK_THROWS(none.element(0), ContextError, "ciphertext is empty");
  NTTF_CHECK_THROWS(Ciphertext(party.context, 2, party.context->top(Encoding::slots), 0), ParameterError,
                    "batch = 0");
  NTTF_CHECK_THROWS(Ciphertext(party.context, 2, y.residues(), y.meta(), 2), SizeError,
                    "expected batch x size x limbs x n = 2 x 2 x 2 x 32 = 256");
  auto residues = x.residues();
  residues[2 * 2 * 32 + 33] = ~std::uint64_t{0};
  NTTF_CHECK_THROWS(Ciphertext(party.context, 2, residues, y.meta(), 2), ParameterError,
                    "element 1, part 0, limb 1, position 1");

  constexpr const char* kBatches = "a is a batch of 2 and b a batch of 3";
  const Plaintext p(party.context, Encoding::slots, 3);
  const PreparedPlaintext r(p);
  const Ciphertext before = x;
  Ciphertext in_place = x;
  NTTF_CHECK_THROWS(e.add(x, three), SizeError, kBatches);
  NTTF_CHECK_THROWS(e.sub_in_place(in_place, three), SizeError, kBatches);
  NTTF_CHECK_THROWS(e.multiply(x, three), SizeError, kBatches);
  NTTF_CHECK_THROWS(e.add_plain(x, p), SizeError, kBatches);
  NTTF_CHECK_THROWS(e.sub_plain_in_place(in_place, p), SizeError, kBatches);
  NTTF_CHECK_THROWS(e.multiply_plain(x, p), SizeError, kBatches);
  NTTF_CHECK_THROWS(e.multiply_plain(x, r), SizeError, kBatches);
  NTTF_CHECK_THROWS(e.multiply_plain_in_place(in_place, r), SizeError, kBatches);
  NTTF_CHECK(in_place == before);
  NTTF_CHECK_THROWS(e.sum(terms), SizeError, "terms[2] a batch of 3");
  NTTF_CHECK_THROWS(e.dot_product(std::vector{x, y}, std::vector{y, three}), SizeError, "b[1] a batch of 3");
  NTTF_CHECK_THROWS(e.dot_product(std::vector{x, y}, std::vector{r, r}), SizeError, "b[0] a batch of 3");
}

NTTF_TEST(
    "a batch has the same words on any number of threads: more, as many and fewer elements than these") {
  Rng rng;
  const Parameters parameters = small_parameters(2048, 65537, 3, 45);
  const std::vector<std::uint64_t> values = random_values(rng, 7 * 2048, 65537);
  std::vector<std::vector<std::uint8_t>> expected;
  for (const unsigned threads : {1u, 2u, 5u, 9u}) {
    const Party party(parameters, make_cpu_device(threads));
    const Plaintext p(party.context, values, Encoding::slots, 7);
    std::vector<std::vector<std::uint8_t>> found;
    for (const Encryptor* encryptor : {&party.encryptor, &party.secret_encryptor}) {
      const Ciphertext x = encryptor->encrypt(p, test_seed(4), 9);
      const Plaintext decrypted = party.decryptor.decrypt(x);
      NTTF_CHECK(decrypted == p);
      found.push_back(to_bytes(x));
      found.push_back(to_bytes(ciphertext_from_bytes(party.context, found.back())));
    }
    for (std::uint32_t e = 0; e < 7; ++e)
      found.push_back(to_bytes(party.encryptor.encrypt(p.element(e), test_seed(4), 9 + e)));
    found.push_back(to_bytes(party.generator.relinearization_key()));
    if (threads == 1) expected = found;
    NTTF_CHECK(found == expected);
  }
}

}  // namespace
}  // namespace nttforge::bfv::testing
