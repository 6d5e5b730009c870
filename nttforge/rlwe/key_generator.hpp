// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "nttforge/rlwe/keys.hpp"

namespace nttforge::rlwe {

/// Makes keys. All randomness comes from one seed: the operating system's, or a given one (then every key is
/// a function of seed and parameters alone, on any device: for tests only). A generator gives the same key
/// each time it is asked. Const calls may run concurrently.
class KeyGenerator {
 public:
  explicit KeyGenerator(RlweContextPtr context);
  /// distribution: of the secret, if it is not that of the parameters; throws ParameterError.
  KeyGenerator(RlweContextPtr context, const Seed& seed,
               std::optional<SecretDistribution> distribution = std::nullopt);
  /// More keys for an existing secret, with fresh randomness.
  explicit KeyGenerator(SecretKey secret);
  KeyGenerator(SecretKey secret, const Seed& seed);
  KeyGenerator(const KeyGenerator&) = delete;
  KeyGenerator& operator=(const KeyGenerator&) = delete;

  const RlweContextPtr& context() const { return context_; }
  const SecretKey& secret_key() const { return secret_; }
  PublicKey public_key() const;
  /// For ciphertexts of `level` (0: the highest) and below, here and below: the words that at_level() of the
  /// whole key has, of which no other digits are made. throws ParameterError for a level out of range,
  /// UnsupportedError if the parameters have no special prime (also those below).
  RelinearizationKey relinearization_key(std::size_t level = 0) const;
  /// Keys for the steps given (0 is skipped) and, if asked, the column swap.
  /// throws ParameterError naming a step outside (-n/2, n/2), UnsupportedError if all of them take more
  /// memory than there is (also those below).
  /// offload: how many stay on the device of keys that are moved to host memory one after the other as they
  /// are made (RotationKeys::offload; also below).
  RotationKeys rotation_keys(std::span<const std::int64_t> steps, bool column_swap = false,
                             std::optional<std::size_t> offload = std::nullopt, std::size_t level = 0) const;
  /// Keys for inner_sum over `span` slots.
  RotationKeys inner_sum_keys(std::size_t span) const;
  /// Keys for Galois elements (odd, 1 < g < 2n).
  RotationKeys galois_keys(std::span<const std::uint64_t> elements,
                           std::optional<std::size_t> offload = std::nullopt, std::size_t level = 0) const;
  /// A key that switches ciphertexts of `level` (0: the highest) and below from one secret of this context to
  /// another, for sparse-secret encapsulation [BTH22] for instance, whose key to the sparse secret must be at
  /// the lowest level and have few special primes: the sparse secret is as safe as the product of all primes
  /// of this key and its weight let it be. special: how many, the first ones; 0: all. A key of fewer is for
  /// one level, whose primes no level below has others than. index, below 2^22: each pair
  /// of secrets and number of special primes has its own, since two keys of one index would tell about their
  /// secrets; a generator refuses that. throws ParameterError, ContextError, UnsupportedError.
  KeySwitchKey key_switch_key(const SecretKey& from, const SecretKey& to, std::uint32_t index,
                              std::size_t level = 0, std::size_t special = 0) const;
  /// KeySwitchKey::purpose() of the key of an index.
  static constexpr std::uint32_t purpose_of(std::uint32_t index) { return 4 + 2 * index; }

 private:
  void require_level(std::size_t level) const;
  KeySwitchKey switching_key(const SecretKey& from, const SecretKey& to, std::uint32_t purpose,
                             std::size_t level) const;
  KeySwitchKey galois_key(std::uint64_t element, std::size_t level) const;

  RlweContextPtr context_;
  Seed seed_;
  SecretKey secret_;
  mutable std::mutex pairs_mutex_;
  /// What key_switch_key made a key for.
  struct Pair {
    SecretKey from, to;
    std::size_t special;
  };
  KeySwitchKey narrow_key(const SecretKey& from, const SecretKey& to, std::uint32_t purpose,
                          std::size_t level, std::size_t special) const;
  mutable std::map<std::uint32_t, Pair> pairs_;  // by index
};

}  // namespace nttforge::rlwe
