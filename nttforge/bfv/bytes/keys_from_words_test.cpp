// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/bytes/keys_from_words.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/bfv/testing.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/rlwe/galois.hpp"

namespace nttforge::bfv::testing {
namespace {

std::vector<std::uint64_t> downloaded(const ContextPtr& context, ConstWordPtr data, std::size_t words) {
  std::vector<std::uint64_t> result(words);
  context->queue().download(data, result);
  return result;
}

NTTF_TEST("keys from words work as those that the words are of") {
  const auto context = Context::create(small_parameters(64, 257, 3, 45), make_cpu_device(1));
  const RingTables& ring = context->ring_key();
  const KeyGenerator generator(context, Seed{});
  const std::size_t digit_words = 2 * ring.words() * context->parameters().digits();

  const auto s = downloaded(context, generator.secret_key().data(), ring.words());
  const SecretKey secret = secret_key_from_words(context, s);
  NTTF_CHECK(downloaded(context, secret.data(), ring.words()) == s);
  NTTF_CHECK(to_bytes(secret) == to_bytes(generator.secret_key()));

  const PublicKey made = generator.public_key();
  const PublicKey read = public_key_from_words(context, downloaded(context, made.data(), 2 * ring.words()));
  NTTF_CHECK(!read.seed().has_value());
  NTTF_CHECK_THROWS(to_bytes(read), UnsupportedError, "no seed");

  const RelinearizationKey relinearization = generator.relinearization_key();
  const auto words = downloaded(context, relinearization.key().words().data(), digit_words);
  const RelinearizationKey other(key_switch_key_from_words(context, words, 0));
  const auto element = static_cast<std::uint32_t>(rotation_element(64, 1));
  const std::int64_t steps[] = {1};
  const RotationKeys rotations = generator.rotation_keys(steps, false);
  RotationKeys others(context);
  others.insert(key_switch_key_from_words(
      context, downloaded(context, rotations.key(element).words().data(), digit_words), element));

  const Evaluator evaluator(context);
  Ciphertext c = Encryptor(read).encrypt(Plaintext::constant(context, 7, Encoding::slots));
  const Ciphertext product = evaluator.multiply(c, c);
  const Ciphertext ours =
      evaluator.rotate_rows(evaluator.relinearize(product, relinearization), 1, rotations);
  const Ciphertext theirs = evaluator.rotate_rows(evaluator.relinearize(product, other), 1, others);
  NTTF_CHECK(ours == theirs);
  NTTF_CHECK(Decryptor(secret).decrypt(theirs) == Plaintext::constant(context, 49, Encoding::slots));
  NTTF_CHECK_THROWS(to_bytes(other), UnsupportedError, "keep the bytes that it was read from");
  NTTF_CHECK_THROWS(to_bytes(others), UnsupportedError, "no seed");
}

NTTF_TEST("keys from words: sizes, ranges and secrets that are none are refused") {
  const auto context = Context::create(small_parameters(8, 97, 2, 30), make_cpu_device(1));
  const RingTables& ring = context->ring_key();
  std::vector<std::uint64_t> words(ring.words());
  NTTF_CHECK_THROWS(public_key_from_words(context, words), SizeError, "2 polynomials of 3 limbs of n = 8");
  NTTF_CHECK_THROWS(key_switch_key_from_words(context, words, 0), SizeError, "4 polynomials");
  NTTF_CHECK_THROWS(secret_key_from_words(nullptr, words), ContextError, "context is null");
  words.resize(2 * ring.words());
  words[ring.words() + 9] = ring.spec().moduli[1];
  NTTF_CHECK_THROWS(public_key_from_words(context, words), ParameterError,
                    "limb 1 of polynomial 1, position 1");
  words[ring.words() + 9] -= 1;
  public_key_from_words(context, words);

  const KeyGenerator generator(context, Seed{});
  const auto s = downloaded(context, generator.secret_key().data(), ring.words());
  secret_key_from_words(context, s);
  for (std::size_t i = 0; i < s.size(); ++i) {
    for (const std::uint64_t change : {std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
      auto bad = s;
      bad[i] += change;
      NTTF_CHECK_THROWS(secret_key_from_words(context, bad), ParameterError, "one polynomial");
    }
  }
  const auto bare = Context::create(small_parameters(8, 97, 2, 30, false), make_cpu_device(1));
  NTTF_CHECK_THROWS(key_switch_key_from_words(bare, words, 0), UnsupportedError, "special prime");
}

}  // namespace
}  // namespace nttforge::bfv::testing
