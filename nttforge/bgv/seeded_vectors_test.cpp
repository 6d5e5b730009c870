// SPDX-License-Identifier: Apache-2.0
// Keys and ciphertexts against the oracle's bgv_seeded.json: word for word from the seeds, at every level, on
// every target that this machine can run and on the reference device.

#include <cmath>
#include <string>

#include "nttforge/bgv/testing.hpp"
#include "nttforge/device/testing.hpp"
#include "nttforge/device/testing_reference.hpp"
#include "nttforge/integer_encoding/testing_seeded.hpp"

namespace nttforge::bgv::testing {
namespace {

using namespace integer_encoding::testing;  // NOLINT: words of vectors

const Json& vectors() {
  static const Json document = nttforge::testing::load_vectors("bgv_seeded.json");
  return document;
}

std::vector<std::shared_ptr<const Device>> devices() {
  std::vector<std::shared_ptr<const Device>> result{nttforge::testing::make_reference_device()};
  for (const Target target : available_targets()) result.push_back(make_cpu_device(1, target));
  for (const auto& device : nttforge::testing::gpu_devices()) result.push_back(device);
  return result;
}

/// One case of the file, on one device.
class Case {
 public:
  Case(const Json& c, std::shared_ptr<const Device> device)
      : case_(c),
        context_(Context::create(parameters_of<Parameters>(c), std::move(device))),
        generator_(context_, seed_of(vectors().at("key_seed"))),
        decryptor_(generator_.secret_key()),
        evaluator_(context_) {}

  void run() {
    check_keys(case_, generator_);
    const Seed seed = seed_of(vectors().at("encryption_seed"));
    const Plaintext plain_x(context_, case_.at("plain_x").as_u64_vector());
    const Plaintext plain_y(context_, case_.at("plain_y").as_u64_vector());
    const Ciphertext x = Encryptor(generator_.public_key()).encrypt(plain_x, seed, 0);
    const Ciphertext y = Encryptor(generator_.secret_key()).encrypt(plain_y, seed, 1);
    const RelinearizationKey key = generator_.relinearization_key();
    const Ciphertext product = evaluator_.multiply(x, y), lower = evaluator_.mod_switch(product);
    const Ciphertext lower_relinearized = evaluator_.relinearize(lower, key);
    check(x, "x");
    check(y, "y");
    check(evaluator_.add(x, y), "x + y");
    check(evaluator_.add_plain(x, plain_y), "x plus plain y");
    check(evaluator_.multiply_plain(x, plain_y), "x times plain y");
    check(product, "x y");
    check(evaluator_.relinearize(product, key), "relinearized");
    check(lower, "x y, one level down");
    check(lower_relinearized, "x y, one level down, relinearized");
    check(evaluator_.add(lower_relinearized, x), "x y, one level down, relinearized, plus x");
    check(evaluator_.add_plain(lower_relinearized, plain_y), "x y, one level down, plus plain y");
    check(evaluator_.mod_switch_to(x, 1), "x at level 1");
    for (const Json& galois : case_.at("galois_keys").elements()) {
      const std::uint64_t element = galois.at("element").as_u64();
      const RotationKeys keys = generator_.galois_keys(std::span(&element, 1));
      check_key(keys.key(element), galois.at("fnv1a").as_u64());
      const std::string name = ", element " + std::to_string(element);
      check(evaluator_.apply_galois(x, element, keys), "x" + name);
      check(evaluator_.apply_galois(evaluator_.mod_switch(x), element, keys), "x, one level down" + name);
    }
  }

 private:
  void check(const Ciphertext& x, const std::string& name) {
    const Json& expected = named(case_.at("ciphertexts"), name);
    NTTF_CHECK_EQ(x.level(), expected.at("level").as_u64());
    NTTF_CHECK_EQ(x.factor(), expected.at("factor").as_u64());
    if (!same_words(x.residues(), expected, "parts"))
      nttforge::testing::fail(__FILE__, __LINE__, name + " on " + context_->device().description());
    const BigUint noise = BigUint::from_decimal(expected.at("noise").as_string());
    const double budget = context_->noise_model().limit_log2(x.level()) - noise.log2();
    NTTF_CHECK(std::abs(decryptor_.noise_budget_bits(x) - budget) < 1e-6);
    NTTF_CHECK(*predicted_noise_budget_bits(x) <= budget);
    if (const Json* message = expected.find("message"))
      NTTF_CHECK(decryptor_.decrypt_unchecked(x).coefficients() == words_of(*message));
  }

  const Json& case_;
  ContextPtr context_;
  KeyGenerator generator_;
  Decryptor decryptor_;
  Evaluator evaluator_;
};

NTTF_TEST("vectors of BGV: keys and ciphertexts from seeds, word for word on every device") {
  NTTF_CHECK(vectors().at("cases").size() >= 4);
  for (const Json& c : vectors().at("cases").elements())
    for (const auto& device : devices()) Case(c, device).run();
}

NTTF_TEST("vectors of BGV: without a special prime") {
  const Json& c = vectors().at("without_special_prime");
  for (const auto& device : devices()) {
    const ContextPtr context = Context::create(parameters_of<Parameters>(c), device);
    const KeyGenerator generator(context, seed_of(vectors().at("key_seed")));
    const PublicKey key = generator.public_key();
    NTTF_CHECK(same_words(download(*context, key.data(), 2 * context->ring_q().words()), c, "public_key"));
    const Plaintext plain(context, c.at("plain").as_u64_vector());
    const Ciphertext x = Encryptor(key).encrypt(plain, seed_of(vectors().at("encryption_seed")), 0);
    NTTF_CHECK(same_words(x.residues(), c, "parts"));
    NTTF_CHECK(Decryptor(generator.secret_key()).decrypt(x) == plain);
  }
}

}  // namespace
}  // namespace nttforge::bgv::testing
