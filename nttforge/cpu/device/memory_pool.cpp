// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/device/memory_pool.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <mutex>

#include "nttforge/base/memory/aligned_memory.hpp"
#include "nttforge/base/memory/memory.hpp"
#include "nttforge/base/memory/out_of_memory.hpp"
#include "nttforge/base/memory/secret.hpp"

namespace nttforge::cpu {
namespace {

constexpr std::size_t kMinWords = 64;
constexpr std::size_t kMostWords = std::size_t{1} << (sizeof(std::size_t) == 8 ? 48 : 28);
constexpr std::size_t kLeastSlabBlock = std::size_t{128} << 10;

// Four sizes per power of two: 64, 80, 96, 112, 128, 160, ... words; at most a quarter of a block is wasted.
std::size_t bucket_of(std::size_t words) {
  if (words <= kMinWords) return 0;
  const std::size_t x = words - 1;
  const unsigned top = static_cast<unsigned>(std::bit_width(x)) - 1;  // 2^top <= words - 1 < 2^(top + 1)
  const std::size_t quarter = (x >> (top - 2)) & 3;
  return 4 * (top - 6) + quarter + 1;
}

std::size_t bucket_words(std::size_t bucket) { return (kMinWords >> 2) * (4 + bucket % 4) << (bucket / 4); }

std::uint64_t* map_block(std::size_t bytes) {
  return static_cast<std::uint64_t*>(allocate_aligned(bytes, Pages::huge));
}

void unmap_block(std::uint64_t* block, std::size_t bytes) noexcept {
  free_aligned(block, bytes, Pages::huge);
}

bool in_slab(std::size_t bucket) {
  const std::size_t bytes = bucket_words(bucket) * 8;
  return bytes >= kLeastSlabBlock && bytes < kHugePageBytes;
}

}  // namespace

std::size_t MemoryPool::usual_idle_bytes() {
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(available_memory_bytes() / 8,
                                                            std::uint64_t{1} << 29, std::uint64_t{1} << 31));
}

std::shared_ptr<MemoryPool> MemoryPool::create(std::size_t max_idle_bytes) {
  return std::shared_ptr<MemoryPool>(new MemoryPool(max_idle_bytes));
}

MemoryPool::~MemoryPool() {
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket)
    for (std::uint64_t* block : free_[bucket])
      if (!in_slab(bucket)) unmap_block(block, bucket_words(bucket) * 8);
  for (const auto& [begin, slab] : slabs_) unmap_block(begin, slab.bytes);
}

/// As many huge pages as hold four blocks, and all blocks they hold onto the free list.
void MemoryPool::cut_slab(std::size_t bucket) {
  const std::size_t words = bucket_words(bucket), bytes = 8 * words;
  const std::size_t slab_bytes = (4 * bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  const std::size_t blocks = slab_bytes / bytes;
  std::vector<std::uint64_t*>& list = free_[bucket];
  list.reserve(slab_blocks_[bucket] + blocks);  // for all of them at once: releasing never allocates
  std::uint64_t* begin = map_block(slab_bytes);
  try {
    slabs_[begin] = {blocks, 0, slab_bytes};
  } catch (...) {
    unmap_block(begin, slab_bytes);
    throw;
  }
  slab_blocks_[bucket] += blocks;
  for (std::size_t i = blocks; i-- > 0;) list.push_back(begin + i * words);
  idle_bytes_ += blocks * bytes;
  total_bytes_ += blocks * bytes;
}

/// A block from the free list, or null: the caller maps one (its size is counted already).
std::uint64_t* MemoryPool::take(std::size_t bucket) {
  const std::size_t bytes = bucket_words(bucket) * 8;
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t*>& list = free_[bucket];
  if (list.empty() && in_slab(bucket)) cut_slab(bucket);
  if (list.empty()) {
    total_bytes_ += bytes;
    return nullptr;
  }
  std::uint64_t* block = list.back();
  list.pop_back();
  idle_bytes_ -= bytes;
  last_use_[bucket] = ++uses_;
  if (in_slab(bucket)) ++std::prev(slabs_.upper_bound(block))->second.used;
  return block;
}

std::shared_ptr<std::uint64_t> MemoryPool::allocate(std::size_t words, bool secret) {
  if (words == 0) return nullptr;
  if (words > kMostWords) throw_out_of_memory(words, sizeof(std::uint64_t));
  const std::size_t bucket = bucket_of(words);
  std::uint64_t* block = take(bucket);
  if (block == nullptr) {
    const std::size_t bytes = bucket_words(bucket) * 8;
    try {
      block = map_block(bytes);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      total_bytes_ -= bytes;
      throw;
    }
  }
  // The deleter keeps the pool alive. If making the control block throws, the deleter runs.
  return {block, [pool = shared_from_this(), bucket, secret](std::uint64_t* p) {
            pool->release(p, bucket, secret);
          }};
}

void MemoryPool::release(std::uint64_t* block, std::size_t bucket, bool secret) noexcept {
  std::size_t bytes = bucket_words(bucket) * 8;
  if (secret) secure_zero(block, bytes);
  if (in_slab(bucket)) {
    const std::lock_guard lock(mutex_);
    free_[bucket].push_back(block);
    idle_bytes_ += bytes;
    const auto slab = std::prev(slabs_.upper_bound(block));
    if (--slab->second.used != 0 || idle_bytes_ <= max_idle_bytes_) return;
    block = slab->first;
    std::erase_if(free_[bucket], [&](const std::uint64_t* p) {
      return p >= block && p < block + slab->second.bytes / sizeof(*block);
    });
    slab_blocks_[bucket] -= slab->second.blocks;
    idle_bytes_ -= slab->second.blocks * bytes;
    total_bytes_ -= slab->second.blocks * bytes;
    bytes = slab->second.bytes;
    slabs_.erase(slab);
  } else {
    const std::lock_guard lock(mutex_);
    last_use_[bucket] = ++uses_;
    try {
      free_[bucket].push_back(block);
      idle_bytes_ += bytes;
      block = nullptr;
    } catch (...) {  // no memory for the list: the block goes back to the system
      total_bytes_ -= bytes;
    }
  }
  do {
    if (block != nullptr) unmap_block(block, bytes);
    block = surplus(bytes);
  } while (block != nullptr);
}

/// A block of the size that was used longest ago, of which the pool keeps no record any more; null within the
/// cap. What is in use now would be mapped again at once, and its pages cleared.
std::uint64_t* MemoryPool::surplus(std::size_t& bytes) noexcept {
  const std::lock_guard lock(mutex_);
  if (idle_bytes_ <= max_idle_bytes_) return nullptr;
  std::size_t oldest = kBuckets;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket)
    if (!in_slab(bucket) && !free_[bucket].empty() &&
        (oldest == kBuckets || last_use_[bucket] < last_use_[oldest]))
      oldest = bucket;
  if (oldest == kBuckets) return nullptr;
  std::uint64_t* const block = free_[oldest].back();
  free_[oldest].pop_back();
  bytes = bucket_words(oldest) * 8;
  idle_bytes_ -= bytes;
  total_bytes_ -= bytes;
  return block;
}

std::size_t MemoryPool::idle_bytes() const {
  const std::lock_guard lock(mutex_);
  return idle_bytes_;
}

std::size_t MemoryPool::total_bytes() const {
  const std::lock_guard lock(mutex_);
  return total_bytes_;
}

}  // namespace nttforge::cpu
