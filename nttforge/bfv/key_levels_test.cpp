// SPDX-License-Identifier: Apache-2.0
// Evaluation keys at a level: the words of the whole key, in fewer bytes, and refused above their level; and
// keys that are written and read part by part.

#include <algorithm>

#include "nttforge/base/error.hpp"
#include "nttforge/bfv/testing.hpp"
#include "nttforge/device/testing.hpp"
#include "nttforge/device/testing_reference.hpp"
#include "nttforge/integer_encoding/testing_bytes.hpp"
#include "nttforge/rlwe/bytes/format.hpp"

namespace nttforge::bfv::testing {
namespace {

using integer_encoding::testing::Bytes;
using integer_encoding::testing::resealed;
using integer_encoding::testing::torture;
using Steps = std::vector<std::int64_t>;

struct World {
  World(const Parameters& parameters, const std::shared_ptr<const Device>& device)
      : party(parameters, device),
        keys{party.generator.relinearization_key(),
             party.generator.rotation_keys(steps(parameters.n), true)} {}
  /// Powers of two that reach every rotation.
  static Steps steps(std::size_t n) {
    Steps found;
    for (std::size_t step = 1; 4 * step <= n; step *= 2) found.push_back(static_cast<std::int64_t>(step));
    return found;
  }
  Party party;
  EvaluationKeys keys;

