// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/offload/key_words.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/memory.hpp"
#include "nttforge/base/memory/out_of_memory.hpp"
#include "nttforge/rlwe/sampling.hpp"

namespace nttforge::rlwe {
namespace {

/// Words of 32 bits lie in pairs in words of 64.
std::size_t packed_words(std::size_t words, unsigned word_bits) {
  return word_bits == 32 ? (words + 1) / 2 : words;
}

void pack(std::span<const std::uint64_t> words, std::span<std::uint64_t> packed) {
  if (packed.size() == words.size()) {
    std::copy(words.begin(), words.end(), packed.begin());
    return;
  }
  std::fill(packed.begin(), packed.end(), 0);
  for (std::size_t i = 0; i < words.size(); ++i) packed[i / 2] |= words[i] << (32 * (i % 2));
}

void unpack(std::span<const std::uint64_t> packed, std::span<std::uint64_t> words) {
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = (packed[i / 2] >> (32 * (i % 2))) & 0xFFFFFFFFu;
}

}  // namespace

bool KeyCache::find(const KeyWords* key, FetchedKey& found) {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(last_used_.begin(), last_used_.end(),
                               [key](const auto& entry) { return entry.first == key; });
  if (at == last_used_.end()) return false;
  last_used_.splice(last_used_.begin(), last_used_, at);
  found = at->second;
  return true;
}

void KeyCache::keep(const KeyWords* key, const FetchedKey& fetched) {
  if (most_ == 0) return;
  const std::lock_guard lock(mutex_);
  last_used_.emplace_front(key, fetched);
  if (last_used_.size() > most_) last_used_.pop_back();
}

void KeyCache::forget(const KeyWords* key) {
  const std::lock_guard lock(mutex_);
  last_used_.remove_if([key](const auto& entry) { return entry.first == key; });
}

KeyWords::KeyWords(RlweContextPtr context, DeviceArray words, std::optional<Seed> seed, std::uint32_t purpose,
                   std::size_t level, std::size_t special)
    : context_(std::move(context)),
      seed_(seed),
      purpose_(purpose),
      level_(level),
      special_(special),
      device_(std::move(words)) {}

KeyWords::~KeyWords() {
  if (cache_ != nullptr) cache_->forget(this);
}

DeviceArray KeyWords::get(const Queue& queue) const {
  const std::lock_guard lock(mutex_);
  if (cache_ == nullptr) return device_;
  try {
    const FetchedKey key = fetched();
    queue.wait(*key.ready);
    return key.words;
  } catch (const ParameterError& error) {  // operations are being recorded
    throw ParameterError(
        "a key in host memory cannot be part of a graph, since it may leave the device again: bring it back "
        "with load() before the graph is recorded (" +
        std::string(error.what()) + ")");
  }
}

void KeyWords::fetch_ahead() const {
  const std::lock_guard lock(mutex_);
  if (cache_ != nullptr && cache_->most() > 1) fetched();
}

FetchedKey KeyWords::fetched() const {
  FetchedKey key;
  if (!cache_->find(this, key)) {
    key = fetch();
    cache_->keep(this, key);
  }
  return key;
}

/// In a queue of its own: where queues run beside one another, operations in progress go on meanwhile.
FetchedKey KeyWords::fetch() const {
  const MemoryPurpose memory_purpose("a key from host memory");
  const RingTables& ring = context_->chain().ring_of_keys(level_, special_);
  const unsigned word_bits = ring.spec().word_bits;
  const std::size_t words = ring.words(), packed = packed_words(words, word_bits);
  const std::size_t digits = host_.size() / packed;
  context_->queue();  // throws after a reset
  const std::shared_ptr<const Queue> queue = context_->device().make_queue();
  FetchedKey key{queue->allocate(ring, digits * 2), nullptr};
  std::vector<std::uint64_t> row(word_bits == 32 ? words : 0);
  for (std::size_t i = 0; i < digits; ++i) {
    const std::span<const std::uint64_t> half = std::span(host_).subspan(i * packed, packed);
    const WordPtr b = key.words.data() + i * 2 * words;
    if (!row.empty()) unpack(half, row);
    queue->upload(row.empty() ? half : row, b);
  }
  sample_key_masks(*context_, *queue, {*seed_, Domain::key_switch_a, purpose_ << 8}, level_, special_,
                   key.words.data() + words, 2 * words, digits);
  key.ready = queue->record();
  return key;
}

void KeyWords::offload(std::shared_ptr<KeyCache> cache) const {
  if (context_->device().memory_space() == "host") return;
  if (!seed_.has_value())
    throw UnsupportedError(
        "a key with the words of another library has no seed, from which half of it would be sampled again: "
        "leave it on the device");
  const std::lock_guard lock(mutex_);
  if (cache_ != nullptr) {  // it is in host memory already
    cache_->forget(this);
    cache_ = std::move(cache);
    return;
  }
  const RingTables& ring = context_->chain().ring_of_keys(level_, special_);
  const std::size_t words = ring.words(), packed = packed_words(words, ring.spec().word_bits);
  const std::size_t digits = device_.size() / (2 * words);
  require_memory(digits * packed * sizeof(std::uint64_t), "the words of a key in host memory");
  std::vector<std::uint64_t> host(digits * packed), row(words);
  for (std::size_t i = 0; i < digits; ++i) {
    context_->queue().download(std::as_const(device_).data() + i * 2 * words, row);
    pack(row, std::span(host).subspan(i * packed, packed));
  }
  host_ = std::move(host);
  cache_ = std::move(cache);
  device_ = {};
}

void KeyWords::load() const {
  const std::lock_guard lock(mutex_);
  if (cache_ == nullptr) return;
  const FetchedKey key = fetched();
  context_->queue().wait(*key.ready);
  device_ = key.words;
  cache_->forget(this);
  cache_ = nullptr;
  host_ = {};
}

bool KeyWords::offloaded() const {
  const std::lock_guard lock(mutex_);
  return cache_ != nullptr;
}

}  // namespace nttforge::rlwe
