// SPDX-License-Identifier: Apache-2.0
// Keys of a bootstrap as bytes, in parts, in host memory and in other contexts.

#include "nttforge/ckks/bootstrap/keys.hpp"

#include <algorithm>

#include "nttforge/base/text/bytes.hpp"
#include "nttforge/ckks/bootstrap/presets.hpp"
#include "nttforge/ckks/testing.hpp"
#include "nttforge/rlwe/offload/key_words.hpp"

namespace nttforge::ckks::testing {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bootstrap small_options() { return {.slots = 4, .to_slots = {1, 1}, .to_coefficients = {1, 1}}; }

Bytes streamed(const Bootstrapper& bootstrapper, const BootstrapKeys& keys) {
  Bytes bytes;
  std::uint64_t last = 0, total = 0;
  write(
      bootstrapper, keys, [&](auto part) { bytes.insert(bytes.end(), part.begin(), part.end()); },
      [&](std::uint64_t done, std::uint64_t all) {
        NTTF_CHECK(done > last && done <= all);
        last = done;
        total = all;
      });
  NTTF_CHECK(last == total && total == bytes.size());
  return bytes;
}

BootstrapKeys from_stream(const Bootstrapper& bootstrapper, const Bytes& bytes,
                          std::optional<std::size_t> offload = std::nullopt) {
  std::size_t at = 0;
  BootstrapKeys keys = read_bootstrap_keys(
      bootstrapper,
      [&](std::span<std::uint8_t> part) {
        const std::size_t count = std::min(part.size(), bytes.size() - at);
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, part.begin());
        at += count;
        return count;
      },
      {}, offload);
  NTTF_CHECK_EQ(at, bytes.size());
  return keys;
}

NTTF_TEST("bootstrap keys: bytes whose number is known, at once and in parts, and the same bootstraps") {
  Rng rng;
  Bootstrap few = small_options();
  few.small_keys = true;
  const Parameters parameters = bootstrap_parameters(128, 1, 2, 10);
  for (const BootstrapSet& set : {BootstrapSet{parameters, small_options()}, BootstrapSet{parameters, few},
                                  bootstrap_preset("boot16w_40", 7)}) {
    const Party party(set.parameters);
    const Bootstrapper bootstrapper(party.context, set.options);
    const BootstrapKeys keys = bootstrapper.make_keys(party.generator);
    const std::size_t slots = bootstrapper.options().slots;
    const Ciphertext x = party.encrypt(random_values(rng, slots), {.slots = slots});
    const Bytes bytes = to_bytes(bootstrapper, keys);
    const Bytes expected = to_bytes(bootstrapper.bootstrap(party.evaluator, x, keys));
    NTTF_CHECK_EQ(bytes.size(), serialized_size(bootstrapper));
    NTTF_CHECK(streamed(bootstrapper, keys) == bytes);
    for (const BootstrapKeys& read :
         {bootstrap_keys_from_bytes(bootstrapper, bytes), from_stream(bootstrapper, bytes)}) {
      NTTF_CHECK(to_bytes(bootstrapper, read) == bytes);
      NTTF_CHECK(to_bytes(bootstrapper.bootstrap(party.evaluator, x, read)) == expected);
    }
    if (set.parameters.word_bits == 32 && !nttforge::testing::full_tests()) continue;
    for (const auto& device : nttforge::testing::gpu_devices()) {
      const ContextPtr context = Context::create(set.parameters, device);
      const Evaluator evaluator(context);
      const Bootstrapper other(context, set.options);
      const auto same = [&](const BootstrapKeys& own) {
        NTTF_CHECK(to_bytes(other, own) == bytes);
        const Ciphertext y = rlwe::ciphertext_from_bytes(context, to_bytes(x));
        return to_bytes(other.bootstrap(evaluator, y, own)) ==
               to_bytes(bootstrapper.bootstrap(
                   party.evaluator, rlwe::ciphertext_from_bytes(party.context, to_bytes(x)), keys));
      };
      BootstrapKeys moved = keys.to(context);
      NTTF_CHECK(!moved.offloaded() && same(moved));
      for (const std::size_t cached : {0, 2}) {
        moved.offload(cached);
        NTTF_CHECK(moved.offloaded() && moved.to_dense.place().offloaded() && same(moved));
        const BootstrapKeys read =
            cached == 0 ? bootstrap_keys_from_bytes(other, bytes, 0) : from_stream(other, bytes, cached);
        NTTF_CHECK(read.offloaded() && read.relinearization.offloaded() && same(read));
      }
      moved.load();
      NTTF_CHECK(!moved.offloaded() && !moved.to_dense.place().offloaded() && same(moved));
      const KeyGenerator generator(context);
      const BootstrapKeys made = other.make_keys(generator, 1);
      NTTF_CHECK(made.offloaded() && made.to_dense.place().offloaded());
      const Ciphertext own =
          Encryptor(generator.public_key()).encrypt(Plaintext(context, Values(slots, 0.5), {.slots = slots}));
      const Ciphertext y = other.bootstrap(evaluator, own, made);
      NTTF_CHECK(difference_log2(Decryptor(generator.secret_key()).decrypt(y), Values(slots, 0.5)) <=
                 error_log2(y));
    }
  }
}

