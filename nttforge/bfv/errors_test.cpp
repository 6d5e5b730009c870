// SPDX-License-Identifier: Apache-2.0
// What bad input gets: type, message, operands unchanged.

#include "nttforge/base/error.hpp"
#include "nttforge/bfv/testing.hpp"

namespace nttforge::bfv::testing {
namespace {

struct Fixture {
  std::shared_ptr<const Backend> backend = make_cpu_backend(1);
  Party party{small_parameters(16, 97), backend};
  Party other{small_parameters(16, 257), backend, 2};
  Plaintext plain{party.context, std::vector<std::uint64_t>{1, 2, 3}};
  Plaintext foreign_plain{other.context, std::vector<std::uint64_t>{1}};
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
  NTTF_CHECK_THROWS((encoder.decode(f.plain, all.first(n + 1)), 0), SizeError, "out.size() = 17");
  std::vector<std::int64_t> centred(n + 1);
  NTTF_CHECK_THROWS((encoder.decode_signed(f.plain, centred), 0), SizeError, "out.size() = 17");
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

  // The same parameters on another backend object live in other memory.
  const Party elsewhere(small_parameters(16, 97), make_cpu_backend(1));
  NTTF_CHECK_THROWS(e.add(f.x, elsewhere.encryptor.encrypt_zero()), ContextError, "lives on another backend");
  // The same parameters on the same backend are compatible.
  const Party twin(small_parameters(16, 97), f.backend);
  NTTF_CHECK(twin.decryptor.decrypt(f.x) == f.plain);
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

  const Party plain(small_parameters(16, 97, 2, 45, false), f.backend);
  const Ciphertext y = plain.encryptor.encrypt_zero();
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
  NTTF_CHECK_THROWS(Ciphertext(context, 1), ParameterError, "size = 1 is not allowed");
  NTTF_CHECK_THROWS(Ciphertext(context, 4), ParameterError, "size = 4 is not allowed");
  NTTF_CHECK_THROWS(Ciphertext(context, 2, Unsigned(63), Noise{}), SizeError, "residues.size() = 63");
  Unsigned residues(64, 0);
  residues[33] = context->parameters().q[0];
  NTTF_CHECK_THROWS(Ciphertext(context, 2, residues, Noise{}), ParameterError,
                    "part 1, limb 0, position 1 is");
  NTTF_CHECK_THROWS(SecretKey(context, Integers(15)), SizeError, "small.size() = 15");
  NTTF_CHECK_THROWS(SecretKey(context, Integers(16, 2)), ParameterError, "out of range [-1, 1]");
  const Party even(small_parameters(16, 64), f.backend);
  NTTF_CHECK_THROWS(BatchEncoder(even.context), UnsupportedError, "t = 64 does not allow batching at n = 16");
  NTTF_CHECK_THROWS(RotationKeys(context).insert(f.key.key()), ParameterError, "is no Galois element");
  const Ciphertext some(context, 2);
  const Ciphertext* const missing[] = {&some, nullptr};
  NTTF_CHECK_THROWS(Evaluator(context).sum(missing), ContextError, "terms[1] is empty");
  NTTF_CHECK_THROWS(Evaluator(context).dot_product(missing, missing), ContextError, "a[1] is empty");
  NTTF_CHECK_THROWS(Ciphertext().part(0), ParameterError, "the ciphertext has 0 parts");
  NTTF_CHECK_THROWS(Ciphertext(context, 2).part(2), ParameterError, "i = 2: the ciphertext has 2 parts");
  NTTF_CHECK_THROWS(RelinearizationKey(f.rotations.key(3)), ParameterError,
                    "key.purpose() = 3 is a rotation's");
}

}  // namespace
}  // namespace nttforge::bfv::testing
