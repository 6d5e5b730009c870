// SPDX-License-Identifier: Apache-2.0
// Keys in host memory: the same words as from the device, however many are cached.

#include <thread>

#include "nttforge/bfv/testing.hpp"
#include "nttforge/device/testing.hpp"
#include "nttforge/device/testing_reference.hpp"
#include "nttforge/rlwe/offload/key_words.hpp"

namespace nttforge::bfv::testing {
namespace {

using Steps = std::vector<std::int64_t>;

std::vector<std::shared_ptr<const Device>> devices() {
  std::vector<std::shared_ptr<const Device>> result = nttforge::testing::gpu_devices();
  result.push_back(nttforge::testing::make_reference_device("elsewhere"));
  return result;
}

std::vector<Parameters> sets() {
  const auto narrow = ntt_primes(32, 30, 4);
  return {small_parameters(32, 65537, 3, 45), hybrid_parameters(32, 65537, 4, 50, 2),
          Parameters::custom(32, 65537, {narrow.begin() + 1, narrow.end()}, narrow.front(),
                             SecurityLevel::insecure_by_request, SecretDistribution::ternary,
                             ErrorDistribution::sigma_3_2, kStrictestTable, 32)};
}

/// Everything that keys are used for.
std::vector<Ciphertext> results(const Party& party, const RelinearizationKey& key, const RotationKeys& keys,
                                const Ciphertext& x) {
  const Evaluator& e = party.evaluator;
  return {e.multiply_relinearize(x, x, key), e.rotate_rows(x, 1, keys), e.rotate_rows(x, 4, keys),
          e.swap_columns(x, keys),           e.inner_sum(x, 32, keys),  e.rotate_rows(x, 1, keys)};
}

NTTF_TEST("keys in host memory give the same words and bytes, and come back") {
  Rng rng;
  for (const auto& device : devices())
    for (const Parameters& parameters : sets()) {
      const Party party(parameters, device);
      const Ciphertext x =
          party.encryptor.encrypt(Plaintext(party.context, random_values(rng, 32, 65537), Encoding::slots));
      const Steps steps{1, 2, 4, 8};
      const RelinearizationKey key = party.generator.relinearization_key();
      RotationKeys keys = party.generator.rotation_keys(steps, true);
      const auto want = results(party, key, keys, x);
      const auto key_bytes = to_bytes(key), keys_bytes = to_bytes(keys);
      for (const std::size_t cached : {0, 1, 2, 3, 9, 1}) {
        const RotationKeys copy = keys;
        key.offload(cached);
        keys.offload(cached);
        NTTF_CHECK(key.offloaded() && keys.offloaded());
        for (int round = 0; round < 2; ++round) NTTF_CHECK(results(party, key, keys, x) == want);
        NTTF_CHECK(results(party, key, copy, x) == want);
        NTTF_CHECK(to_bytes(key) == key_bytes && to_bytes(keys) == keys_bytes);
      }
      const auto other = Context::create(parameters, make_cpu_device(1));
      NTTF_CHECK(to_bytes(keys.to(other)) == keys_bytes && to_bytes(key.to(other)) == key_bytes);
      for (int round = 0; round < 2; ++round) {
        key.load();
        keys.load();
        NTTF_CHECK(!key.offloaded() && !keys.offloaded());
        NTTF_CHECK(results(party, key, keys, x) == want);
      }
      RotationKeys made = party.generator.rotation_keys(steps, true, 1);
      const RotationKeys read = rotation_keys_from_bytes(party.context, keys_bytes, 0);
      NTTF_CHECK(made.offloaded() && read.offloaded());
      NTTF_CHECK(to_bytes(made) == keys_bytes && to_bytes(read) == keys_bytes);
      NTTF_CHECK(results(party, key, made, x) == want && results(party, key, read, x) == want);
      made.insert(party.generator.rotation_keys(Steps{3}).key(rotation_element(32, 3)));
      NTTF_CHECK(made.key(rotation_element(32, 3)).place().offloaded());
    }
}

NTTF_TEST("on a CPU nothing is moved to host memory") {
  const Party party(small_parameters(32, 65537), make_cpu_device(1));
  const RelinearizationKey key = party.generator.relinearization_key();
  RotationKeys keys = party.generator.rotation_keys(Steps{1}, false, 1);
  key.offload();
  keys.offload();
  NTTF_CHECK(!key.offloaded() && !keys.offloaded());
  NTTF_CHECK_THROWS(RotationKeys().offload(), ContextError, "rotation keys is empty");
  NTTF_CHECK_THROWS(RelinearizationKey().offload(), ContextError, "relinearization key is empty");
  NTTF_CHECK(!RotationKeys().offloaded() && !RelinearizationKey().offloaded());
}

NTTF_TEST("keys in host memory are moved and used by threads at once") {
  Rng rng;
  const Party party(small_parameters(32, 65537, 3, 45), devices().front());
  const Ciphertext x =
      party.encryptor.encrypt(Plaintext(party.context, random_values(rng, 32, 65537), Encoding::slots));
  const RelinearizationKey key = party.generator.relinearization_key();
  const RotationKeys keys = party.generator.rotation_keys(Steps{1, 2, 4, 8}, true);
  const auto want = results(party, key, keys, x);
  std::vector<std::thread> threads;
  std::vector<int> right(4, 0);
  for (std::size_t i = 0; i < right.size(); ++i)
    threads.emplace_back([&, i] {
      RotationKeys mine = keys;
      for (std::size_t round = 0; round < 4; ++round) {
        if (i == 0) key.offload(round % 2);
        if (i == 0) mine.offload(round);
        if (i == 1) key.load();
        if (results(party, key, mine, x) == want) ++right[i];
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const int count : right) NTTF_CHECK_EQ(count, 4);
}

}  // namespace
}  // namespace nttforge::bfv::testing
