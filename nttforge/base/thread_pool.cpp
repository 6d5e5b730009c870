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
#include <utility>
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

/// The indices of a loop that one thread has, the same in every loop of that size, so that what it worked on
/// last time is still in its cache; a thread that is through takes indices of others.
///
/// One line of cache a thread, so that a loop reaches a polling worker with one transfer of it, and its end
/// the caller with another. `claim` holds the loop's number and the indices left: whoever takes one owns it,
/// and the caller waits for all owned indices before it writes the next loop, so what an owner reads of the
/// loop is that loop's.
struct alignas(64) Share {
  std::atomic<std::uint64_t> claim{0};  ///< number of the loop << 32 | indices left
  std::atomic<std::uint32_t> done{0};   ///< indices that were run
  std::atomic<std::uint32_t> bell{0};
  std::atomic<bool> asleep{false};
  ThreadPool::Body body{};
  std::size_t end = 0;

  static constexpr std::size_t kMostIndices = 0xFFFFFFFFu;

  bool open() const { return static_cast<std::uint32_t>(claim.load()) != 0; }

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
class Failure {
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

/// Does not mark the thread as inside a loop, so that a loop inside a loop of one index still spreads out.
void run_serially(std::size_t count, const ThreadPool::Body& body) {
  Failure failure;
  for (std::size_t i = 0; i < count; ++i) failure.run(body, i);
  if (const std::exception_ptr error = failure.taken()) std::rethrow_exception(error);
}

/// The worker threads of one process. Never destroyed in a process other than the one that made it.
class Crew {
 public:
  Crew(unsigned workers, bool pinned)
      : generation_(process_generation()),
        pinned_(pinned),
        polls_(workers != 0 && workers < usable_cpus()),
        shares_(workers + 1) {}

  ~Crew() {
    stopping_.store(true);
    for (std::size_t i = 1; i <= threads_.size(); ++i) ring(shares_[i]);
    for (std::thread& thread : threads_) thread.join();
  }

  std::uint64_t generation() const { return generation_; }

  /// False if the workers are busy with another loop. weight: ThreadPool::parallel_for's.
  bool try_run(std::size_t count, const ThreadPool::Body& body, std::size_t weight) {
    bool expected = false;
    if (!busy_.compare_exchange_strong(expected, true)) return false;
    start_threads();
    const std::size_t shares = std::min(count, threads_.size() + 1);
    open_shares(count, shares, body, worth_waking(weight));
    inside_loop = true;
    work(0);
    inside_loop = false;
    for (std::size_t i = 0; i < shares; ++i) wait_for(shares_[i], size_of(i, count, shares));
    const std::exception_ptr error = failure_.taken();
    busy_.store(false);
    if (error) std::rethrow_exception(error);
    return true;
  }

 private:
  /// Sizes differ by one at most.
  static std::uint32_t size_of(std::size_t share, std::size_t count, std::size_t shares) {
    return static_cast<std::uint32_t>(count / shares + (share < count % shares ? 1 : 0));
  }

  void open_shares(std::size_t count, std::size_t shares, const ThreadPool::Body& body, bool wake) {
    ++loop_;
    std::size_t end = count;
    for (std::size_t i = shares; i-- > 0;) {  // the caller's last
      Share& share = shares_[i];
      const std::uint32_t size = size_of(i, count, shares);
      share.body = body;
      share.end = end;
      share.done.store(0, std::memory_order_relaxed);
      share.claim.store(loop_ << 32 | size);
      end -= size;
      if (i != 0 && wake && share.asleep.load()) ring(share);
    }
  }

  /// Waking a worker costs the caller a system call, and what is over soon is over before the worker runs.
  bool worth_waking(std::size_t weight) {
    missed_ += std::min(weight, kWorthWaking);
    if (weight < kWorthWaking && missed_ < kManyMissed) return false;
    missed_ = 0;
    return true;
  }

  static void ring(Share& share) {
    share.bell.fetch_add(1);
    share.bell.notify_one();
  }

  /// Runs indices until none is left, those of share `own` first.
  void work(std::size_t own) {
    const std::size_t shares = threads_started_.load(std::memory_order_relaxed) + 1;
    for (std::size_t turn = 0; turn < shares; ++turn) {
      Share& share = shares_[own + turn < shares ? own + turn : own + turn - shares];
      std::uint32_t done = 0;
      for (std::size_t index; share.take(index); ++done) failure_.run(share.body, index);
      if (done == 0) continue;
      share.done.fetch_add(done);
      share.done.notify_one();
    }
  }

  void wait_for(Share& share, std::uint32_t size) const {
    if (polls_ && poll([&] { return share.done.load() == size; }, kCallerPatience)) return;
    for (std::uint32_t done = share.done.load(); done != size; done = share.done.load())
      share.done.wait(done);
  }

  void start_threads() {
    if (started_) return;
    started_ = true;
    const std::size_t wanted = shares_.size() - 1;
    threads_.reserve(wanted);
    const std::vector<int> cpus = pinned_ ? cpus_for_workers() : std::vector<int>();
    try {
      while (threads_.size() < wanted) {
        threads_.emplace_back([this, own = threads_.size() + 1] { serve(own); });
        threads_started_.store(threads_.size());
        if (!cpus.empty()) stay_on(threads_.back(), cpus[(threads_.size() - 1) % cpus.size()]);
      }
    } catch (const std::system_error&) {
      // The system gives no more threads: the ones that started, and the caller, do the work.
    }
  }

  void serve(std::size_t own) {
    inside_loop = true;
    Share& share = shares_[own];
    const auto called = [&] { return share.open() || stopping_.load(); };
    for (;;) {
      if (!polls_ || !poll(called, kWorkerPatience)) sleep_until(share, called);
      if (stopping_.load()) return;
      work(own);
    }
  }

  /// The caller opens a share before it looks whether its worker is asleep, the worker says so before it
  /// looks whether the share is open: one of them sees the other.
  template <class Condition>
  static void sleep_until(Share& share, const Condition& called) {
    share.asleep.store(true);
    for (std::uint32_t seen = share.bell.load(); !called(); seen = share.bell.load()) share.bell.wait(seen);
    share.asleep.store(false);
  }

  static constexpr std::size_t kWorthWaking = std::size_t{1} << 15, kManyMissed = std::size_t{1} << 17;

  const std::uint64_t generation_;
  const bool pinned_;
  const bool polls_;  ///< only if every thread can have a CPU
  std::atomic<bool> busy_{false};
  std::atomic<bool> stopping_{false};
  std::vector<Share> shares_;  ///< the caller's, then one a worker
  std::vector<std::thread> threads_;
  std::atomic<std::size_t> threads_started_{0};
  // Only touched while busy_.
  bool started_ = false;
  std::uint64_t loop_ = 0;
  std::size_t missed_ = 0;  ///< weight of loops since a worker was last woken
  Failure failure_;
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

void ThreadPool::run(std::size_t count, const Body& body, std::size_t weight) const {
  if (count == 0) return;
  if (count == 1 || impl_->threads == 1 || inside_loop || count > Share::kMostIndices ||
      !impl_->current().try_run(count, body, weight)) {
    run_serially(count, body);
  }
}

}  // namespace nttforge