  Ciphertext at(std::size_t level) const {
    const std::size_t n = party.context->n(), t = party.context->t();
    Rng rng(5);
    const Ciphertext x = party.encryptor.encrypt(
        Plaintext(party.context, random_values(rng, n, t), Encoding::slots), test_seed(2), 0);
    return party.evaluator.mod_switch_to(x, level);
  }
  std::vector<Ciphertext> results(const EvaluationKeys& k, const Ciphertext& x) const {
    const Evaluator& e = party.evaluator;
    std::vector<Ciphertext> found{e.multiply_relinearize(x, x, k.relinearization),
                                  e.rotate_rows(x, 1, k.rotations), e.swap_columns(x, k.rotations),
                                  e.inner_sum(x, party.context->n(), k.rotations)};
    for (Ciphertext& y : e.rotate_many(x, Steps{0, 4, 1}, k.rotations)) found.push_back(std::move(y));
    return found;
  }
};

const Parameters kSets[] = {small_parameters(32, 65537, 4, 45), hybrid_parameters(32, 65537, 5, 45, 2),
                            hybrid_parameters(32, 257, 7, 30, 3, 2)};

std::vector<std::shared_ptr<const Device>> devices() {
  std::vector<std::shared_ptr<const Device>> result = nttforge::testing::gpu_devices();
  result.push_back(nttforge::testing::make_reference_device("elsewhere"));
  result.push_back(make_cpu_device(1));
  result.push_back(make_cpu_device(3));
  return result;
}

NTTF_TEST("keys at a level give the words of the whole keys at it and below, also read from bytes") {
  for (const auto& device : devices())
    for (const Parameters& parameters : kSets) {
      const World w(parameters, device);
      for (std::size_t level = w.party.context->lowest_level(); level <= parameters.limbs(); ++level) {
        const EvaluationKeys lower = w.keys.at_level(level);
        NTTF_CHECK_EQ(lower.relinearization.level(), level);
        NTTF_CHECK_EQ(lower.rotations.level(), level);
        const Bytes bytes = to_bytes(lower);
        const KeyGenerator& generator = w.party.generator;
        NTTF_CHECK(to_bytes(EvaluationKeys{generator.relinearization_key(level),
                                           generator.rotation_keys(World::steps(parameters.n), true,
                                                                   std::nullopt, level)}) == bytes);
        const EvaluationKeys read = evaluation_keys_from_bytes(w.party.context, bytes);
        NTTF_CHECK(to_bytes(read) == bytes);
        for (const std::size_t x : {level, w.party.context->lowest_level()}) {
          const auto expected = w.results(w.keys, w.at(x));
          NTTF_CHECK(w.results(lower, w.at(x)) == expected);
          NTTF_CHECK(w.results(read, w.at(x)) == expected);
        }
      }
    }
}

NTTF_TEST("keys at a level have the rows of the whole key and nothing new: no second mask for a secret") {
  for (const Parameters& parameters : kSets) {
    const World w(parameters, make_cpu_device(1));
    const KeySwitchKey& whole = w.keys.relinearization.key();
    const std::size_t n = w.party.context->n(), all = parameters.key_limbs(), level = 2;
    const KeySwitchKey lower = whole.at_level(level);
    NTTF_CHECK(lower.seed() == whole.seed());
    const std::size_t limbs = level + parameters.special.size(), digits = parameters.digits(level);
    const DeviceArray from = whole.words(), kept = lower.words();
    NTTF_CHECK_EQ(kept.size(), digits * 2 * limbs * n);
    std::vector<std::uint64_t> a(from.size()), b(kept.size());
    w.party.context->queue().download(from.data(), a);
    w.party.context->queue().download(kept.data(), b);
    for (std::size_t p = 0; p < 2 * digits; ++p)
      for (std::size_t j = 0; j < limbs; ++j) {
        const std::size_t row = p * all + (j < level ? j : j + all - limbs);
        NTTF_CHECK(std::equal(&b[(p * limbs + j) * n], &b[(p * limbs + j) * n] + n, &a[row * n]));
      }
  }
}

NTTF_TEST("keys at a level: sizes are known before, in bytes and in memory") {
  for (const Parameters& parameters : kSets) {
    const World w(parameters, make_cpu_device(1));
    for (std::size_t level = w.party.context->lowest_level(); level <= parameters.limbs(); ++level) {
      const ObjectSizes sizes = parameters.serialized_sizes(1, level);
      const EvaluationKeys lower = w.keys.at_level(level);
      NTTF_CHECK_EQ(to_bytes(lower.relinearization).size(), sizes.relinearization_key);
      NTTF_CHECK_EQ(to_bytes(lower.rotations).size(), sizes.rotation_keys_frame + 5 * sizes.rotation_key);
      NTTF_CHECK_EQ(to_bytes(lower).size(), serialized_size(lower));
      NTTF_CHECK_EQ(lower.relinearization.key().words().size() * parameters.word_bits / 8,
                    parameters.memory_sizes(1, level).relinearization_key);
      NTTF_CHECK_EQ(to_bytes(w.at(level)).size(), sizes.ciphertext);
    }
    NTTF_CHECK_EQ(parameters.serialized_sizes(1, parameters.limbs()).rotation_key,
                  parameters.serialized_sizes().rotation_key);
    NTTF_CHECK_THROWS(parameters.serialized_sizes(1, parameters.limbs() + 1), ParameterError,
                      "is out of range [0, ");
  }
}

NTTF_TEST("keys at a level are refused above it, before anything changes") {
  const World w(small_parameters(32, 65537, 4, 45), make_cpu_device(1));
  const EvaluationKeys lower = w.keys.at_level(2);
  const Evaluator& e = w.party.evaluator;
  const Ciphertext x = w.at(3);
  Ciphertext three = e.multiply(x, x);
  const Ciphertext before = three;
  NTTF_CHECK_THROWS(e.relinearize(three, lower.relinearization), ParameterError,
                    "relinearization key: at level 2, and a is at level 3, above it: switch a down to level "
                    "2 first (mod_switch), or take a key of level 3 or above");
  NTTF_CHECK_THROWS(e.relinearize_in_place(three, lower.relinearization), ParameterError, "at level 2");
  NTTF_CHECK(three == before);
  NTTF_CHECK_THROWS(e.multiply_relinearize(x, x, lower.relinearization), ParameterError, "at level 2");
  NTTF_CHECK_THROWS(e.rotate_rows(x, 1, lower.rotations), ParameterError, "rotation keys: at level 2");
  NTTF_CHECK_THROWS(e.rotate_many(x, Steps{1, 2}, lower.rotations), ParameterError,
                    "rotation keys: at level 2");
  NTTF_CHECK_THROWS(e.inner_sum(x, 8, lower.rotations), ParameterError, "rotation keys: at level 2");
  NTTF_CHECK_THROWS(e.swap_columns(x, lower.rotations), ParameterError, "rotation keys: at level 2");
  NTTF_CHECK_THROWS(lower.relinearization.at_level(3), ParameterError,
                    "level = 3 is out of range [1, 2]: the key is at level 2, and rows that it lacks");
  NTTF_CHECK_THROWS(w.keys.at_level(0), ParameterError, "level = 0 is out of range [1, 4]");
  NTTF_CHECK_EQ(lower.at_level(2).relinearization.level(), 2u);
  NTTF_CHECK_THROWS(RelinearizationKey().at_level(1), ContextError, "is empty");
  NTTF_CHECK_THROWS(RotationKeys().at_level(1), ContextError, "is empty");
}

NTTF_TEST("rotation keys of different levels: each serves its own and those below, in bytes as well") {
  for (const Parameters& parameters : kSets) {
    const World w(parameters, make_cpu_device(1));
    const std::size_t top = parameters.limbs(), low = top - 1;
    const Evaluator& e = w.party.evaluator;
    RotationKeys mixed = w.keys.rotations;
    const std::uint64_t lowered[] = {rotation_element(32, 1), rotation_element(32, 4)};
    for (const std::uint64_t element : lowered) mixed.insert(w.keys.rotations.key(element).at_level(low));
    NTTF_CHECK_EQ(mixed.level(), top);
    const Ciphertext x = w.at(top), y = w.at(low);
    NTTF_CHECK(e.rotate_rows(x, 2, mixed) == e.rotate_rows(x, 2, w.keys.rotations));
    NTTF_CHECK(w.results({w.keys.relinearization, mixed}, y) == w.results(w.keys, y));
    const std::string error = "rotation keys: at level " + std::to_string(low) +
                              " for rotation step 1 (Galois element 3), and level " + std::to_string(top) +
                              " is needed: switch the ciphertext down to level " + std::to_string(low);
    NTTF_CHECK_THROWS(e.rotate_rows(x, 1, mixed), ParameterError, error);
    NTTF_CHECK_THROWS(e.rotate_many(x, Steps{2, 1}, mixed), ParameterError, error);
    NTTF_CHECK_THROWS(e.inner_sum(x, 32, mixed), ParameterError, "and level " + std::to_string(top));
    // Only steps with a key of the level are taken: 2 and 8, and 1 and 4 below.
    NTTF_CHECK(mixed.composed(3, low) == Steps({1, 2}));
    NTTF_CHECK(mixed.composed(10, top) == Steps({2, 8}));
    NTTF_CHECK_THROWS(mixed.composed(3, top), MissingKeyError, "with a key for level");
    const Bytes bytes = to_bytes(mixed);
    const RotationKeys read = rotation_keys_from_bytes(w.party.context, bytes);
    NTTF_CHECK(to_bytes(read) == bytes);
    NTTF_CHECK_EQ(read.key(lowered[1]).level(), low);
    const EvaluationKeys both{w.keys.relinearization, mixed};
    NTTF_CHECK_EQ(to_bytes(both).size(), serialized_size(both));
    NTTF_CHECK(to_bytes(evaluation_keys_from_bytes(w.party.context, to_bytes(both))) == to_bytes(both));
    NTTF_CHECK(to_bytes(mixed.at_level(low)) == to_bytes(w.keys.rotations.at_level(low)));
    NTTF_CHECK_THROWS(mixed.at_level(top + 1), ParameterError, "is out of range");
  }
}

NTTF_TEST("hostile bytes of rotation keys of different levels") {
  const World w(small_parameters(8, 17, 3, 30), make_cpu_device(1));
  RotationKeys mixed(w.party.context);
  mixed.insert(w.keys.rotations.key(3).at_level(2));
  mixed.insert(w.keys.rotations.key(15));
  const Bytes good = to_bytes(mixed);
  const auto load = [&](const Bytes& bytes) { return rotation_keys_from_bytes(w.party.context, bytes); };
  torture(good, load);
  const auto with = [&](std::size_t at, std::uint8_t value) {
    Bytes changed = good;
    changed[at] = value;
    return resealed(changed);
  };
  constexpr std::size_t kPrimes = 32 + 8 + 4;  // header, shape, element
  NTTF_CHECK_EQ(good[kPrimes], 3u);
  NTTF_CHECK_THROWS(load(with(kPrimes, 4)), FormatError,
                    "rotation key of element 3.primes = 4 is not allowed: 0, or below the set's");
  NTTF_CHECK_THROWS(load(with(kPrimes, 5)), FormatError, "is out of range [2, 4]");
  NTTF_CHECK_THROWS(load(with(kPrimes, 2)), FormatError, "");
  NTTF_CHECK_THROWS(load(with(kPrimes, 0)), FormatError, "");
  NTTF_CHECK_THROWS(load(with(kPrimes + 2, 1)), FormatError, ".reserved = 1 must be 0");
}

NTTF_TEST("keys at a level in host memory, and in another context") {
  for (const auto& device : devices()) {
    const World w(hybrid_parameters(32, 65537, 5, 45, 2), device);
    const EvaluationKeys lower = w.keys.at_level(3);
    EvaluationKeys moved = evaluation_keys_from_bytes(w.party.context, to_bytes(lower), 1);
    const auto expected = w.results(w.keys, w.at(3));
    NTTF_CHECK(w.results(moved, w.at(3)) == expected);
    NTTF_CHECK(to_bytes(moved.at_level(2)) == to_bytes(w.keys.at_level(2)));
    moved.rotations.load();
    NTTF_CHECK(w.results(moved, w.at(3)) == expected);
    const auto other = Context::create(w.party.context->parameters(), make_cpu_device(1));
    NTTF_CHECK(to_bytes(lower.rotations.to(other)) == to_bytes(lower.rotations));
  }
}

NTTF_TEST("hostile bytes of keys at a level") {
  const World w(small_parameters(8, 17, 3, 30), make_cpu_device(1));
  const Bytes good = to_bytes(w.keys.relinearization.at_level(2));
  const auto load = [&](const Bytes& bytes) {
    return relinearization_key_from_bytes(w.party.context, bytes);
  };
  torture(good, load);
  const auto with = [&](const Bytes& bytes, std::size_t at, std::uint8_t value) {
    Bytes changed = bytes;
    changed[at] = value;
    return resealed(changed);
  };
  for (const int primes : {0, 1, 5})
    NTTF_CHECK_THROWS(load(with(good, 32, static_cast<std::uint8_t>(primes))), FormatError,
                      "relinearization key.primes = " + std::to_string(primes) + " is out of range [2, 4]");
  NTTF_CHECK_THROWS(load(with(good, 34, 3)), FormatError, "relinearization key.digits = 3 must be 2");
  NTTF_CHECK_THROWS(load(with(with(good, 32, 2), 34, 1)), FormatError,
                    "relinearization key: the payload has");
  Bytes empty = to_bytes(RotationKeys(w.party.context));
  empty[32] = 3, empty[34] = 2;
  NTTF_CHECK_THROWS(rotation_keys_from_bytes(w.party.context, resealed(empty)), FormatError,
                    "level of rotation keys without a key = 2 must be 3");
}

/// Reads from an array.
struct Source {
  explicit Source(const Bytes& data) : bytes(data) {}
  std::size_t operator()(std::span<std::uint8_t> part) {
    const std::size_t count = std::min(part.size(), bytes.size() - at);
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, part.begin());
    at += count;
    return count;
  }
  const Bytes& bytes;
  std::size_t at = 0;
};

NTTF_TEST("keys part by part: the bytes of to_bytes, in small parts, with progress to the end") {
  for (const Parameters& parameters : kSets) {
    const World w(parameters, make_cpu_device(2));
    for (const EvaluationKeys& keys :
         {w.keys, w.keys.at_level(2), EvaluationKeys{w.keys.relinearization, {}},
          EvaluationKeys{{}, w.keys.rotations},
          EvaluationKeys{w.keys.relinearization.at_level(2), w.keys.rotations}}) {
      const Bytes expected = to_bytes(keys);
      Bytes found;
      std::vector<std::uint64_t> dones;
      const ByteProgress progress = [&](std::uint64_t done, std::uint64_t total) {
        NTTF_CHECK_EQ(total, expected.size());
        NTTF_CHECK(dones.empty() || dones.back() < done);
        dones.push_back(done);
      };
      std::size_t largest = 0;
      write(
          keys,
          [&](std::span<const std::uint8_t> part) {
            largest = std::max(largest, part.size());
            found.insert(found.end(), part.begin(), part.end());
            NTTF_CHECK(part.size() < expected.size());
          },
          progress);
      NTTF_CHECK(found == expected);
      NTTF_CHECK_EQ(dones.back(), expected.size());
      NTTF_CHECK(largest <= rows_bytes(32, parameters.key_moduli()) + 88);
      dones.clear();
      found.push_back(7);  // of another object
      Source source(found);
      const EvaluationKeys read = read_evaluation_keys(w.party.context, std::ref(source), progress);
      NTTF_CHECK_EQ(source.at, expected.size());
      NTTF_CHECK_EQ(dones.back(), expected.size());
      NTTF_CHECK(to_bytes(read) == expected);
    }
  }
}

NTTF_TEST("keys part by part: whole or not at all") {
  const World w(small_parameters(8, 17, 2, 30), make_cpu_device(1));
  const EvaluationKeys small{w.keys.relinearization, w.party.generator.rotation_keys(Steps{1})};
  const auto load = [&](const Bytes& bytes) {
    Source source(bytes);
    EvaluationKeys keys = read_evaluation_keys(w.party.context, std::ref(source));
    if (source.at != bytes.size()) throw FormatError("bytes are left");
    return keys;
  };
  const Bytes good = to_bytes(small);
  torture(good, load);
  Bytes lies = good;
  lies[30] = 0x10;  // a payload of many terabytes
  NTTF_CHECK_THROWS(load(resealed(lies)), FormatError, "the payload has");
  lies[31] = 0xFF;
  NTTF_CHECK_THROWS(load(resealed(lies)), FormatError, "is more than any object has");
  Bytes flipped = good;
  flipped[good.size() - 1] ^= 1;
  NTTF_CHECK_THROWS(load(flipped), FormatError, "checksum does not match");
  NTTF_CHECK_THROWS(load(to_bytes(small.relinearization)), FormatError, "the bytes hold relinearization key");
  struct Stop {};
  int calls = 0;
  const auto stops = [&](auto&&...) {
    if (++calls == 3) throw Stop();
  };
  bool stopped = false;
  try {
    write(small, [](std::span<const std::uint8_t>) {}, stops);
  } catch (const Stop&) {
    stopped = true;
  }
  NTTF_CHECK(stopped);
  NTTF_CHECK(to_bytes(small) == good);
}

}  // namespace
}  // namespace nttforge::bfv::testing
