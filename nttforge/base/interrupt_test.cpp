// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/interrupt.hpp"

#include <thread>

#include "nttforge/base/testing.hpp"
#include "nttforge/base/testing_interrupt.hpp"

using nttforge::InterruptScope;
using nttforge::poll_interrupt;
using nttforge::testing::CountedPolls;
using nttforge::testing::Interruption;

NTTF_TEST("interrupt: without a hook a poll does nothing") { poll_interrupt(); }

NTTF_TEST("interrupt: scopes nest, and belong to their thread") {
  const CountedPolls outer;
  {
    const CountedPolls inner;
    poll_interrupt();
    std::thread([] { poll_interrupt(); }).join();
    NTTF_CHECK_EQ(inner.count(), 1u);
  }
  NTTF_CHECK_EQ(outer.count(), 0u);
  poll_interrupt();
  NTTF_CHECK_EQ(outer.count(), 1u);
}

NTTF_TEST("interrupt: what the hook throws ends the operation, and the scope still ends") {
  bool ended = false;
  try {
    const CountedPolls polls(3);
    nttforge::SparsePoll sparse;
    for (unsigned i = 0; i < 4 * 4096; ++i) sparse();
  } catch (const Interruption&) {
    ended = true;
  }
  NTTF_CHECK(ended);
  poll_interrupt();
}
