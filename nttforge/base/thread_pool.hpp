#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace nttforge {

/// Fixed set of worker threads for data-parallel loops. The calling thread takes part, so ThreadPool(1)
/// starts none. parallel_for may be called from several threads at once; a call that finds the workers busy
/// runs on its own thread. Results never depend on the number of threads.
class ThreadPool {
 public:
  /// threads  1 ... 1024; 0 means the number of hardware threads this process may use.
  explicit ThreadPool(unsigned threads = 1);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned threads() const;

  /// Calls body(i) once for each i in [0, count), in no particular order, and returns when all are done.
  /// Every index runs even if another one throws; then the exception of the smallest index is rethrown here.
  /// Nested calls run serially. Workers start with the first loop, and again after a fork in the child.
  void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace nttforge
