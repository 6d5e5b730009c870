// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/memory/aligned_memory.hpp"

#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "nttforge/base/memory/memory.hpp"
#include "nttforge/base/memory/out_of_memory.hpp"

namespace nttforge {
namespace {

constexpr std::size_t kUncheckedBytes = std::size_t{64} << 20;

bool on_huge_pages(std::size_t bytes, Pages pages) { return pages == Pages::huge && bytes >= kHugePageBytes; }

std::align_val_t alignment_of(std::size_t bytes, Pages pages) {
  return std::align_val_t{on_huge_pages(bytes, pages) ? kHugePageBytes : kLineBytes};
}

}  // namespace

void* allocate_aligned(std::size_t bytes, Pages pages) {
  // Beyond what there is the system may promise pages and end the process when they are touched.
  if (bytes > kUncheckedBytes && bytes > available_memory_bytes()) throw OutOfMemory(bytes);
  void* memory = ::operator new(bytes, alignment_of(bytes, pages), std::nothrow);
  if (memory == nullptr) throw OutOfMemory(bytes);
#if defined(__linux__)
  if (on_huge_pages(bytes, pages)) static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
#endif
  return memory;
}

void free_aligned(void* memory, std::size_t bytes, Pages pages) noexcept {
  ::operator delete(memory, alignment_of(bytes, pages));
}

}  // namespace nttforge
