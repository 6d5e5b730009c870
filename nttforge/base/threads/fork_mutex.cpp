// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/threads/fork_mutex.hpp"

#include <set>

#include "nttforge/base/system/system.hpp"

namespace nttforge {
namespace {

struct Registry {
  std::mutex mutex;
  std::set<ForkMutex*> members;
};

Registry& registry() {
  static Registry* const all = new Registry;  // outlives every mutex
  return *all;
}

void before_fork() {
  registry().mutex.lock();
  for (ForkMutex* member : registry().members) member->lock();
}

void after_fork() {
  for (ForkMutex* member : registry().members) member->unlock();
  registry().mutex.unlock();
}

}  // namespace

ForkMutex::ForkMutex() {
  static const bool registered = (system::at_fork(before_fork, after_fork, after_fork), true);
  static_cast<void>(registered);
  const std::lock_guard lock(registry().mutex);
  registry().members.insert(this);
}

ForkMutex::~ForkMutex() {
  const std::lock_guard lock(registry().mutex);
  registry().members.erase(this);
}

}  // namespace nttforge
