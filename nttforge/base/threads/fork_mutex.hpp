// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

namespace nttforge {

/// A mutex that no child of a fork finds locked: fork() waits until no thread holds one. For locks that are
/// held for moments. A thread holds one at a time, and makes and destroys none meanwhile.
class ForkMutex {
 public:
  ForkMutex();
  ~ForkMutex();
  ForkMutex(const ForkMutex&) = delete;
  ForkMutex& operator=(const ForkMutex&) = delete;

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

}  // namespace nttforge
