// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "nttforge/base/threads/fork_mutex.hpp"

namespace nttforge::cpu {

/// Memory of the CPU device: blocks are kept on free lists by size, so a buffer of megabytes is mapped (and
/// its pages faulted in) once, not at each use. Thread-safe, also in a child forked while threads use it.
/// Blocks are aligned to 64 bytes, from 2 MiB on to 2 MiB (huge pages). Blocks of 128 KiB to 2 MiB are cut
/// from slabs of huge pages: memory that is physically in one piece spreads evenly over the sets of a
/// second-level cache, which such blocks fill.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  /// max_idle_bytes  beyond this total, idle blocks of the sizes used longest ago go back to the system,
  ///                 those of a slab together with the last of them.
  static std::shared_ptr<MemoryPool> create(std::size_t max_idle_bytes = usual_idle_bytes());
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// `words` words with unspecified contents (null for 0); released when the last owner goes, which may be
  /// after the device. secret: overwritten with zeros on release. throws std::bad_alloc.
  std::shared_ptr<std::uint64_t> allocate(std::size_t words, bool secret);

  std::size_t idle_bytes() const;   ///< on the free lists
  std::size_t total_bytes() const;  ///< on the free lists and in use

 private:
  /// An eighth of the memory that is free now, but 512 MiB at least and 2 GiB at most: operations on
  /// polynomials of 2^16 coefficients take more than one.
  static std::size_t usual_idle_bytes();
  explicit MemoryPool(std::size_t max_idle_bytes) : max_idle_bytes_(max_idle_bytes) {}
  struct Slab {
    std::size_t blocks = 0, used = 0, bytes = 0;
  };
  void cut_slab(std::size_t bucket);
  std::uint64_t* take(std::size_t bucket);
  void release(std::uint64_t* block, std::size_t bucket, bool secret) noexcept;
  std::uint64_t* surplus(std::size_t& bytes) noexcept;

  static constexpr std::size_t kBuckets = 4 * 48;
  std::size_t max_idle_bytes_;
  mutable ForkMutex mutex_;
  std::size_t idle_bytes_ = 0;
  std::size_t total_bytes_ = 0;
  std::array<std::vector<std::uint64_t*>, kBuckets> free_;
  std::array<std::size_t, kBuckets> slab_blocks_{};  ///< in all slabs of a bucket
  std::array<std::uint64_t, kBuckets> last_use_{};   ///< by uses_ so far
  std::uint64_t uses_ = 0;
  std::map<std::uint64_t*, Slab> slabs_;  ///< by first word
};

}  // namespace nttforge::cpu
