// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "nttforge/rlwe/context.hpp"

namespace nttforge::rlwe {

class KeyWords;

/// Words on a device that were brought there in a queue of their own: whoever uses them waits for `ready`.
struct FetchedKey {
  DeviceArray words;
  std::shared_ptr<const Event> ready;
};

/// The keys in host memory that were used last, at most `most` of them, as they are on the device. Safe to
/// use from several threads.
class KeyCache {
 public:
  explicit KeyCache(std::size_t most) : most_(most) {}
  std::size_t most() const { return most_; }

 private:
  friend class KeyWords;
  bool find(const KeyWords* key, FetchedKey& found);
  void keep(const KeyWords* key, const FetchedKey& fetched);
  void forget(const KeyWords* key);

  const std::size_t most_;
  std::mutex mutex_;
  std::list<std::pair<const KeyWords*, FetchedKey>> last_used_;  // the latest first
};

/// The words of a key-switching key of a level, [digits][2][K][n], on the device; or in host memory, where
/// only the halves are kept that do not follow from the seed, and from where they are fetched when they are
/// used. Shared by the copies of a key. Safe to use from several threads.
class KeyWords {
 public:
  KeyWords(RlweContextPtr context, DeviceArray words, std::optional<Seed> seed, std::uint32_t purpose,
           std::size_t level, std::size_t special);
  ~KeyWords();
  KeyWords(const KeyWords&) = delete;
  KeyWords& operator=(const KeyWords&) = delete;

  /// The words on the device; operations that `queue` is given from now on find them there.
  DeviceArray get(const Queue& queue) const;
  /// Begins to fetch, if the cache has room for this key beside the one in use.
  void fetch_ahead() const;

  /// Moves the words to host memory; waits. Nothing happens where the device's memory is the host's. throws
  /// UnsupportedError if the host has too little memory, or if half of the words follow from no seed.
  void offload(std::shared_ptr<KeyCache> cache) const;
  /// Brings them back to stay. throws UnsupportedError if the device has too little memory.
  void load() const;
  bool offloaded() const;

 private:
  FetchedKey fetch() const;
  FetchedKey fetched() const;

  const RlweContextPtr context_;
  const std::optional<Seed> seed_;
  const std::uint32_t purpose_;
  const std::size_t level_, special_;
  mutable std::mutex mutex_;
  mutable DeviceArray device_;               // without words while the key is in host memory
  mutable std::vector<std::uint64_t> host_;  // [digits][K][n]; two words in one where words have 32 bits
  mutable std::shared_ptr<KeyCache> cache_;
};

}  // namespace nttforge::rlwe
