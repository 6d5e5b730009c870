// SPDX-License-Identifier: Apache-2.0
#pragma once

// A hook that counts polls and interrupts at one of them.

#include "nttforge/base/interrupt.hpp"

namespace nttforge::testing {

struct Interruption {};

class CountedPolls {
 public:
  /// Throws Interruption at poll `last`; 0: never.
  explicit CountedPolls(unsigned last = 0) : last_(last), scope_(&CountedPolls::poll, this) {}
  unsigned count() const { return count_; }

 private:
  static void poll(void* context) {
    auto& self = *static_cast<CountedPolls*>(context);
    if (++self.count_ == self.last_) throw Interruption();
  }
  unsigned last_, count_ = 0;
  InterruptScope scope_;
};

/// Polls of work(); then work() again, interrupted at half of them: false if it came to its end all the same.
template <class Work>
bool ends_at_a_poll(const Work& work, unsigned least_polls) {
  unsigned polls = 0;
  {
    const CountedPolls counted;
    work();
    polls = counted.count();
  }
  if (polls < least_polls) return false;
  const CountedPolls counted(polls / 2 + 1);
  try {
    work();
  } catch (const Interruption&) {
    return counted.count() == polls / 2 + 1;
  }
  return false;
}

}  // namespace nttforge::testing
