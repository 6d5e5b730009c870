// SPDX-License-Identifier: Apache-2.0
#pragma once

// One seed, one answer: the bytes of every kind of object and operation, on every device. Not installed.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
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
/// form: what ciphertexts are turned to before, if not as they are.
template <class Scheme>
std::vector<Bytes> transcript(const typename Scheme::Parameters& parameters,
                              std::shared_ptr<const Device> device, std::optional<Form> form = {}) {
  const auto bytes = [&](const Ciphertext& c) { return to_bytes(form.has_value() ? c.in(*form) : c); };
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
      bytes(x),
      bytes(y),
      bytes(product),
      bytes(square),
      bytes(relinearized),
      bytes(e.add(x, y)),
      bytes(e.sub(x, product)),
      bytes(e.negate(x)),
      bytes(e.add_plain(x, b)),
      bytes(e.sub_plain(x, b)),
      bytes(e.multiply_plain(x, b)),
      bytes(e.apply_galois(x, rotation_element(n, 3), rotations)),
      bytes(e.apply_galois(relinearized, column_swap_element(n), rotations)),
      bytes(e.dot_product(std::vector<Ciphertext>{x, y, x}, std::vector<Ciphertext>{y, x, x})),
      to_bytes(party.decryptor.decrypt_unchecked(relinearized)),
      to_bytes(party.decryptor.decrypt_unchecked(square))};
  if (parameters.has_batching())
    result.push_back(to_bytes(BatchEncoder(party.context).encode(random_values(rng, n, parameters.t))));
  for (const Ciphertext& c : Scheme::further_operations(e, x, product, key)) result.push_back(bytes(c));
  return result;
}

/// throws, saying what was found, unless these are the frozen checksums of the objects.
inline void check_frozen(std::span<const Bytes> objects, std::span<const std::uint64_t> frozen) {
  bool same = objects.size() == frozen.size();
  std::string text;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const std::uint64_t checksum = checksum64(objects[i]);
    same = same && checksum == frozen[i];
    text += std::to_string(checksum) + "u, ";
  }
  if (!same) nttforge::testing::fail(__FILE__, __LINE__, "found " + text);
}

/// The checksum of the checksums of all.
inline std::uint64_t checksum_of_all(std::span<const Bytes> objects) {
  ByteWriter writer;
  for (const Bytes& bytes : objects) writer.u64(checksum64(bytes));
  return checksum64(writer.data());
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
