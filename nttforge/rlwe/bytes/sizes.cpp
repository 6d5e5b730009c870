// SPDX-License-Identifier: Apache-2.0
// Sizes of objects, known before anything is allocated. The terms mirror the payloads of docs/format.md;
// serialize_test.cpp compares them with real objects.

#include <span>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/rlwe/batch.hpp"
#include "nttforge/rlwe/bytes/format.hpp"
#include "nttforge/rlwe/parameters.hpp"

namespace nttforge::rlwe {
namespace {

constexpr std::size_t kSeedBytes = 32;
constexpr std::size_t kCiphertextFields = 24;
constexpr std::size_t kNumberFields = 32;
constexpr std::size_t kKeyShape = 8;
constexpr std::size_t kElement = 8;
constexpr std::size_t kBundle = 8;

/// The level that is meant. throws ParameterError if there is no such level.
std::size_t level_of(const RlweParameters& parameters, std::size_t level) {
  if (level > parameters.top_level())
    throw ParameterError("level = " + std::to_string(level) + " is out of range [0, " +
                         std::to_string(parameters.top_level()) + "]; 0 is the highest");
  return level == 0 ? parameters.top_level() : level;
}

}  // namespace

ObjectSizes RlweParameters::serialized_sizes(std::size_t batch, std::size_t level) const {
  require_batch(batch);
  level = level_of(*this, level);
  const std::size_t lower = rows_bytes(n, moduli(level));
  const std::size_t key_rows = digits(level) * rows_bytes(n, key_moduli(level));
  const std::size_t frame = kHeaderBytes + kChecksumBytes;
  const std::size_t poly = rows_bytes(n, q), key_poly = rows_bytes(n, key_moduli());
  ObjectSizes sizes;
  const std::size_t fields = kCiphertextFields + (approximate() ? kNumberFields : 0);
  sizes.ciphertext = frame + fields + batch * 2 * lower;
  sizes.ciphertext_seeded = frame + fields + kSeedBytes + batch * poly;
  sizes.ciphertext_three_parts = frame + fields + batch * 3 * lower;
  sizes.secret_key = frame + (2 * n + 7) / 8;
  sizes.public_key = frame + kKeyShape + kSeedBytes + key_poly;
  if (has_evaluation_keys()) {
    sizes.relinearization_key = frame + kKeyShape + kSeedBytes + key_rows;
    sizes.rotation_key = kElement + kSeedBytes + key_rows;
    sizes.rotation_keys_frame = frame + kKeyShape;
    sizes.evaluation_keys_frame = frame + kBundle;
  }
  return sizes;
}

ObjectSizes RlweParameters::memory_sizes(std::size_t batch, std::size_t level) const {
  require_batch(batch);
  level = level_of(*this, level);
  const std::size_t row = word_bits / 8 * n, poly = row * limbs(), key_poly = row * key_limbs();
  ObjectSizes sizes;
  sizes.plaintext = batch * 8 * n;
  sizes.ciphertext_seeded = batch * 2 * poly;
  const std::size_t rows = window(level).size();
  sizes.ciphertext = batch * 2 * row * rows;
  sizes.ciphertext_three_parts = batch * 3 * row * rows;
  sizes.secret_key = key_poly;
  sizes.public_key = 2 * key_poly;
  if (has_evaluation_keys())
    sizes.relinearization_key = sizes.rotation_key =
        digits(level) * 2 * row * (key_window(level).size() + special.size());
  return sizes;
}

}  // namespace nttforge::rlwe
