// SPDX-License-Identifier: Apache-2.0
// What bad input gets: type, message, operands unchanged.

#include "nttforge/base/error.hpp"
#include "nttforge/bfv/testing.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/device/testing_reference.hpp"

namespace nttforge::bfv::testing {
namespace {

struct Fixture {
  std::shared_ptr<const Device> device = make_cpu_device(1);
  Party party{small_parameters(16, 97), device};
  Party other{small_parameters(16, 257), device, 2};
  Plaintext plain{party.context, std::vector<std::uint64_t>{1, 2, 3}, Encoding::slots};
  Plaintext foreign_plain{other.context, std::vector<std::uint64_t>{1}, Encoding::slots};
  Ciphertext x = party.encryptor.encrypt(plain);
  Ciphertext foreign = other.encryptor.encrypt(foreign_plain);
  Ciphertext three = party.evaluator.multiply(x, x);
  RelinearizationKey key = party.generator.relinearization_key();
  RotationKeys rotations = party.generator.rotation_keys(std::vector<std::int64_t>{1, -2});
};

NTTF_TEST("memory of another size for words and values: SizeError") {
  const Fixture f;
  const std::size_t words = f.x.words(), n = 16;
  std::vector<std::uint64_t> out(words + 1);
  const std::span<std::uint64_t> all(out);
  f.x.residues(all.first(words));
  NTTF_CHECK(std::vector<std::uint64_t>(out.begin(), out.end() - 1) == f.x.residues());
  NTTF_CHECK_THROWS((f.x.residues(all), 0), SizeError, "out.size() = " + std::to_string(words + 1));
  NTTF_CHECK_THROWS((f.plain.coefficients(all.first(n - 1)), 0), SizeError,
                    "out.size() = 15, expected n = 16");
  const CoefficientEncoder encoder(f.party.context);
  const Plaintext coefficients(f.party.context);
  NTTF_CHECK_THROWS((encoder.decode(coefficients, all.first(n + 1)), 0), SizeError, "out.size() = 17");
  std::vector<std::int64_t> centred(n + 1);
  NTTF_CHECK_THROWS((encoder.decode_signed(coefficients, centred), 0), SizeError, "out.size() = 17");
  NTTF_CHECK_THROWS((BatchEncoder(f.party.context).decode_signed(f.plain, centred), 0), SizeError,
                    "out.size() = 17");
}

NTTF_TEST("mixing contexts: ContextError naming both sides, operands unchanged") {
  const Fixture f;
  const Evaluator& e = f.party.evaluator;
  const char* text = "belongs to another context";
  NTTF_CHECK_THROWS(e.add(f.x, f.foreign), ContextError, "b belongs to another context");
  NTTF_CHECK_THROWS(e.add(f.foreign, f.x), ContextError, "a belongs to another context");
  NTTF_CHECK_THROWS(e.sub(f.x, f.foreign), ContextError, text);
  NTTF_CHECK_THROWS(e.negate(f.foreign), ContextError, text);
  NTTF_CHECK_THROWS(e.multiply(f.x, f.foreign), ContextError, text);
  NTTF_CHECK_THROWS(e.square(f.foreign), ContextError, text);
  NTTF_CHECK_THROWS(e.add_plain(f.x, f.foreign_plain), ContextError, text);
  NTTF_CHECK_THROWS(e.multiply_plain(f.x, f.foreign_plain), ContextError, text);
  NTTF_CHECK_THROWS(e.multiply_plain(f.foreign, f.plain), ContextError, text);
  NTTF_CHECK_THROWS(e.multiply_relinearize(f.x, f.x, f.other.generator.relinearization_key()), ContextError,
                    "relinearization key belongs to another context");
  NTTF_CHECK_THROWS(e.rotate_rows(f.x, 1, f.other.generator.rotation_keys(std::vector<std::int64_t>{1})),
                    ContextError, "rotation keys belongs to another context");
  NTTF_CHECK_THROWS(f.party.encryptor.encrypt(f.foreign_plain), ContextError, text);
  NTTF_CHECK_THROWS(f.party.decryptor.decrypt(f.foreign), ContextError, text);
  NTTF_CHECK_THROWS(f.party.decryptor.noise_budget_bits(f.foreign), ContextError, text);
  NTTF_CHECK_THROWS(BatchEncoder(f.party.context).decode(f.foreign_plain), ContextError, text);
  NTTF_CHECK_THROWS(CoefficientEncoder(f.party.context).decode(f.foreign_plain), ContextError, text);
  const Ciphertext* mixed[] = {&f.x, &f.foreign};
  NTTF_CHECK_THROWS(e.sum(mixed), ContextError, "terms[1] belongs to another context");
  const Ciphertext* own[] = {&f.x, &f.x};
  NTTF_CHECK_THROWS(e.dot_product(own, mixed), ContextError, "b[1] belongs to another context");

  Ciphertext target = f.x;
  NTTF_CHECK_THROWS(e.add_in_place(target, f.foreign), ContextError, text);
  NTTF_CHECK_THROWS(e.sub_in_place(target, f.foreign), ContextError, text);
  NTTF_CHECK_THROWS(e.add_plain_in_place(target, f.foreign_plain), ContextError, text);
  NTTF_CHECK_THROWS(e.multiply_plain_in_place(target, PreparedPlaintext(f.foreign_plain)), ContextError,
                    text);
  NTTF_CHECK(target == f.x);
  NTTF_CHECK(f.party.decryptor.decrypt(f.x) == f.plain);

  // The same parameters in another memory.
  const Party elsewhere(small_parameters(16, 97), nttforge::testing::make_reference_device("elsewhere"));
  NTTF_CHECK_THROWS(e.add(f.x, elsewhere.encryptor.encrypt_zero(Encoding::slots)), ContextError,
                    "b lives in another memory (elsewhere");
  NTTF_CHECK_THROWS(elsewhere.decryptor.decrypt(f.x), ContextError,
                    "ciphertext lives in another memory (host");
}

NTTF_TEST("contexts of equal parameters in one memory: threads, targets and implementations mix") {
  const Fixture f;
  Rng rng;
  for (const auto& device :
       {std::shared_ptr<const Device>(f.device), make_cpu_device(2), make_cpu_device(1, Target::scalar),
        std::shared_ptr<const Device>(nttforge::testing::make_reference_device())}) {
    const Party twin(small_parameters(16, 97), device);  // from the seed of f.party
    NTTF_CHECK(twin.context->compatible(*f.party.context) && f.party.context->compatible(*twin.context));
    NTTF_CHECK(twin.decryptor.decrypt(f.x) == f.plain);
    const Ciphertext y = twin.encryptor.encrypt(f.plain);
    const Ciphertext sum = f.party.evaluator.add(y, f.x), mixed = twin.evaluator.multiply(f.x, y);
    NTTF_CHECK(sum.context() == f.party.context && mixed.context() == twin.context);
    NTTF_CHECK(f.party.evaluator.sub(y, f.three).context() == f.party.context);  // also where parts are added
    NTTF_CHECK(f.party.evaluator.relinearize(mixed, twin.generator.relinearization_key()) ==
               twin.evaluator.relinearize(mixed, f.key));
    NTTF_CHECK(f.party.evaluator.rotate_rows(y, 1, f.rotations) ==
               twin.evaluator.rotate_rows(y, 1, f.rotations));
    NTTF_CHECK(BatchEncoder(twin.context).decode(f.plain) == BatchEncoder(f.party.context).decode(f.plain));
  }
}

NTTF_TEST("objects move between devices and memories, and to equal parameters only") {
  const Fixture f;
  for (const char* space : {"host", "elsewhere"}) {
    const auto device = nttforge::testing::make_reference_device(space);
    const ContextPtr there = Context::create(small_parameters(16, 97), device);
    const Evaluator evaluator(there);
    const Ciphertext x = f.x.to(there), three = f.three.to(there);
    NTTF_CHECK(x.context() == there && x.noise() == f.x.noise() && x.meta().source == f.x.meta().source);
    NTTF_CHECK(x.residues() == f.x.residues());
    const RelinearizationKey key = f.key.to(there);
    const RotationKeys rotations = f.rotations.to(there);
    NTTF_CHECK(evaluator.relinearize(three, key).to(f.party.context) ==
               f.party.evaluator.relinearize(f.three, f.key));
    NTTF_CHECK(evaluator.rotate_rows(x, 1, rotations).to(f.party.context) ==
               f.party.evaluator.rotate_rows(f.x, 1, f.rotations));
    NTTF_CHECK(to_bytes(rotations) == to_bytes(f.rotations));
    const SecretKey secret = f.party.generator.secret_key().to(there);
    NTTF_CHECK(Decryptor(secret).decrypt(x).to(f.party.context) == f.plain);
    NTTF_CHECK(Decryptor(secret)
                   .decrypt(Encryptor(f.party.generator.public_key().to(there)).encrypt(f.plain.to(there)))
                   .to(f.party.context) == f.plain);
    const Ciphertext seeded = f.party.secret_encryptor.encrypt(f.plain);
    NTTF_CHECK(to_bytes(seeded.to(there)) == to_bytes(seeded));
  }
  NTTF_CHECK_THROWS(f.x.to(f.other.context), ContextError, "the context has other parameters");
  NTTF_CHECK_THROWS(f.key.to(f.other.context), ContextError, "the context has other parameters");
  NTTF_CHECK_THROWS(f.x.to(nullptr), ContextError, "context is null");
  NTTF_CHECK_THROWS(Ciphertext().to(f.party.context), ContextError, "ciphertext is empty");
  NTTF_CHECK_THROWS(SecretKey().to(f.party.context), ContextError, "secret key is empty");
  NTTF_CHECK_THROWS(Plaintext().to(f.party.context), ContextError, "plaintext is empty");
}

NTTF_TEST("encodings travel with objects and do not mix") {
  const Fixture f;
  const Evaluator& e = f.party.evaluator;
  const ContextPtr& context = f.party.context;
  const BatchEncoder batch(context);
  const CoefficientEncoder coefficients(context);
  const Plaintext p = coefficients.encode(std::vector<std::uint64_t>{1, 2, 3});
  const Ciphertext x = f.party.encryptor.encrypt(p);
  NTTF_CHECK(p.encoding() == Encoding::coefficients && f.plain.encoding() == Encoding::slots);
  NTTF_CHECK(x.encoding() == Encoding::coefficients && f.x.encoding() == Encoding::slots);
  NTTF_CHECK(f.party.decryptor.decrypt(x).encoding() == Encoding::coefficients);
  NTTF_CHECK(e.multiply_relinearize(x, x, f.key).encoding() == Encoding::coefficients);
  for (const Ciphertext& y :
       {e.add(f.x, f.x), e.negate(f.x), e.sub(f.three, f.x), f.three, e.multiply_plain(f.x, f.plain),
        e.rotate_rows(f.x, 1, f.rotations), e.relinearize(f.three, f.key), Ciphertext(f.x)})
    NTTF_CHECK(y.encoding() == Encoding::slots);
  NTTF_CHECK(e.apply_galois(x, 3, f.rotations).encoding() == Encoding::coefficients);

  const char* text = "a is encoded as slots and b as coefficients: both need the same encoding";
  NTTF_CHECK_THROWS(e.add(f.x, x), ParameterError, text);
  NTTF_CHECK_THROWS(e.sub(f.x, x), ParameterError, text);
  NTTF_CHECK_THROWS(e.multiply(f.x, x), ParameterError, text);
  NTTF_CHECK_THROWS(e.add_plain(f.x, p), ParameterError, text);
  NTTF_CHECK_THROWS(e.sub_plain(f.x, p), ParameterError, text);
  NTTF_CHECK_THROWS(e.multiply_plain(f.x, p), ParameterError, text);
  NTTF_CHECK_THROWS(e.multiply_plain(f.x, PreparedPlaintext(p)), ParameterError, text);
  NTTF_CHECK_THROWS(e.multiply_plain(x, f.plain), ParameterError,
                    "a is encoded as coefficients and b as slots");
  const Ciphertext* mixed[] = {&f.x, &x};
  const Ciphertext* own[] = {&f.x, &f.x};
  NTTF_CHECK_THROWS(e.sum(mixed), ParameterError,
                    "terms[0] is encoded as slots and terms[1] as coefficients");
  NTTF_CHECK_THROWS(e.dot_product(own, mixed), ParameterError, "a[0] is encoded as slots and b[1] as");
  NTTF_CHECK_THROWS(
      e.dot_product(std::vector<Ciphertext>{f.x}, std::vector<PreparedPlaintext>{PreparedPlaintext(p)}),
      ParameterError, "a[0] is encoded as slots and b[0] as coefficients");
  Ciphertext target = f.x;
  NTTF_CHECK_THROWS(e.add_in_place(target, x), ParameterError, text);
  NTTF_CHECK_THROWS(e.sub_plain_in_place(target, p), ParameterError, text);
  NTTF_CHECK(target == f.x);
  const char* slots = "a is encoded as coefficients, and ";
  NTTF_CHECK_THROWS(e.rotate_rows(x, 1, f.rotations), ParameterError, slots);
  NTTF_CHECK_THROWS(e.swap_columns(x, f.rotations), ParameterError, slots);
  NTTF_CHECK_THROWS(e.inner_sum(x, 1, f.rotations), ParameterError, slots);
  NTTF_CHECK_THROWS(batch.decode(p), ParameterError,
                    "this encoder's data is encoded as slots and plaintext as");
  NTTF_CHECK_THROWS(coefficients.decode(f.plain), ParameterError, "plaintext as slots");

  // Without slots only coefficients exist.
  const Party even(small_parameters(16, 64), f.device);
  NTTF_CHECK_THROWS(Plaintext(even.context, Encoding::slots), UnsupportedError, "encoding=\"coefficients\"");
  NTTF_CHECK_THROWS(Ciphertext(even.context, 2, even.context->top(Encoding::slots)), UnsupportedError,
                    "t = 64 does not allow");
  NTTF_CHECK_THROWS(even.encryptor.encrypt_zero(Encoding::slots), UnsupportedError, "t = 64 does not allow");
  NTTF_CHECK(even.encryptor.encrypt_zero(Encoding::coefficients).encoding() == Encoding::coefficients);
  NTTF_CHECK_THROWS(Plaintext(context, static_cast<Encoding>(3)), ParameterError, "encoding = 3 is unknown");
  NTTF_CHECK(parse_encoding("slots") == Encoding::slots &&
             parse_encoding("coefficients") == Encoding::coefficients);
  NTTF_CHECK_THROWS(parse_encoding("Slots"), ParameterError, "encoding = 'Slots' is not one of");

  // A constant has the same coefficients in both, and means what it means in each.
  for (const Encoding encoding : {Encoding::slots, Encoding::coefficients}) {
    const Plaintext five = Plaintext::constant(context, -5, encoding);
    NTTF_CHECK(five.encoding() == encoding && five.coefficients()[0] == 92 && five.coefficients()[1] == 0);
  }
  NTTF_CHECK(batch.decode_signed(Plaintext::constant(context, -5, Encoding::slots)) ==
             std::vector<std::int64_t>(16, -5));
  NTTF_CHECK_THROWS(Plaintext::constant(context, 49, Encoding::slots), ParameterError,
                    "value = 49 is out of range [-48, 48]");
}

NTTF_TEST("exhausted noise: decryption refuses, by prediction and by measure, unless asked for by name") {
  const Fixture f;
  const Decryptor& decryptor = f.party.decryptor;
  // By prediction: bounds that say so, whatever the noise is.
  Ciphertext claimed = f.x;
  claimed.set_noise({1000, 1000});
  NTTF_CHECK_THROWS(decryptor.decrypt(claimed), NoiseError, "its predicted noise budget is -9");
  NTTF_CHECK_THROWS(decryptor.decrypt(claimed), NoiseError, "check=False");
  NTTF_CHECK(decryptor.decrypt_unchecked(claimed) == f.plain);
  // By measure: another key, and noise that nobody predicted.
  const Party stranger(f.party.context, 3);
  const Ciphertext seeded = f.party.encryptor.encrypt(f.plain, test_seed(5), 0);
  NTTF_CHECK_THROWS(stranger.decryptor.decrypt(seeded), NoiseError, "measured with the secret key");
  Ciphertext deep = seeded;
  while (decryptor.noise_budget_bits(deep) > 0) deep = f.party.evaluator.square_relinearize(deep, f.key);
  NTTF_CHECK(predicted_noise_budget_bits(deep) < 0.0);
  const Ciphertext unknown(f.party.context, 2, deep.residues(), f.party.context->top(Encoding::slots));
  NTTF_CHECK(!predicted_noise_budget_bits(unknown).has_value());
  NTTF_CHECK_THROWS(decryptor.decrypt(unknown), NoiseError, "measured with the secret key");
  NTTF_CHECK(decryptor.decrypt_unchecked(unknown) == decryptor.decrypt_unchecked(deep));
  // Nothing known and little noise: decrypts; what is computed from it is not known either.
  const Ciphertext bare(f.party.context, 2, f.x.residues(), f.party.context->top(Encoding::slots));
  NTTF_CHECK(decryptor.decrypt(bare) == f.plain);
  const Evaluator& e = f.party.evaluator;
  for (const Ciphertext& y : {e.add(bare, f.x), e.sub(f.x, bare), e.multiply(bare, f.x), e.negate(bare),
                              e.add_plain(bare, f.plain), e.multiply_plain(bare, f.plain),
                              e.rotate_rows(bare, 1, f.rotations), e.relinearize(e.square(bare), f.key)})
    NTTF_CHECK(!predicted_noise_budget_bits(y).has_value() && !y.noise().known());
}

NTTF_TEST("exhausted noise: decryption refuses exactly where the measured budget is 0") {
  // Constants scale the noise past its limit in small steps; what decrypts must be right.
  const Party party(small_parameters(64, 257, 1, 45, false), make_cpu_device(1));
  const Plaintext one(party.context, std::vector<std::uint64_t>{1});
  std::size_t refused = 0, taken = 0;
  for (std::uint8_t seed = 0; seed < 10; ++seed) {
    const Ciphertext fresh = party.secret_encryptor.encrypt(one, test_seed(seed), 0);
    Ciphertext x(party.context, 2, fresh.residues(), party.context->top(Encoding::coefficients));
    while (party.decryptor.noise_budget_bits(x) > 2) x = party.evaluator.add(x, x);
    std::uint64_t doubled = party.decryptor.decrypt(x).coefficients()[0];
    for (std::int64_t factor = 1; factor <= 12; ++factor) {
      const Ciphertext y = party.evaluator.multiply_plain(
          x, Plaintext::constant(party.context, factor, Encoding::coefficients));
      const bool exhausted = party.decryptor.noise_budget_bits(y) == 0;
      try {
        const auto values = party.decryptor.decrypt(y).coefficients();
        NTTF_CHECK(!exhausted && values[0] == doubled * static_cast<std::uint64_t>(factor) % 257 &&
                   values[1] == 0);
        ++taken;
      } catch (const NoiseError&) {
        NTTF_CHECK(exhausted);
        ++refused;
      }
    }
  }
  NTTF_CHECK(refused >= 30 && taken >= 10);
}

NTTF_TEST("empty objects: ContextError") {
  const Fixture f;
  const Evaluator& e = f.party.evaluator;
  NTTF_CHECK_THROWS(e.add(f.x, Ciphertext()), ContextError, "b is empty");
  NTTF_CHECK_THROWS(e.relinearize(f.three, RelinearizationKey()), ContextError,
                    "relinearization key is empty");
  NTTF_CHECK_THROWS(Encryptor(PublicKey()), ContextError, "public key is empty");
  NTTF_CHECK_THROWS(Encryptor(SecretKey()), ContextError, "secret key is empty");
  NTTF_CHECK_THROWS(Decryptor(SecretKey()), ContextError, "secret key is empty");
  NTTF_CHECK_THROWS(KeyGenerator(SecretKey()), ContextError, "secret key is empty");
  NTTF_CHECK_THROWS(KeyGenerator(ContextPtr()), ContextError, "context is null");
  NTTF_CHECK_THROWS(Evaluator(nullptr), ContextError, "context is null");
  NTTF_CHECK_THROWS(BatchEncoder(nullptr), ContextError, "context is null");
  NTTF_CHECK_THROWS(Plaintext().coefficients(), ContextError, "plaintext is empty");
  NTTF_CHECK_THROWS(Ciphertext().residues(), ContextError, "ciphertext is empty");
  NTTF_CHECK_THROWS(PreparedPlaintext{Plaintext()}, ContextError, "plaintext is empty");
  NTTF_CHECK_THROWS(f.party.decryptor.decrypt(Ciphertext()), ContextError, "ciphertext is empty");
  NTTF_CHECK_THROWS(to_bytes(SecretKey()), ContextError, "secret key is empty");
}

NTTF_TEST("sizes, steps and missing keys") {
  const Fixture f;
  const Evaluator& e = f.party.evaluator;
  NTTF_CHECK_THROWS(e.multiply(f.x, f.three), ParameterError,
                    "b has 3 parts, this operation needs 2: relinearize");
  NTTF_CHECK_THROWS(e.square(f.three), ParameterError, "a has 3 parts");
  NTTF_CHECK_THROWS(e.rotate_rows(f.three, 1, f.rotations), ParameterError, "relinearize it first");
  NTTF_CHECK_THROWS(
      e.rotate_rows(f.x, 3, f.rotations), MissingKeyError,
      "no key for rotation step 3 (Galois element 27); steps with a key: -2, 1; column swap: no");
  NTTF_CHECK_THROWS(e.swap_columns(f.x, f.rotations), MissingKeyError, "no key for the column swap");
  NTTF_CHECK_THROWS(e.rotate_rows(f.x, 1, RotationKeys()), MissingKeyError, "there are no rotation keys");
  NTTF_CHECK_THROWS(e.rotate_rows(f.x, 8, f.rotations), ParameterError, "rotation step = 8 is out of range");
  NTTF_CHECK_THROWS(e.apply_galois(f.x, 2, f.rotations), ParameterError, "element = 2 is not allowed");
  NTTF_CHECK_THROWS(e.apply_galois(f.x, 33, f.rotations), ParameterError, "element = 33 is not allowed");
  NTTF_CHECK_THROWS(e.inner_sum(f.x, 16, f.rotations), MissingKeyError,
                    "inner_sum over 16 slots lacks keys for the steps: 2, 4, column swap");
  NTTF_CHECK_THROWS(e.inner_sum(f.x, 5, f.rotations), ParameterError, "span = 5");
  NTTF_CHECK_THROWS(e.sum({}), SizeError, "terms is empty");
  NTTF_CHECK_THROWS(e.dot_product(std::vector<Ciphertext>(), std::vector<Ciphertext>()), SizeError,
                    "a has 0 terms");
  NTTF_CHECK_THROWS(e.dot_product(std::vector<Ciphertext>{f.x}, std::vector<PreparedPlaintext>()), SizeError,
                    "b has 0");
  NTTF_CHECK_THROWS(f.party.generator.rotation_keys(std::vector<std::int64_t>{9}), ParameterError,
                    "step = 9");
  NTTF_CHECK_THROWS(f.party.generator.galois_keys(std::vector<std::uint64_t>{4}), ParameterError,
                    "element = 4");
  NTTF_CHECK(e.rotate_rows(f.x, 0, RotationKeys()) == f.x);  // nothing to do, no key needed

  const Party plain(small_parameters(16, 97, 2, 45, false), f.device);
  const Ciphertext y = plain.encryptor.encrypt_zero(Encoding::slots);
  NTTF_CHECK_THROWS(plain.generator.rotation_keys(std::vector<std::int64_t>{1}), UnsupportedError,
                    "no special prime");
  NTTF_CHECK_THROWS(plain.evaluator.rotate_rows(y, 1, RotationKeys()), UnsupportedError, "no special prime");
  NTTF_CHECK_THROWS(plain.evaluator.relinearize(y, RelinearizationKey()), UnsupportedError,
                    "no special prime");
}

NTTF_TEST("values and shapes") {
  const Fixture f;
  const ContextPtr& context = f.party.context;
  using Unsigned = std::vector<std::uint64_t>;
  using Integers = std::vector<std::int64_t>;
  const CoefficientEncoder encoder(context);
  NTTF_CHECK_THROWS(encoder.encode(Unsigned{1, 97}), ParameterError,
                    "values[1] = 97 is out of range [0, 96]");
  NTTF_CHECK_THROWS(encoder.encode(Unsigned{97}), ParameterError,
                    "or encode signed values in [-t/2, t/2) (int64_t, in Python signed=True)");
  NTTF_CHECK_THROWS(encoder.encode(Integers{96}), ParameterError,
                    "or encode unsigned values in [0, t) (uint64_t, in Python signed=False)");
  NTTF_CHECK_THROWS(encoder.encode(Integers{0, 49}), ParameterError,
                    "values[1] = 49 is out of range [-48, 48]");
  NTTF_CHECK_THROWS(encoder.encode(Integers{-49}), ParameterError,
                    "values[0] = -49 is out of range [-48, 48]");
  NTTF_CHECK_THROWS(encoder.encode(Unsigned(17)), SizeError, "values.size() = 17 exceeds the 16 places");
  NTTF_CHECK_THROWS(BatchEncoder(context).encode(Unsigned(17)), SizeError, "values.size() = 17");
  NTTF_CHECK_THROWS(BatchEncoder(f.party.context).decode(f.plain, std::span<std::uint64_t>()), SizeError,
                    "out.size() = 0");
  NTTF_CHECK_THROWS(Plaintext(context, Unsigned{97}), ParameterError, "coefficients[0] = 97 is out of range");
  NTTF_CHECK_THROWS(Plaintext(context, Unsigned(17)), SizeError, "coefficients.size() = 17");
  NTTF_CHECK_THROWS(Ciphertext(context, 0, context->top(Encoding::slots)), ParameterError,
                    "size = 0 is not allowed");
  NTTF_CHECK_THROWS(Ciphertext(context, 4, context->top(Encoding::slots)), ParameterError,
                    "size = 4 is not allowed");
  NTTF_CHECK_THROWS(Ciphertext(context, 2, Unsigned(63), context->top(Encoding::slots)), SizeError,
                    "residues.size() = 63");
  Unsigned residues(64, 0);
  residues[33] = context->parameters().q[0];
  NTTF_CHECK_THROWS(Ciphertext(context, 2, residues, context->top(Encoding::slots)), ParameterError,
                    "part 1, limb 0, position 1 is");
  NTTF_CHECK_THROWS(SecretKey(context, Integers(15)), SizeError, "small.size() = 15");
  NTTF_CHECK_THROWS(SecretKey(context, Integers(16, 2)), ParameterError, "out of range [-1, 1]");
  const Party even(small_parameters(16, 64), f.device);
  NTTF_CHECK_THROWS(BatchEncoder(even.context), UnsupportedError, "t = 64 does not allow batching at n = 16");
  NTTF_CHECK_THROWS(RotationKeys(context).insert(f.key.key()), ParameterError, "is no Galois element");
  const Ciphertext some(context, 2, context->top(Encoding::slots));
  const Ciphertext* const missing[] = {&some, nullptr};
  NTTF_CHECK_THROWS(Evaluator(context).sum(missing), ContextError, "terms[1] is empty");
  NTTF_CHECK_THROWS(Evaluator(context).dot_product(missing, missing), ContextError, "a[1] is empty");
  NTTF_CHECK_THROWS(Ciphertext().part(0), ParameterError, "the ciphertext has 0 parts");
  NTTF_CHECK_THROWS(Ciphertext(context, 2, context->top(Encoding::slots)).part(2), ParameterError,
                    "i = 2: the ciphertext has 2 parts");
  NTTF_CHECK_THROWS(RelinearizationKey(f.rotations.key(3)), ParameterError,
                    "key.purpose() = 3 is a rotation's");
}

}  // namespace
}  // namespace nttforge::bfv::testing
