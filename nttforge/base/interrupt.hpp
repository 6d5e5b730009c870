// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nttforge {

/// What poll_interrupt() calls. It returns to let the operation go on, or throws to end it; the exception
/// reaches the caller of the operation, which leaves nothing half-made.
using InterruptHook = void (*)(void* context);

/// Installs a hook for the operations of this thread for as long as the scope lives; the hook that was there
/// before comes back after it. Long operations (the search for roots and primes, tables, keys) poll many
/// times a second on the thread that called them. The Python package installs one that raises
/// KeyboardInterrupt after Ctrl-C.
///
///   std::atomic<bool> stop;  // set by a signal handler or another thread
///   const InterruptScope scope([](void* flag) {
///     if (static_cast<std::atomic<bool>*>(flag)->load()) throw MyInterruption();
///   }, &stop);
class InterruptScope {
 public:
  explicit InterruptScope(InterruptHook hook, void* context = nullptr) noexcept;
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  InterruptHook hook_;
  void* context_;
};

/// Calls this thread's hook; without one it does nothing. For loops whose steps take a microsecond or more.
void poll_interrupt();

/// Polls at every 4096th call: for loops of short steps.
class SparsePoll {
 public:
  void operator()() {
    if ((++calls_ & 0xFFFu) == 0) poll_interrupt();
  }

 private:
  unsigned calls_ = 0;
};

}  // namespace nttforge
