// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/device/memory_pool.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "nttforge/base/testing.hpp"

namespace nttforge {
namespace {

using cpu::MemoryPool;

NTTF_TEST("MemoryPool: blocks are large enough, aligned, apart, and come back") {
  const auto pool = MemoryPool::create();
  for (std::size_t words = 1; words < 3000; words += words < 300 ? 1 : 37) {
    const auto a = pool->allocate(words, false), b = pool->allocate(words, true);
    NTTF_CHECK(a.get() != b.get());
    NTTF_CHECK_EQ(reinterpret_cast<std::uintptr_t>(a.get()) % 64, std::uintptr_t{0});
    std::memset(a.get(), 0xAB, words * 8);
    std::memset(b.get(), 0xCD, words * 8);
    NTTF_CHECK_EQ(a.get()[words - 1], std::uint64_t{0xABABABABABABABABu});
  }
  NTTF_CHECK_EQ(pool->idle_bytes(), pool->total_bytes());
  const std::size_t before = pool->total_bytes();
  std::uint64_t* address = nullptr;
  {
    const auto big = pool->allocate(std::size_t{1} << 19, false);
    address = big.get();
    NTTF_CHECK_EQ(reinterpret_cast<std::uintptr_t>(address) % (std::size_t{2} << 20), std::uintptr_t{0});
    NTTF_CHECK_EQ(pool->total_bytes(), before + (std::size_t{1} << 22));
  }
  NTTF_CHECK(pool->allocate(std::size_t{1} << 19, false).get() == address);
  // Just above a size still gets the next one; waste stays within a quarter.
  for (const std::size_t words :
       {std::size_t{65}, std::size_t{1000}, std::size_t{163841}, std::size_t{500000}}) {
    const auto fresh = MemoryPool::create();
    const auto block = fresh->allocate(words, false);
    const std::size_t used = fresh->total_bytes() - fresh->idle_bytes();
    NTTF_CHECK(used >= words * 8 && used <= words * 10);
    std::memset(block.get(), 1, words * 8);
  }
  NTTF_CHECK(pool->allocate(0, false) == nullptr);
  NTTF_CHECK_THROWS(pool->allocate(~std::size_t{0}, false), std::bad_alloc, "bytes of memory are needed");
}

NTTF_TEST("MemoryPool: secret blocks are zero when they come back, others are left") {
  const auto pool = MemoryPool::create();
  for (const bool secret : {true, false}) {
    std::uint64_t* address = nullptr;
    {
      const auto block = pool->allocate(100, secret);
      address = block.get();
      for (std::size_t i = 0; i < 100; ++i) address[i] = i + 1;
    }
    const auto again = pool->allocate(100, false);
    NTTF_CHECK(again.get() == address);
    for (std::size_t i = 0; i < 100; ++i) NTTF_CHECK_EQ(again.get()[i], secret ? 0 : i + 1);
  }
}

NTTF_TEST("MemoryPool: idle memory is capped, arrays may outlive the pool's owner") {
  auto pool = MemoryPool::create(1 << 20);
  {
    std::vector<std::shared_ptr<std::uint64_t>> blocks;
    for (int i = 0; i < 200; ++i) blocks.push_back(pool->allocate(1000, false));
    NTTF_CHECK(pool->total_bytes() >= 200 * 1000 * 8);
  }
  NTTF_CHECK(pool->idle_bytes() <= 1 << 20);
  NTTF_CHECK(pool->idle_bytes() >= 100 * 1000 * 8);
  NTTF_CHECK_EQ(pool->idle_bytes(), pool->total_bytes());
  const auto survivor = pool->allocate(1000, true);
  const std::weak_ptr<MemoryPool> watch = pool;
  pool.reset();
  survivor.get()[999] = 5;
  NTTF_CHECK(!watch.expired());
}

NTTF_TEST("MemoryPool: beyond the cap the sizes used longest ago leave first") {
  const auto pool = MemoryPool::create(8 << 20);
  const std::size_t old_words = std::size_t{1} << 19, new_words = std::size_t{3} << 18;  // 4 and 6 MiB
  pool->allocate(old_words, false).reset();
  std::uint64_t* const block = pool->allocate(new_words, false).get();
  NTTF_CHECK_EQ(pool->idle_bytes(), new_words * 8);
  for (int i = 0; i < 3; ++i) NTTF_CHECK(pool->allocate(new_words, false).get() == block);
  pool->allocate(old_words, false).reset();
  NTTF_CHECK_EQ(pool->idle_bytes(), old_words * 8);
  NTTF_CHECK_EQ(pool->total_bytes(), old_words * 8);
}

NTTF_TEST("MemoryPool: blocks of a slab lie apart, come back, and leave together beyond the cap") {
  for (const std::size_t bytes : {std::size_t{128} << 10, std::size_t{1} << 20, std::size_t{7} << 18}) {
    const std::size_t words = bytes / 8;
    const auto pool = MemoryPool::create(3 * bytes);
    std::vector<std::shared_ptr<std::uint64_t>> blocks;
    for (std::size_t i = 0; i < 40; ++i) {
      blocks.push_back(pool->allocate(words, i % 2 == 0));
      for (std::size_t w = 0; w < words; w += 512) blocks[i].get()[w] = i;
      blocks[i].get()[words - 1] = i;
    }
    bool apart = true;
    for (std::size_t i = 0; i < 40; ++i)
      for (std::size_t w = 0; w < words; w += 512) apart = apart && blocks[i].get()[w] == i;
    NTTF_CHECK(apart);
    NTTF_CHECK_EQ(pool->total_bytes() - pool->idle_bytes(), 40 * bytes);
    std::uint64_t* const last = blocks.back().get();
    blocks.pop_back();
    blocks.push_back(pool->allocate(words, false));
    NTTF_CHECK(blocks.back().get() == last);
    const std::size_t most = pool->total_bytes();
    for (std::size_t i = 1; i < 40; ++i) blocks[i].reset();  // the first slab stays, one of it in use
    NTTF_CHECK(pool->total_bytes() < most / 2);
    NTTF_CHECK_EQ(pool->total_bytes() - pool->idle_bytes(), bytes);
    blocks[0].get()[words - 1] = 7;
    blocks.clear();
    NTTF_CHECK(pool->idle_bytes() <= 3 * bytes);
    NTTF_CHECK_EQ(pool->idle_bytes(), pool->total_bytes());
    const auto again = pool->allocate(words, false);
    again.get()[words - 1] = 3;
  }
}

NTTF_TEST("MemoryPool: many threads") {
  const auto pool = MemoryPool::create(1 << 22);
  std::vector<std::thread> threads;
  std::vector<int> clashes(4);
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      testing::Rng rng(t);
      for (int i = 0; i < 2000; ++i) {
        const std::size_t words = 1 + rng.below(i % 50 == 0 ? 60000 : 3000);
        const auto block = pool->allocate(words, rng.below(2) == 0);
        block.get()[0] = t;
        block.get()[words - 1] = t;
        std::this_thread::yield();
        if (block.get()[0] != t || block.get()[words - 1] != t) ++clashes[t];
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const int count : clashes) NTTF_CHECK_EQ(count, 0);
  NTTF_CHECK_EQ(pool->idle_bytes(), pool->total_bytes());
}

// Neither sanitizer allows a fork beside threads.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
NTTF_TEST("MemoryPool: works in a child forked while threads use it") {
  const auto pool = MemoryPool::create();
  std::atomic<bool> stop{false};
  std::thread user([&] {
    while (!stop) pool->allocate(100, false);
  });
  unsigned good = 0;
  for (int i = 0; i < 200; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(5);
      pool->allocate(100, false);
      _exit(0);
    }
    int status = -1;
    if (waitpid(child, &status, 0) != child || status != 0) break;
    ++good;
  }
  stop = true;
  user.join();
  NTTF_CHECK_EQ(good, 200u);
}
#endif

}  // namespace
}  // namespace nttforge
