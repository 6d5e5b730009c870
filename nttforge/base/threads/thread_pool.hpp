// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <memory>

namespace nttforge {

/// Whether worker threads stay on one CPU each.
enum class Pinning {
  automatic,  ///< cores if the environment variable NTTFORGE_PIN is 1, else none
  none,       ///< the operating system places them
  cores,      ///< worker i stays on a CPU of its own, of those this process may use; the caller is left alone
};

/// Fixed set of worker threads for data-parallel loops. The calling thread takes part, so ThreadPool(1)
/// starts none. parallel_for may be called from several threads at once; a call that finds the workers busy
/// runs on its own thread. A loop takes no lock and allocates nothing (the first one starts the workers);
/// workers wait for the next one for some microseconds before they sleep. Results never depend on the number
/// of threads.
class ThreadPool {
 public:
  /// threads  1 ... 1024; 0 means default_threads(): NTTFORGE_THREADS, or the CPUs this process may use.
  explicit ThreadPool(unsigned threads = 1, Pinning pinning = Pinning::automatic);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned threads() const;

  /// Calls body(i) once for each i in [0, count), in no particular order, and returns when all are done.
  /// Every index runs even if another one throws; then the exception of the smallest index is rethrown here.
  /// Nested calls run serially. Workers start with the first loop, and again after a fork in the child.
  /// weight: words that the loop works on, or what takes as long. Workers that sleep are not woken for less
  /// than 2^15, until many such loops have come.
  template <class Function>
  void parallel_for(std::size_t count, const Function& body,
                    std::size_t weight = std::numeric_limits<std::size_t>::max()) const {
    run(count, Body(body), weight);
  }

  /// A function that outlives its callers.
  class Body {
   public:
    Body() = default;
    template <class Function>
    explicit Body(const Function& function)
        : function_(&function),
          call_([](const void* f, std::size_t i) { (*static_cast<const Function*>(f))(i); }) {}
    void operator()(std::size_t i) const { call_(function_, i); }

   private:
    const void* function_ = nullptr;
    void (*call_)(const void*, std::size_t) = nullptr;
  };

 private:
  void run(std::size_t count, const Body& body, std::size_t weight) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace nttforge
