// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "nttforge/rlwe/context.hpp"

namespace nttforge::rlwe {

class KeyCache;
class KeyWords;

/// All keys are immutable; copies share their words; concurrent use is safe. Default-constructed keys are
/// empty. to(context): a copy in another context of equal parameters, perhaps on another device; throws
/// ContextError.

/// The secret s, in transformed form modulo Q P, [K][n]. Its memory is zeroed when the last copy goes.
class SecretKey {
 public:
  SecretKey() = default;
  /// small: n values of the parameters' distribution, or of a sparse one that is shorter: bounds on noise are
  /// those of the parameters, and the tables of security say nothing of it. throws SizeError, ParameterError
  /// (without the value).
  SecretKey(RlweContextPtr context, std::span<const std::int64_t> small,
            std::optional<SecretDistribution> distribution = std::nullopt);
  SecretKey(RlweContextPtr context, DeviceArray words)
      : context_(std::move(context)), words_(std::move(words)) {}

  SecretKey to(const RlweContextPtr& context) const;
  bool empty() const { return context_ == nullptr; }
  const RlweContextPtr& context() const { return context_; }
  ConstWordPtr data() const { return words_.data(); }

 private:
  RlweContextPtr context_;
  DeviceArray words_;
};

/// (b, a) = (-(a s + e), a) modulo Q P, transformed, [2][K][n]; a comes from a public seed, or with the words
/// of another library (bytes/keys_from_words.hpp), which have none.
class PublicKey {
 public:
  PublicKey() = default;
  PublicKey(RlweContextPtr context, DeviceArray words, std::optional<Seed> seed)
      : context_(std::move(context)), words_(std::move(words)), seed_(seed) {}

  PublicKey to(const RlweContextPtr& context) const;
  bool empty() const { return context_ == nullptr; }
  const RlweContextPtr& context() const { return context_; }
  ConstWordPtr data() const { return words_.data(); }
  const std::optional<Seed>& seed() const { return seed_; }

 private:
  RlweContextPtr context_;
  DeviceArray words_;
  std::optional<Seed> seed_;
};

/// Switches from a key s' to s: for each digit i the pair (P g_i s' - (a_i s + e_i), a_i) modulo Q P with g_i
/// = 1 modulo the primes of the digit and 0 modulo the others; transformed, [digits][2][K][n]; every a_i
/// comes from a public seed, or with the words of another library. At a level below the highest a key has the
/// rows that ciphertexts of this level and below need, of the primes and digits of that level.
class KeySwitchKey {
 public:
  KeySwitchKey() = default;
  /// level: 0 is the highest. special: 0 is all special primes.
  KeySwitchKey(RlweContextPtr context, DeviceArray words, std::optional<Seed> seed, std::uint32_t purpose,
               std::size_t level = 0, std::size_t special = 0);

  KeySwitchKey to(const RlweContextPtr& context) const;
  /// A copy without the rows that ciphertexts of `level` and below do not need: no new randomness, and the
  /// same results. throws ParameterError unless it is in [lowest level, level()].
  KeySwitchKey at_level(std::size_t level) const;
  std::size_t level() const { return level_; }
  std::size_t special() const { return special_; }  ///< special primes, the first ones
  /// The same for operations of the context's queue on ciphertexts of `level`, at most level(); `words` are
  /// words().
  KeyRows rows(const DeviceArray& words, std::size_t level) const;
  bool empty() const { return context_ == nullptr; }
  const RlweContextPtr& context() const { return context_; }
  /// On the device, for operations of the context's queue; fetched first if they are in host memory.
  DeviceArray words() const;
  /// Where the words are kept (offload/key_words.hpp).
  const KeyWords& place() const { return *words_; }
  const std::optional<Seed>& seed() const { return seed_; }
  /// 0: relinearization; odd: the Galois element; even: KeyGenerator::key_switch_key. Part of the stream
  /// index of a_i: purpose << 8 | i.
  std::uint32_t purpose() const { return purpose_; }

 private:
  RlweContextPtr context_;
  std::shared_ptr<const KeyWords> words_;
  std::optional<Seed> seed_;
  std::uint32_t purpose_ = 0;
  std::size_t level_ = 0, special_ = 0;
};

/// Switches from s^2 to s.
class RelinearizationKey {
 public:
  RelinearizationKey() = default;
  /// throws ParameterError if the key's purpose is another.
  explicit RelinearizationKey(KeySwitchKey key);
  RelinearizationKey to(const RlweContextPtr& context) const;
  /// For products of a level and below, in fewer bytes: KeySwitchKey::at_level.
  RelinearizationKey at_level(std::size_t level) const;
  std::size_t level() const { return key_.level(); }
  bool empty() const { return key_.empty(); }
  const RlweContextPtr& context() const { return key_.context(); }
  const KeySwitchKey& key() const { return key_; }