NTTF_TEST("bootstrap keys: those of other options, sets and levels are refused") {
  const Party party(bootstrap_parameters(128, 1, 2, 10));
  const Bootstrapper bootstrapper(party.context, small_options());
  const BootstrapKeys keys = bootstrapper.make_keys(party.generator);
  const Bytes bytes = to_bytes(bootstrapper, keys);
  const auto refused = [&](const char* message, auto change) {
    Bootstrap options = small_options();
    change(options);
    const Bootstrapper other(party.context, options);
    NTTF_CHECK_THROWS(bootstrap_keys_from_bytes(other, bytes), ContextError, message);
    NTTF_CHECK_THROWS(from_stream(other, bytes), ContextError, message);
  };
  refused("bootstrap keys.slots = 4, and the bootstrapper has 8", [](Bootstrap& o) {
    o.slots = 8;
    o.to_slots = {2, 1};
    o.to_coefficients = {2, 1};
  });
  refused("number of matrices to slots = 2, and the bootstrapper has 1",
          [](Bootstrap& o) { o.to_slots = {2}; });
  refused("levels of the sine = 8, and the bootstrapper has 7", [](Bootstrap& o) { o.double_angles = 2; });
  Bootstrap larger = small_options();
  larger.weight = 64;
  refused("small keys = 0, and the bootstrapper has 1", [](Bootstrap& o) { o.small_keys = true; });
  const Bootstrapper heavier(party.context, larger);
  NTTF_CHECK_THROWS(bootstrap_keys_from_bytes(heavier, bytes), ContextError,
                    "weight of the ephemeral secret = 32, and the bootstrapper has 64");
  // What keys do not depend on may be another.
  Bootstrap finer = small_options();
  finer.ratio_bits = 8;
  NTTF_CHECK(to_bytes(Bootstrapper(party.context, finer), keys) == bytes);

  const Party another(bootstrap_parameters(128, 1, 2, 11));
  NTTF_CHECK_THROWS(bootstrap_keys_from_bytes(Bootstrapper(another.context, small_options()), bytes),
                    ContextError, "other parameters");
  NTTF_CHECK_THROWS(bootstrap_keys_from_bytes(bootstrapper, to_bytes(party.relinearization)), FormatError,
                    "the bytes hold relinearization key, expected bootstrap keys");
  const Bootstrapper one_matrix(party.context, {.slots = 4, .to_slots = {2}, .to_coefficients = {1, 1}});
  NTTF_CHECK_THROWS(to_bytes(one_matrix, keys), ParameterError, "by the relinearization key");
  BootstrapKeys lower = keys;
  lower.relinearization = keys.relinearization.at_level(2);
  NTTF_CHECK_THROWS(to_bytes(bootstrapper, lower), ParameterError, "by the relinearization key");
  NTTF_CHECK_THROWS(to_bytes(bootstrapper, BootstrapKeys()), ParameterError,
                    "by the key to the sparse secret");
  std::swap(lower.to_sparse, lower.to_dense);
  NTTF_CHECK_THROWS(to_bytes(bootstrapper, lower), ParameterError, "by the key to the sparse secret");
}

NTTF_TEST("bootstrap keys: every damaged byte of the head is an error, and every truncation") {
  const Party party(bootstrap_parameters(128, 1, 2, 10));
  const Bootstrapper bootstrapper(party.context, small_options());
  const Bytes bytes = to_bytes(bootstrapper, bootstrapper.make_keys(party.generator));
  const auto repaired = [](Bytes changed) {
    const std::uint64_t checksum = checksum64(std::span(changed).first(changed.size() - 8));
    for (std::size_t i = 0; i < 8; ++i)
      changed[changed.size() - 8 + i] = static_cast<std::uint8_t>(checksum >> (8 * i));
    return changed;
  };
  // The header, the options, and the shape of the first key: 32, 17 and 16 bytes.
  for (std::size_t i = 0; i < 65; ++i) {
    Bytes changed = bytes;
    changed[i] ^= 1;
    NTTF_CHECK_THROWS(bootstrap_keys_from_bytes(bootstrapper, changed), Error, "");
    changed = repaired(changed);
    NTTF_CHECK_THROWS(bootstrap_keys_from_bytes(bootstrapper, changed), Error, "");
    NTTF_CHECK_THROWS(from_stream(bootstrapper, changed), Error, "");
  }
  Bytes changed = bytes;
  changed[bytes.size() / 2] ^= 4;
  NTTF_CHECK_THROWS(bootstrap_keys_from_bytes(bootstrapper, changed), FormatError, "checksum");
  NTTF_CHECK_THROWS(from_stream(bootstrapper, changed), FormatError, "");
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{31}, std::size_t{45}, bytes.size() / 2, bytes.size() - 1}) {
    const Bytes part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    NTTF_CHECK_THROWS(bootstrap_keys_from_bytes(bootstrapper, part), FormatError, "");
    NTTF_CHECK_THROWS(from_stream(bootstrapper, part), FormatError, "");
  }
}

}  // namespace
}  // namespace nttforge::ckks::testing
