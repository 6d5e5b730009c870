// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/memory/aligned_memory.hpp"

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>

#include "nttforge/base/memory/aligned_buffer.hpp"
#include "nttforge/base/testing.hpp"

using namespace nttforge;

NTTF_TEST("aligned memory begins on lines, on huge pages where asked to") {
  for (const Pages pages : {Pages::ordinary, Pages::huge}) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{65}, kHugePageBytes - 1,
                                    kHugePageBytes, kHugePageBytes + 1}) {
      void* memory = allocate_aligned(bytes, pages);
      const bool huge = pages == Pages::huge && bytes >= kHugePageBytes;
      NTTF_CHECK(memory != nullptr);
      NTTF_CHECK_EQ(reinterpret_cast<std::uintptr_t>(memory) % (huge ? kHugePageBytes : kLineBytes), 0u);
      std::memset(memory, 1, bytes);
      free_aligned(memory, bytes, pages);
    }
  }
  free_aligned(nullptr, 0);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)  // they stop the program instead
  NTTF_CHECK_THROWS(allocate_aligned(std::numeric_limits<std::size_t>::max() / 2), std::bad_alloc,
                    "bytes of memory are needed");
#endif
}

NTTF_TEST("AlignedBuffer: zero, copies apart, moves empty") {
  AlignedBuffer<std::uint32_t> a(kHugePageBytes / sizeof(std::uint32_t) + 3);
  for (const std::uint32_t word : a) NTTF_CHECK_EQ(word, 0u);
  a[5] = 7;
  AlignedBuffer<std::uint32_t> b = a;
  b[5] = 8;
  NTTF_CHECK_EQ(a[5], 7u);
  const AlignedBuffer<std::uint32_t> c = std::move(b);
  NTTF_CHECK_EQ(c[5], 8u);
  NTTF_CHECK_EQ(b.size(), 0u);  // NOLINT: what a moved buffer holds is promised
  NTTF_CHECK_THROWS(AlignedBuffer<std::uint64_t>(std::numeric_limits<std::size_t>::max()), std::bad_alloc,
                    "");
}