  /// Moves the words to host memory, from where they are fetched for each use (cached = 0), or for the first
  /// one after which they stay (1). This is true of every copy of the key; nothing else changes. Nothing
  /// happens where the device's memory is the host's. throws UnsupportedError if the host has too little
  /// memory, or if the key has no seed.
  void offload(std::size_t cached = 0) const;
  void load() const;  ///< back to stay; throws UnsupportedError if the device has too little memory
  bool offloaded() const;

 private:
  KeySwitchKey key_;
};

/// Keys for the automorphisms asked for, by Galois element, each at a level of its own.
class RotationKeys {
 public:
  RotationKeys() = default;
  explicit RotationKeys(RlweContextPtr context) : context_(std::move(context)) {}
  /// throws ParameterError if the key's purpose is no Galois element of this ring, ContextError.
  void insert(KeySwitchKey key);

  RotationKeys to(const RlweContextPtr& context) const;
  /// For ciphertexts of a level and below, in fewer bytes: KeySwitchKey::at_level of those that are above it.
  /// Offloaded as these keys. throws ParameterError unless level is in [lowest level, level()].
  RotationKeys at_level(std::size_t level) const;
  std::size_t level() const;  ///< the highest of a key; without keys that of the context
  bool empty() const { return keys_.empty(); }
  const RlweContextPtr& context() const { return context_; }
  bool has_element(std::uint64_t element) const { return keys_.count(element) != 0; }
  bool has_step(std::int64_t step) const;
  bool has_column_swap() const;
  std::vector<std::uint64_t> elements() const;
  std::vector<std::int64_t> steps() const;  ///< in (-n/4, n/4], increasing
  /// The fewest steps with a key for ciphertexts of `level` (0: of any) that add up to `step` modulo n/2,
  /// ascending: none for 0. throws MissingKeyError if they do not reach it.
  std::vector<std::int64_t> composed(std::int64_t step, std::size_t level = 0) const;
  /// For ciphertexts of `level` (0: of the lowest). throws MissingKeyError naming the element (and its step)
  /// and the steps that exist, ParameterError naming the key's level if it is below.
  const KeySwitchKey& key(std::uint64_t element, std::size_t level = 0) const;
  /// throws MissingKeyError naming every element (and its step) that `operation` lacks, ParameterError as
  /// key(); 1 needs no key.
  void require(std::span<const std::uint64_t> elements, std::string_view operation,
               std::size_t level = 0) const;

  /// Moves the words of every key, and of those that are inserted later, to host memory, from where they are
  /// fetched when they are used; the `cached` keys used last stay on the device, at least the one in use.
  /// Rotations give the same words, as for RelinearizationKey.
  void offload(std::size_t cached = 2);
  void load();
  bool offloaded() const;  ///< also where a copy of these keys was offloaded
  /// Begins to fetch the key of an element that will be used next. Nothing happens if it is on the device, is
  /// missing, or if fewer than two keys are cached.
  void fetch_ahead(std::uint64_t element) const;

 private:
  std::uint64_t words_bytes() const;  // of all keys, on a device

  RlweContextPtr context_;
  std::map<std::uint64_t, KeySwitchKey> keys_;
  std::shared_ptr<KeyCache> cache_;  // null: on the device
};

/// What whoever computes needs, as one object: either may be empty, not both.
struct EvaluationKeys {
  RelinearizationKey relinearization;
  RotationKeys rotations;

  /// Both at a level: KeySwitchKey::at_level.
  EvaluationKeys at_level(std::size_t level) const;

  const RlweContextPtr& context() const {
    return relinearization.empty() ? rotations.context() : relinearization.context();
  }
};

/// throws UnsupportedError unless there is room for so many rotation keys and for what making one takes: on
/// the device, or, if they are offloaded as they are made, on the host and for `*offload` keys on the device.
void require_memory_of_keys(const RlweContext& context, std::uint64_t count,
                            std::optional<std::size_t> offload, std::size_t level = 0);

}  // namespace nttforge::rlwe
