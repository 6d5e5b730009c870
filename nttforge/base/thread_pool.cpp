#include "nttforge/base/thread_pool.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "nttforge/base/cpu_count.hpp"
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

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Polls for a while, long against a hand-over (below a microsecond), short against a scheduler's slice.
template <class Condition>
bool poll(const Condition& condition, std::chrono::nanoseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  do {
    for (int i = 0; i < 64; ++i) {
      if (condition()) return true;
      pause_briefly();
    }
  } while (std::chrono::steady_clock::now() < end);
  return condition();
}

constexpr std::chrono::microseconds kWorkerPatience{200};
constexpr std::chrono::microseconds kCallerPatience{50};

bool wants_pinning(Pinning pinning) {
  if (pinning != Pinning::automatic) return pinning == Pinning::cores;
  const char* text = std::getenv("NTTFORGE_PIN");
  return text != nullptr && std::string(text) == "1";
}

/// The CPUs this process may use, beginning after the one the caller is on.
std::vector<int> cpus_for_workers() {
  std::vector<int> cpus;
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return cpus;
  const int here = std::max(0, sched_getcpu());
  for (int i = 1; i < CPU_SETSIZE; ++i) {
    const int cpu = (here + i) % CPU_SETSIZE;
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
#endif
  return cpus;
}

void stay_on(std::thread& thread, int cpu) {
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  pthread_setaffinity_np(thread.native_handle(), sizeof(set), &set);  // a refusal costs speed only
#else
  static_cast<void>(thread), static_cast<void>(cpu);
#endif
}

/// One parallel loop; every index is run even if another one threw. Each thread has a share of the indices,
/// the same in every loop of that size, so that what it worked on last time is still in its cache; one that
/// is through takes indices of others.
class Loop {
 public:
  Loop(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& body)
      : count_(count), shares_(std::min<std::size_t>({count, threads, kMostShares})), body_(body) {
    for (std::size_t share = 0; share < shares_; ++share) next_[share].at.store(first_of(share));
  }

  /// Runs indices until none is left, those of share `thread` first. Called by each thread that takes part.
  void work(unsigned thread) {
    for (std::size_t turn = 0; turn < shares_; ++turn) {
      const std::size_t share = (thread + turn) % shares_, end = first_of(share + 1);
      std::atomic<std::size_t>& next = next_[share].at;
      while (next.load(std::memory_order_relaxed) < end) {
        const std::size_t i = next.fetch_add(1);
        if (i < end) run(i);
      }
    }
  }

  void work_as_one_of_many(unsigned thread) {
    inside_loop = true;
    work(thread);
    inside_loop = false;
  }

  void rethrow() {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  static constexpr std::size_t kMostShares = 32;  ///< more threads than that have some in common

  struct alignas(64) Next {
    std::atomic<std::size_t> at;
  };

  /// Sizes differ by one at most.
  std::size_t first_of(std::size_t share) const {
    const std::size_t size = count_ / shares_, larger = count_ % shares_;
    return share * size + std::min(share, larger);
  }

  void run(std::size_t i) {
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

  std::size_t count_, shares_;
  const std::function<void(std::size_t)>& body_;
  Next next_[kMostShares];  // the first shares_ are used
  std::mutex mutex_;
  std::size_t first_failed_ = std::numeric_limits<std::size_t>::max();
  std::exception_ptr error_;
};

/// Does not mark the thread as inside a loop, so that a loop inside a loop of one index still spreads out.
void run_serially(std::size_t count, const std::function<void(std::size_t)>& body) {
  Loop loop(count, 1, body);
  loop.work(0);
  loop.rethrow();
}

/// The worker threads of one process. Never destroyed in a process other than the one that made it.
///
/// A loop is announced by a new round. Workers enter, look whether a loop is open, and work on it; the caller
/// closes it when no index is left and waits for those inside only, not for workers that still sleep.
/// Entering before looking and closing before counting are sequentially consistent, so either the caller sees
/// the worker or the worker sees the loop closed.
class Crew {
 public:
  Crew(unsigned workers, bool pinned)
      : generation_(process_generation()),
        wanted_(workers),
        pinned_(pinned),
        polls_(workers != 0 && workers < usable_cpus()) {}

  ~Crew() {
    stopping_.store(true);
    announce();
    for (std::thread& thread : threads_) thread.join();
  }

  std::uint64_t generation() const { return generation_; }

  /// False if the workers are busy with another loop.
  bool try_run(Loop& loop) {
    bool expected = false;
    if (!busy_.compare_exchange_strong(expected, true)) return false;
    start_threads();
    loop_ = &loop;
    open_.store(true);
    announce();
    loop.work_as_one_of_many(0);
    open_.store(false);
    if (!polls_ || !poll([this] { return inside_.load() == 0; }, kCallerPatience)) {
      for (std::uint32_t inside = inside_.load(); inside != 0; inside = inside_.load()) inside_.wait(inside);
    }
    busy_.store(false);
    return true;
  }

 private:
  void announce() {
    round_.fetch_add(1);
    round_.notify_all();
  }

  void start_threads() {
    if (started_) return;
    started_ = true;
    threads_.reserve(wanted_);
    const std::vector<int> cpus = pinned_ ? cpus_for_workers() : std::vector<int>();
    try {
      while (threads_.size() < wanted_) {
        threads_.emplace_back([this, own = static_cast<unsigned>(threads_.size()) + 1] { serve(own); });
        if (!cpus.empty()) stay_on(threads_.back(), cpus[(threads_.size() - 1) % cpus.size()]);
      }
    } catch (const std::system_error&) {
      // The system gives no more threads: the ones that started, and the caller, do the work.
    }
  }

  void serve(unsigned own) {
    std::uint32_t seen = 0;
    for (;;) {
      if (!polls_ || !poll([&] { return round_.load() != seen; }, kWorkerPatience)) round_.wait(seen);
      seen = round_.load();
      if (stopping_.load()) return;
      inside_.fetch_add(1);
      if (open_.load()) loop_->work_as_one_of_many(own);
      if (inside_.fetch_sub(1) == 1) inside_.notify_one();
    }
  }

  const std::uint64_t generation_;
  const unsigned wanted_;
  const bool pinned_;
  const bool polls_;  ///< only if every thread can have a CPU
  std::atomic<bool> busy_{false};
  bool started_ = false;  // only touched while busy_
  std::vector<std::thread> threads_;
  Loop* loop_ = nullptr;  // written before open_ is set, read after it was seen set by a worker inside
  // On lines of their own: the caller writes the first two, workers the third.
  alignas(64) std::atomic<std::uint32_t> round_{0};
  std::atomic<bool> open_{false};
  std::atomic<bool> stopping_{false};
  alignas(64) std::atomic<std::uint32_t> inside_{0};
};

}  // namespace

struct ThreadPool::Impl {
  Impl(unsigned count, bool pin) : threads(count), pinned(pin), crew(new Crew(count - 1, pin)) {}

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
    auto fresh = std::make_unique<Crew>(threads - 1, pinned);
    if (crew.compare_exchange_strong(seen, fresh.get())) return *fresh.release();
    return *seen;
  }

  const unsigned threads;
  const bool pinned;
  std::atomic<Crew*> crew;
};

ThreadPool::ThreadPool(unsigned threads, Pinning pinning) {
  if (threads > kMaxThreads) {
    throw ParameterError("threads = " + std::to_string(threads) + " is too many: use 1 ... " +
                         std::to_string(kMaxThreads) + ", or 0 for all this process may use");
  }
  impl_ = std::make_unique<Impl>(threads == 0 ? default_threads() : threads, wants_pinning(pinning));
}

ThreadPool::~ThreadPool() = default;

unsigned ThreadPool::threads() const { return impl_->threads; }

void ThreadPool::parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) const {
  if (count == 0) return;
  if (count == 1 || impl_->threads == 1 || inside_loop) return run_serially(count, body);
  Loop loop(count, impl_->threads, body);
  if (!impl_->current().try_run(loop)) return run_serially(count, body);
  loop.rethrow();
}

}  // namespace nttforge
