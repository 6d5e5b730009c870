// SPDX-License-Identifier: Apache-2.0
// Secrets of every distribution, and keys that lead from one secret to another.

#include <algorithm>

#include "nttforge/base/error.hpp"
#include "nttforge/bgv/testing.hpp"
#include "nttforge/device/testing.hpp"
#include "nttforge/device/testing_reference.hpp"
#include "nttforge/integer_encoding/testing_bytes.hpp"

namespace nttforge::bgv::testing {
namespace {

using integer_encoding::testing::Bytes;
using integer_encoding::testing::resealed;
using integer_encoding::testing::torture;

Parameters with_secret(const SecretDistribution& secret) {
  Parameters parameters = hybrid_parameters(64, 257, 4, 50, 2);
  parameters.secret = secret;
  parameters.validate();
  return parameters;
}

std::vector<std::shared_ptr<const Device>> devices() {
  std::vector<std::shared_ptr<const Device>> result = nttforge::testing::gpu_devices();
  result.push_back(nttforge::testing::make_reference_device("elsewhere"));
  result.push_back(make_cpu_device(2));
  return result;
}

NTTF_TEST("secrets of every distribution: one seed gives the same keys on every device") {
  for (const SecretDistribution secret :
       {SecretDistribution::ternary, SecretDistribution::binary, SecretDistribution::sparse(12)}) {
    std::vector<Bytes> keys;
    for (const auto& device : devices()) {
      const Party party(with_secret(secret), device);
      const Bytes bytes = to_bytes(party.generator.secret_key());
      NTTF_CHECK(to_bytes(secret_key_from_bytes(party.context, bytes)) == bytes);
      keys.push_back(bytes);
      const Bytes open = to_bytes(party.generator.public_key());
      keys.back().insert(keys.back().end(), open.begin(), open.end());
      NTTF_CHECK(keys.back() == keys.front());
    }
  }
}

NTTF_TEST("sparse secrets: bytes, descriptions, checks, and no table that covers them") {
  const Parameters parameters = with_secret(SecretDistribution::sparse(12));
  NTTF_CHECK(parameters.describe().find("sparse secret of weight 12") != std::string::npos);
  NTTF_CHECK(parameters_from_bytes(to_bytes(parameters), true, kStrictestTable) == parameters);
  NTTF_CHECK_EQ(parameters.security_verdict().bits, 0u);
  Parameters secure = Parameters::preset(4096);
  secure.secret = SecretDistribution::sparse(192);
  NTTF_CHECK_THROWS(secure.validate(), ParameterError,
                    "a sparse secret of weight 192 is not covered by the 2024 security guidelines");
  secure.security = SecurityLevel::insecure_by_request;
  secure.validate();
  NTTF_CHECK_THROWS(with_secret(SecretDistribution::sparse(65)), ParameterError,
                    "secret weight = 65 is out of range [1, n = 64]");
  Bytes bytes = to_bytes(with_secret(SecretDistribution::ternary));
  bytes[32 + 28] = 1;
  NTTF_CHECK_THROWS(parameters_from_bytes(resealed(bytes), true, kStrictestTable), FormatError, "");
  const Party party(parameters, make_cpu_device(1));
  std::vector<std::int64_t> small(64);
  std::fill_n(small.begin(), 11, -1);
  NTTF_CHECK_THROWS(SecretKey(party.context, small), ParameterError,
                    "the number of coefficients that are not 0 is not that of a sparse secret of weight 12");
  small[63] = 1;
  SecretKey(party.context, small);
  small[63] = 2;
  NTTF_CHECK_THROWS(SecretKey(party.context, small), ParameterError, "out of range [-1, 1]");
}

/// A dense secret with keys to a sparse one at the lowest level, and back at the highest.
struct Encapsulation {
  explicit Encapsulation(const std::shared_ptr<const Device>& device)
      : party(with_secret(SecretDistribution::ternary), device),
        ephemeral(party.context, test_seed(9), SecretDistribution::sparse(8)),
        dense(party.generator.secret_key()),
        sparse(ephemeral.secret_key()),
        lowest(party.context->lowest_level()),
        to_sparse(party.generator.key_switch_key(dense, sparse, 0, lowest)),
        to_dense(party.generator.key_switch_key(sparse, dense, 1)) {}
  Party party;
  KeyGenerator ephemeral;
  SecretKey dense, sparse;
  std::size_t lowest;
  KeySwitchKey to_sparse, to_dense;
};

NTTF_TEST("keys between secrets: to a sparse one at the lowest level and back, the same on every device") {
  std::vector<Bytes> first;
  for (const auto& device : devices()) {
    const Encapsulation w(device);
    const Evaluator& e = w.party.evaluator;
    NTTF_CHECK_EQ(w.to_sparse.level(), w.lowest);
    NTTF_CHECK_EQ(w.to_dense.level(), w.party.context->limbs());
    Rng rng(3);
    const Plaintext plain(w.party.context, random_values(rng, 64, 257), Encoding::coefficients);
    const Decryptor decrypts(w.dense), decrypts_sparse(w.sparse);
    const Ciphertext x = w.party.encryptor.encrypt(plain, test_seed(2), 0);
    const Ciphertext low = e.mod_switch_to(x, w.lowest);
    const Ciphertext inside = e.switch_secret(low, w.to_sparse);
    NTTF_CHECK(decrypts_sparse.decrypt(inside) == plain);
    NTTF_CHECK(decrypts_sparse.noise_budget_bits(inside) >= *predicted_noise_budget_bits(inside));
    const Ciphertext back = e.switch_secret(inside, w.to_dense);
    NTTF_CHECK(decrypts.decrypt(back) == plain);
    const Encryptor by_sparse(w.sparse);
    const Ciphertext high = e.switch_secret(by_sparse.encrypt(plain, test_seed(4), 0), w.to_dense);
    NTTF_CHECK(decrypts.decrypt(high) == plain);
    NTTF_CHECK_THROWS(e.switch_secret(x, w.to_sparse), ParameterError, "key-switching key: at level");
    NTTF_CHECK_THROWS(e.switch_secret(e.multiply(x, x), w.to_dense), ParameterError, "parts");
    const std::vector<Bytes> now{to_bytes(w.to_sparse), to_bytes(w.to_dense), to_bytes(back), to_bytes(high)};
    if (first.empty()) first = now;
    NTTF_CHECK(now == first);
  }
}

NTTF_TEST("keys between secrets: bytes, and what is refused") {
  const Encapsulation w(make_cpu_device(1));
  for (const KeySwitchKey& key : {w.to_sparse, w.to_dense}) {
    const Bytes bytes = to_bytes(key);
    const KeySwitchKey read = key_switch_key_from_bytes(w.party.context, bytes);
    NTTF_CHECK(to_bytes(read) == bytes);
    NTTF_CHECK_EQ(read.level(), key.level());
    NTTF_CHECK(to_bytes(key.to(Context::create(w.party.context->parameters()))) == bytes);
  }
  const Bytes good = to_bytes(w.to_sparse);
  torture(good, [&](const Bytes& bytes) { return key_switch_key_from_bytes(w.party.context, bytes); });
  for (const unsigned purpose : {0u, 2u, 5u}) {
    Bytes changed = good;
    changed[40] = static_cast<std::uint8_t>(purpose);
    NTTF_CHECK_THROWS(key_switch_key_from_bytes(w.party.context, resealed(changed)), FormatError,
                      "purpose = " + std::to_string(purpose) + " is not allowed");
  }
  const KeyGenerator& generator = w.party.generator;
  NTTF_CHECK_THROWS(to_bytes(generator.relinearization_key().key()), ParameterError, "purpose = 0");
  NTTF_CHECK_THROWS(RelinearizationKey(w.to_dense), ParameterError, "key.purpose() = 6");
  RotationKeys rotations(w.party.context);
  NTTF_CHECK_THROWS(rotations.insert(w.to_dense), ParameterError, "no Galois element");
  // The same pair again is the same key, at any level; another pair would share its randomness.
  NTTF_CHECK(to_bytes(generator.key_switch_key(w.dense, w.sparse, 0, w.lowest)) == good);
  NTTF_CHECK_THROWS(generator.key_switch_key(w.sparse, w.dense, 0), ParameterError,
                    "index = 0 has made a key for other secrets");
  NTTF_CHECK_THROWS(generator.key_switch_key(w.dense, w.sparse, 1u << 22), ParameterError, "out of range");
  NTTF_CHECK_THROWS(generator.key_switch_key(w.dense, w.sparse, 2, 9), ParameterError,
                    "level = 9 is out of range");
  NTTF_CHECK_THROWS(generator.key_switch_key(SecretKey(), w.sparse, 2), ContextError, "from is empty");
  NTTF_CHECK_THROWS(KeyGenerator(w.party.context, test_seed(1), SecretDistribution::sparse(22)),
                    ParameterError, "take a sparse one of weight 1 ... 21");
  NTTF_CHECK_THROWS(KeyGenerator(w.party.context, test_seed(1), SecretDistribution::binary), ParameterError,
                    "a binary secret may be longer than the ternary secret");
}

}  // namespace
}  // namespace nttforge::bgv::testing
