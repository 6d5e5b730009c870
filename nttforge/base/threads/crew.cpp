// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/threads/crew.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/base/system/system.hpp"
#include "nttforge/base/threads/cpu_count.hpp"

namespace nttforge {
namespace {

// Number of forks in this process's ancestry.
std::atomic<std::uint64_t> fork_count{0};

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

/// Polls for a while, long against a hand-over (below a microsecond), short against a scheduler's slice.
template <class Condition>
bool poll(const Condition& condition, std::chrono::nanoseconds patience) {
  if (condition()) return true;
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
constexpr std::size_t kWorthWaking = std::size_t{1} << 15, kManyMissed = std::size_t{1} << 17;

/// Sizes differ by one at most.
std::uint32_t size_of(std::size_t share, std::size_t count, std::size_t shares) {
  return static_cast<std::uint32_t>(count / shares + (share < count % shares ? 1 : 0));
}

void ring(LoopShare& share) {
  share.bell.fetch_add(1);
  share.bell.notify_one();
}

/// The caller opens a share before it looks whether its worker is asleep, the worker says so before it
/// looks whether the share is open: one of them sees the other. A loop that is not worth waking for is run by
/// the caller then.
template <class Condition>
void sleep_until(LoopShare& share, const Condition& called) {
  share.asleep.store(true);
  for (std::uint32_t seen = share.bell.load(); !called(); seen = share.bell.load()) share.bell.wait(seen);
  share.asleep.store(false);
}

}  // namespace

thread_local bool inside_loop = false;

std::uint64_t process_generation() {
  static const bool registered = (system::at_fork(nullptr, nullptr, [] { fork_count.fetch_add(1); }), true);
  static_cast<void>(registered);
  return fork_count.load(std::memory_order_relaxed);
}

Crew::Crew(unsigned workers, bool pinned)
    : generation_(process_generation()),
      pinned_(pinned),
      polls_(workers != 0 && workers < usable_cpus()),
      shares_(workers + 1) {}

Crew::~Crew() {
  stopping_.store(true);
  for (std::size_t i = 1; i <= threads_.size(); ++i) ring(shares_[i]);
  for (std::thread& thread : threads_) thread.join();
}

bool Crew::try_run(std::size_t count, const ThreadPool::Body& body, std::size_t weight) {
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

void Crew::open_shares(std::size_t count, std::size_t shares, const ThreadPool::Body& body, bool wake) {
  ++loop_;
  const auto wiped = static_cast<std::uint32_t>(StackWipe::active());
  std::size_t end = count;
  for (std::size_t i = shares; i-- > 0;) {  // the caller's last
    LoopShare& share = shares_[i];
    const std::uint32_t size = size_of(i, count, shares);
    if (share.open(loop_, body, end, size, wake && i != 0, wiped)) ring(share);
    end -= size;
  }
}

/// Waking a worker costs the caller a system call, and what is over soon is over before the worker runs.
bool Crew::worth_waking(std::size_t weight) {
  missed_ += std::min(weight, kWorthWaking);
  if (weight < kWorthWaking && missed_ < kManyMissed) return false;
  missed_ = 0;
  return true;
}

/// Runs indices until none is left, those of share `own` first.
void Crew::work(std::size_t own) {
  const std::size_t shares = threads_started_.load(std::memory_order_relaxed) + 1;
  for (std::size_t turn = 0; turn < shares; ++turn) {
    LoopShare& share = shares_[own + turn < shares ? own + turn : own + turn - shares];
    std::uint32_t done = 0;
    for (std::size_t index; share.take(index); ++done) failure_.run(share.body, index);
    if (done == 0) continue;
    if (own != 0 && share.stack_bytes != 0)
      wipe_stack(share.stack_bytes);  // before the caller hears that the loop is over
    share.done.fetch_add(done);
    share.done.notify_one();
  }
}

void Crew::wait_for(LoopShare& share, std::uint32_t size) const {
  if (polls_ && poll([&] { return share.done.load() == size; }, kCallerPatience)) return;
  for (std::uint32_t done = share.done.load(); done != size; done = share.done.load()) share.done.wait(done);
}

void Crew::start_threads() {
  if (started_) return;
  started_ = true;
  const std::size_t wanted = shares_.size() - 1;
  threads_.reserve(wanted);
  const std::vector<int> cpus = pinned_ ? system::cpus_after_mine() : std::vector<int>();
  try {
    while (threads_.size() < wanted) {
      threads_.emplace_back([this, own = threads_.size() + 1] { serve(own); });
      threads_started_.store(threads_.size());
      if (!cpus.empty()) system::keep_on_cpu(threads_.back(), cpus[(threads_.size() - 1) % cpus.size()]);
    }
  } catch (const std::system_error&) {
    // The system gives no more threads: the ones that started, and the caller, do the work.
  }
}

void Crew::serve(std::size_t own) {
  inside_loop = true;
  LoopShare& share = shares_[own];
  const auto called = [&] { return share.is_open() || stopping_.load(); };
  for (;;) {
    if (!polls_ || !poll(called, kWorkerPatience)) sleep_until(share, called);
    if (stopping_.load()) return;
    work(own);
  }
}

}  // namespace nttforge
