#include "nttforge/base/thread_pool.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "nttforge/base/error.hpp"

namespace nttforge {
namespace {

constexpr unsigned kMaxThreads = 1024;

// True on a thread that is executing the body of a loop shared with others: nested calls then run serially.
thread_local bool inside_loop = false;

// Number of forks between the first process and this one. Worker threads do not survive a fork.
std::atomic<std::uint64_t> fork_count{0};

std::uint64_t process_generation() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { fork_count.fetch_add(1); });
  static_cast<void>(registered);
  return fork_count.load(std::memory_order_relaxed);
}

unsigned usable_hardware_threads() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

/// One parallel loop: indices are handed out one by one; every index is run even if another one threw.
class Loop {
 public:
  Loop(std::size_t count, const std::function<void(std::size_t)>& body) : count_(count), body_(body) {}

  /// Runs indices until none is left. Called by each thread that takes part.
  void work() {
    for (std::size_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) {
      try {
        body_(i);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (i < first_failed_) {
          first_failed_ = i;
          error_ = std::current_exception();
        }
      }
    }
  }

  void work_as_one_of_many() {
    inside_loop = true;
    work();
    inside_loop = false;
  }

  void rethrow() {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::size_t count_;
  const std::function<void(std::size_t)>& body_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::size_t first_failed_ = std::numeric_limits<std::size_t>::max();
  std::exception_ptr error_;
};

/// Does not mark the thread as inside a loop, so that a loop inside a loop of one index still spreads out.
void run_serially(std::size_t count, const std::function<void(std::size_t)>& body) {
  Loop loop(count, body);
  loop.work();
  loop.rethrow();
}

/// The worker threads of one process. Never destroyed in a process other than the one that made it.
class Crew {
 public:
  explicit Crew(unsigned workers) : generation_(process_generation()), wanted_(workers) {}

  ~Crew() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  std::uint64_t generation() const { return generation_; }

  /// False if the workers are busy with another loop.
  bool try_run(Loop& loop) {
    bool expected = false;
    if (!busy_.compare_exchange_strong(expected, true)) return false;
    start_threads();
    {
      const std::lock_guard lock(mutex_);
      loop_ = &loop;
      ++round_;
      working_ = threads_.size();
    }
    wake_.notify_all();
    loop.work_as_one_of_many();
    {
      std::unique_lock lock(mutex_);
      done_.wait(lock, [this] { return working_ == 0; });
      loop_ = nullptr;
    }
    busy_.store(false);
    return true;
  }

 private:
  void start_threads() {
    if (started_) return;
    started_ = true;
    threads_.reserve(wanted_);
    try {
      while (threads_.size() < wanted_) threads_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
      // The system gives no more threads: the ones that started, and the caller, do the work.
    }
  }

  void serve() {
    std::uint64_t seen = 0;
    for (;;) {
      Loop* loop = nullptr;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return stopping_ || round_ != seen; });
        if (stopping_) return;
        seen = round_;
        loop = loop_;
      }
      loop->work_as_one_of_many();
      const std::lock_guard lock(mutex_);
      if (--working_ == 0) done_.notify_one();
    }
  }

  const std::uint64_t generation_;
  const unsigned wanted_;
  std::atomic<bool> busy_{false};
  bool started_ = false;  // only touched while busy_
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  Loop* loop_ = nullptr;
  std::uint64_t round_ = 0;
  std::size_t working_ = 0;
  bool stopping_ = false;
};

}  // namespace

struct ThreadPool::Impl {
  explicit Impl(unsigned count) : threads(count), crew(new Crew(count - 1)) {}

  ~Impl() {
    Crew* last = crew.load();
    if (last->generation() == process_generation())
      delete last;  // else its threads live in another process: leak it
  }

  /// The crew of this process. After a fork the parent's crew is left alone (its threads are gone, its
  /// mutexes may be held for ever) and a new one takes its place.
  Crew& current() {
    Crew* seen = crew.load();
    if (seen->generation() == process_generation()) return *seen;
    auto fresh = std::make_unique<Crew>(threads - 1);
    if (crew.compare_exchange_strong(seen, fresh.get())) return *fresh.release();
    return *seen;
  }

  const unsigned threads;
  std::atomic<Crew*> crew;
};

ThreadPool::ThreadPool(unsigned threads) {
  if (threads > kMaxThreads) {
    throw ParameterError("threads = " + std::to_string(threads) + " is too many: use 1 ... " +
                         std::to_string(kMaxThreads) + ", or 0 for all this process may use");
  }
  impl_ = std::make_unique<Impl>(threads == 0 ? std::min(kMaxThreads, usable_hardware_threads()) : threads);
}

ThreadPool::~ThreadPool() = default;

unsigned ThreadPool::threads() const { return impl_->threads; }

void ThreadPool::parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) const {
  if (count == 0) return;
  if (count == 1 || impl_->threads == 1 || inside_loop) return run_serially(count, body);
  Loop loop(count, body);
  if (!impl_->current().try_run(loop)) return run_serially(count, body);
  loop.rethrow();
}

}  // namespace nttforge
