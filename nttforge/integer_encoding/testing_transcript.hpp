// SPDX-License-Identifier: Apache-2.0
#pragma once

// One seed, one answer: the bytes of every kind of object and operation, on every device. Not installed.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nttforge/base/target.hpp"
#include "nttforge/device/testing.hpp"
#include "nttforge/device/testing_reference.hpp"
#include "nttforge/integer_encoding/testing.hpp"
#include "nttforge/integer_encoding/testing_bytes.hpp"

namespace nttforge::integer_encoding::testing {

/// Every kind of object and operation, serialised; Scheme::further_operations gives those that only it has.
template <class Scheme>
std::vector<Bytes> transcript(const typename Scheme::Parameters& parameters,
                              std::shared_ptr<const Device> device) {
  const PartyOf<Scheme> party(parameters, std::move(device), 9);
  const auto& e = party.evaluator;
  Rng rng(7);
  const std::size_t n = parameters.n;
  const Plaintext a(party.context, random_values(rng, n, parameters.t)),
      b(party.context, random_values(rng, n, parameters.t));
  const Ciphertext x = party.encryptor.encrypt(a, test_seed(4), 1),
                   y = party.secret_encryptor.encrypt(b, test_seed(4), 2);
  const auto key = party.generator.relinearization_key();
  const auto rotations = party.generator.rotation_keys(std::vector<std::int64_t>{1, 3}, true);
  const Ciphertext product = e.multiply(x, y), square = e.square(y);
  const Ciphertext relinearized = e.relinearize(product, key);
  std::vector<Bytes> result{
      to_bytes(party.generator.secret_key()),
      to_bytes(party.generator.public_key()),
      to_bytes(key),
      to_bytes(rotations),
      to_bytes(x),
      to_bytes(y),
      to_bytes(product),
      to_bytes(square),
      to_bytes(relinearized),
      to_bytes(e.add(x, y)),
      to_bytes(e.sub(x, product)),
      to_bytes(e.negate(x)),
      to_bytes(e.add_plain(x, b)),
      to_bytes(e.sub_plain(x, b)),
      to_bytes(e.multiply_plain(x, b)),
      to_bytes(e.apply_galois(x, rotation_element(n, 3), rotations)),
      to_bytes(e.apply_galois(relinearized, column_swap_element(n), rotations)),
      to_bytes(e.dot_product(std::vector<Ciphertext>{x, y, x}, std::vector<Ciphertext>{y, x, x})),
      to_bytes(party.decryptor.decrypt_unchecked(relinearized)),
      to_bytes(party.decryptor.decrypt_unchecked(square))};
  if (parameters.has_batching())
    result.push_back(to_bytes(BatchEncoder(party.context).encode(random_values(rng, n, parameters.t))));
  for (const Ciphertext& c : Scheme::further_operations(e, x, product, key)) result.push_back(to_bytes(c));
  return result;
}

/// The same bytes on the reference device, every target and thread count, and GPUs.
template <class Scheme>
void check_same_bytes(std::span<const typename Scheme::Parameters> sets) {
  std::vector<std::shared_ptr<const Device>> devices = nttforge::testing::gpu_devices();
  for (const Target target : kAllTargets) {
    if (!target_available(target)) {
      std::printf("skipped target %s: not available here\n", std::string(target_name(target)).c_str());
      continue;
    }
    for (unsigned threads : {1u, 3u}) devices.push_back(make_cpu_device(threads, target));
  }
  for (const auto& parameters : sets) {
    const auto expected = transcript<Scheme>(parameters, nttforge::testing::make_reference_device());
    for (const auto& device : devices) {
      const auto found = transcript<Scheme>(parameters, device);
      NTTF_CHECK_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i] != expected[i])
          nttforge::testing::fail(__FILE__, __LINE__,
                                  "object " + std::to_string(i) + " differs on " + device->description() +
                                      ", " + parameters.describe());
    }
  }
}

/// A set with words of 32 bits gives the payloads of the same set with 64, on every device.
template <class Scheme>
void check_narrow_words(const typename Scheme::Parameters& wide) {
  auto narrow = wide;
  narrow.word_bits = 32;
  check_same_bytes<Scheme>(std::span(&narrow, 1));
  const auto device = make_cpu_device(1);
  const auto expected = transcript<Scheme>(wide, device), found = transcript<Scheme>(narrow, device);
  NTTF_CHECK_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    NTTF_CHECK_EQ(found[i].size(), expected[i].size());
    NTTF_CHECK(std::equal(found[i].begin() + 32, found[i].end() - 8, expected[i].begin() + 32));
  }
  NTTF_CHECK_EQ(2 * narrow.memory_sizes().ciphertext, wide.memory_sizes().ciphertext);
  NTTF_CHECK(narrow.describe().find("32-bit words") != std::string::npos);
}

}  // namespace nttforge::integer_encoding::testing
