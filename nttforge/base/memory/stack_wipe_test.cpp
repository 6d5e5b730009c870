// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/memory/stack_wipe.hpp"

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "nttforge/base/testing.hpp"
#include "nttforge/base/threads/thread_pool.hpp"

using namespace nttforge;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kReadsOldFrames = false;
#else
constexpr bool kReadsOldFrames = true;
#endif

constexpr std::uint64_t kSecret = 0x5EC2E75EC2E75EC2u;
constexpr std::size_t kWords = 1000;

/// Address of words that this call leaves on the stack of its thread. It is returned: the register that had
/// the words gets it. Compilers warn of an address that they can follow.
__attribute__((noinline)) std::uintptr_t leave_words() {
  volatile std::uint64_t words[kWords];
  for (volatile std::uint64_t& word : words) word = kSecret;
  auto address = reinterpret_cast<std::uintptr_t>(&words[0]);
  __asm__("" : "+r"(address));
  return address;
}

std::size_t left_at(std::uintptr_t address) {
  const auto* words = reinterpret_cast<const volatile std::uint64_t*>(address);
  std::size_t count = 0;
  for (std::size_t i = 0; i < kWords; ++i) count += words[i] == kSecret ? 1u : 0u;
  return count;
}

/// Words that the three threads of a loop leave on their stacks; the caller's own calls write over its part.
/// The pool is new, so that no worker still looks for indices of an earlier loop: it would take another's
/// index of this one and wait here, while that other sleeps.
std::vector<std::size_t> left_by_threads(bool wiped) {
  const ThreadPool pool(3);
  std::vector<std::uintptr_t> addresses(3);
  std::atomic<unsigned> arrived{0};
  const auto body = [&](std::size_t i) {
    ++arrived;
    while (arrived < 3) std::this_thread::yield();
    addresses[i] = leave_words();
  };
  if (wiped) {
    const StackWipe wipe(StackDepth::deep);
    pool.parallel_for(3, body);
  } else {
    pool.parallel_for(3, body);
  }
  std::vector<std::size_t> left;
  for (std::uintptr_t address : addresses) left.push_back(left_at(address));
  return left;
}

}  // namespace

NTTF_TEST("stack wipe: threads that help an operation wipe their stacks before it returns") {
  if (!kReadsOldFrames) return testing::skip("sanitizers look at every access to old frames");
  for (int round = 0; round < 20; ++round) {
    std::size_t seen = 0;
    for (std::size_t words : left_by_threads(false)) seen += words;
    NTTF_CHECK(seen >= kWords);  // so that the next line can fail
    for (std::size_t words : left_by_threads(true)) NTTF_CHECK_EQ(words, std::size_t{0});
  }
}

NTTF_TEST("stack wipe: active within, also nested, and over after an error") {
  NTTF_CHECK_EQ(StackWipe::active(), std::size_t{0});
  try {
    const StackWipe outer(StackDepth::shallow);
    {
      const StackWipe inner(StackDepth::deep);
      NTTF_CHECK_EQ(StackWipe::active(), std::size_t{8192});
    }
    NTTF_CHECK_EQ(StackWipe::active(), std::size_t{8192});
    std::thread([] { NTTF_CHECK_EQ(StackWipe::active(), std::size_t{0}); }).join();
    throw 1;
  } catch (int) {
  }
  NTTF_CHECK_EQ(StackWipe::active(), std::size_t{0});
}
