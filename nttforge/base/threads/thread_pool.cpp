// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/threads/thread_pool.hpp"

#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/threads/cpu_count.hpp"
#include "nttforge/base/threads/crew.hpp"

namespace nttforge {
namespace {

constexpr unsigned kMaxThreads = 1024;

bool wants_pinning(Pinning pinning) {
  if (pinning != Pinning::automatic) return pinning == Pinning::cores;
  const char* text = std::getenv("NTTFORGE_PIN");
  return text != nullptr && std::string(text) == "1";
}

/// Does not mark the thread as inside a loop, so that a loop inside a loop of one index still spreads out.
void run_serially(std::size_t count, const ThreadPool::Body& body) {
  LoopFailure failure;
  for (std::size_t i = 0; i < count; ++i) failure.run(body, i);
  if (const std::exception_ptr error = failure.taken()) std::rethrow_exception(error);
}

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
  if (count == 1 || impl_->threads == 1 || inside_loop || count > LoopShare::kMostIndices ||
      !impl_->current().try_run(count, body, weight)) {
    run_serially(count, body);
  }
}

}  // namespace nttforge
