// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the threads of a pool share of one loop: indices to take, and the exception that is kept.

#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <utility>

#include "nttforge/base/memory/aligned_memory.hpp"
#include "nttforge/base/threads/thread_pool.hpp"

namespace nttforge {

/// The indices of a loop that one thread has, the same in every loop of that size, so that what it worked on
/// last time is still in its cache; a thread that is through takes indices of others.
///
/// One line of cache a thread, so that a loop reaches a polling worker with one transfer of it, and its end
/// the caller with another. `claim` holds the loop's number and the indices left: whoever takes one owns it,
/// and the caller waits for all owned indices before it writes the next loop, so what an owner reads of the
/// loop is that loop's.
struct alignas(kLineBytes) LoopShare {
  std::atomic<std::uint64_t> claim{0};  ///< number of the loop << 32 | indices left
  std::atomic<std::uint32_t> done{0};   ///< indices that were run
  std::atomic<std::uint32_t> bell{0};
  std::atomic<bool> asleep{false};
  ThreadPool::Body body{};
  std::size_t end = 0;
  std::uint32_t stack_bytes = 0;  ///< that whoever helps wipes: the caller's StackWipe::active()

  static constexpr std::size_t kMostIndices = 0xFFFFFFFFu;

  bool is_open() const { return static_cast<std::uint32_t>(claim.load(std::memory_order_acquire)) != 0; }

  /// The `size` indices before `last` of loop number `loop`; true if its worker is to be woken. If not `wake`
  /// nothing waits for the line to come from the worker: the caller begins its own indices meanwhile.
  bool open(std::uint64_t loop, const ThreadPool::Body& function, std::size_t last, std::uint32_t size,
            bool wake, std::uint32_t wiped_bytes) {
    body = function;
    end = last;
    stack_bytes = wiped_bytes;
    done.store(0, std::memory_order_relaxed);
    if (!wake) {
      claim.store(loop << 32 | size, std::memory_order_release);
      return false;
    }
    claim.store(loop << 32 | size);  // before the look at asleep: Crew's sleep_until
    return asleep.load();
  }

  /// Takes an index.
  bool take(std::size_t& index) {
    std::uint64_t seen = claim.load(std::memory_order_relaxed);
    while (static_cast<std::uint32_t>(seen) != 0) {
      if (!claim.compare_exchange_weak(seen, seen - 1)) continue;
      index = end - static_cast<std::uint32_t>(seen);
      return true;
    }
    return false;
  }
};

/// Runs body(i) and keeps the exception of the smallest index.
class LoopFailure {
 public:
  void run(const ThreadPool::Body& body, std::size_t i) {
    try {
      body(i);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (i < first_) {
        first_ = i;
        error_ = std::current_exception();
      }
    }
  }
  std::exception_ptr taken() {
    first_ = std::numeric_limits<std::size_t>::max();
    return std::exchange(error_, nullptr);
  }

 private:
  std::mutex mutex_;
  std::size_t first_ = std::numeric_limits<std::size_t>::max();
  std::exception_ptr error_;
};

}  // namespace nttforge
