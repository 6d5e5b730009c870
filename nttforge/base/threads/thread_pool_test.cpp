// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/threads/thread_pool.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"

using nttforge::ParameterError;
using nttforge::ThreadPool;

namespace {

/// Each index must be visited once: distinct slots, no synchronisation needed.
bool visits_each_once(const ThreadPool& pool, std::size_t count) {
  std::vector<unsigned> visits(count, 0);
  pool.parallel_for(count, [&](std::size_t i) { ++visits[i]; });
  for (const unsigned v : visits)
    if (v != 1) return false;
  return true;
}

/// Waits until `wanted` threads have arrived, so that a body provably runs on that many threads.
void meet(std::atomic<unsigned>& arrived, unsigned wanted) {
  ++arrived;
  while (arrived < wanted) std::this_thread::yield();
}

}  // namespace

NTTF_TEST("thread pool: every index once, for any number of threads and indices") {
  for (const unsigned threads : {1u, 2u, 3u, 8u}) {
    const ThreadPool pool(threads);
    NTTF_CHECK_EQ(pool.threads(), threads);
    for (const std::size_t count : {0, 1, 2, 7, 1000}) NTTF_CHECK(visits_each_once(pool, count));
    for (int round = 0; round < 200; ++round) NTTF_CHECK(visits_each_once(pool, 5));
  }
  NTTF_CHECK(ThreadPool(0).threads() >= 1);
  NTTF_CHECK_THROWS(ThreadPool(1025), ParameterError, "threads = 1025 is too many");
}

NTTF_TEST("thread pool: loops of little weight run whole, workers asleep or not, and in the end wake them") {
  const ThreadPool pool(3);
  std::atomic<unsigned> elsewhere{0};
  const auto caller = std::this_thread::get_id();
  const auto body = [&](std::size_t) {
    if (std::this_thread::get_id() != caller) ++elsewhere;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  };
  for (int loop = 0; loop < 400 && elsewhere == 0; ++loop) {
    std::vector<std::atomic<int>> seen(7);
    std::this_thread::sleep_for(std::chrono::milliseconds(loop < 3 ? 5 : 0));
    pool.parallel_for(seen.size(), [&](std::size_t i) { ++seen[i], body(i); }, 1000);
    for (const auto& count : seen) NTTF_CHECK_EQ(count.load(), 1);
  }
  NTTF_CHECK(elsewhere != 0);
}

NTTF_TEST("thread pool: work really spreads over the threads, the caller among them") {
  const ThreadPool pool(3);
  std::atomic<unsigned> arrived{0};
  std::vector<std::thread::id> ids(3);
  pool.parallel_for(3, [&](std::size_t i) {
    ids[i] = std::this_thread::get_id();
    meet(arrived, 3);
  });
  const std::set<std::thread::id> distinct(ids.begin(), ids.end());
  NTTF_CHECK_EQ(distinct.size(), 3u);
  NTTF_CHECK_EQ(distinct.count(std::this_thread::get_id()), 1u);
}

NTTF_TEST("thread pool: the exception of the smallest index arrives after all indices ran") {
  for (const unsigned threads : {1u, 4u}) {
    const ThreadPool pool(threads);
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> ran{0};
      NTTF_CHECK_THROWS(pool.parallel_for(50,
                                          [&](std::size_t i) {
                                            ++ran;
                                            if (i % 10 == 7)
                                              throw ParameterError("index " + std::to_string(i) + ".");
                                          }),
                        ParameterError, "index 7.");
      NTTF_CHECK_EQ(ran.load(), 50);
      NTTF_CHECK(visits_each_once(pool, 100));  // still usable
    }
  }
}

NTTF_TEST("thread pool: nested loops run, on one thread") {
  const ThreadPool pool(3);
  std::vector<unsigned> visits(12 * 9, 0);
  std::atomic<unsigned> foreign{0};
  pool.parallel_for(12, [&](std::size_t i) {
    const auto id = std::this_thread::get_id();
    pool.parallel_for(9, [&](std::size_t j) {
      ++visits[9 * i + j];
      if (std::this_thread::get_id() != id) ++foreign;
    });
  });
  for (const unsigned v : visits) NTTF_CHECK_EQ(v, 1u);
  NTTF_CHECK_EQ(foreign.load(), 0u);
}

NTTF_TEST("thread pool: a loop inside a loop of one index still spreads") {
  const ThreadPool pool(2);
  std::atomic<unsigned> arrived{0};
  pool.parallel_for(1, [&](std::size_t) { pool.parallel_for(2, [&](std::size_t) { meet(arrived, 2); }); });
  NTTF_CHECK_EQ(arrived.load(), 2u);
}

NTTF_TEST("thread pool: concurrent callers share one pool") {
  const ThreadPool pool(3);
  std::vector<std::thread> callers;
  std::atomic<unsigned> good{0};
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int round = 0; round < 100; ++round) good += visits_each_once(pool, 40) ? 1u : 0u;
    });
  }
  for (std::thread& caller : callers) caller.join();
  NTTF_CHECK_EQ(good.load(), 400u);
}

// Threads started after a fork are outside what ThreadSanitizer supports, and meet held locks of
// AddressSanitizer's allocator.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
NTTF_TEST("thread pool: works in a forked child and in the parent afterwards") {
  const ThreadPool pool(3);
  NTTF_CHECK(visits_each_once(pool, 100));
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<unsigned> arrived{0};
    bool good = visits_each_once(pool, 100);
    pool.parallel_for(3, [&](std::size_t) { meet(arrived, 3); });  // the child has workers of its own
    {
      const ThreadPool own(2);
      good = good && visits_each_once(own, 10);
    }
    _exit(good && arrived == 3 ? 0 : 1);
  }
  int status = -1;
  NTTF_CHECK_EQ(waitpid(child, &status, 0), child);
  NTTF_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  NTTF_CHECK(visits_each_once(pool, 100));
}
#endif
