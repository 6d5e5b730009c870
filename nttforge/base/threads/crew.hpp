// SPDX-License-Identifier: Apache-2.0
#pragma once

// The worker threads of a ThreadPool.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "nttforge/base/threads/loop_share.hpp"
#include "nttforge/base/threads/thread_pool.hpp"

namespace nttforge {

/// True on a thread that is executing the body of a loop shared with others: nested calls then run serially.
extern thread_local bool inside_loop;

/// Number of forks between the first process and this one. Worker threads do not survive a fork.
std::uint64_t process_generation();

/// The worker threads of one process. Never destroyed in a process other than the one that made it.
class Crew {
 public:
  Crew(unsigned workers, bool pinned);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  std::uint64_t generation() const { return generation_; }

  /// False if the workers are busy with another loop. weight: ThreadPool::parallel_for's.
  bool try_run(std::size_t count, const ThreadPool::Body& body, std::size_t weight);

 private:
  void open_shares(std::size_t count, std::size_t shares, const ThreadPool::Body& body, bool wake);
  bool worth_waking(std::size_t weight);
  void work(std::size_t own);
  void wait_for(LoopShare& share, std::uint32_t size) const;
  void start_threads();
  void serve(std::size_t own);

  const std::uint64_t generation_;
  const bool pinned_;
  const bool polls_;  ///< only if every thread can have a CPU
  std::atomic<bool> busy_{false};
  std::atomic<bool> stopping_{false};
  std::vector<LoopShare> shares_;  ///< the caller's, then one a worker
  std::vector<std::thread> threads_;
  std::atomic<std::size_t> threads_started_{0};
  // Only touched while busy_.
  bool started_ = false;
  std::uint64_t loop_ = 0;
  std::size_t missed_ = 0;  ///< weight of loops since a worker was last woken
  LoopFailure failure_;
};

}  // namespace nttforge
