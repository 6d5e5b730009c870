#include "nttforge/base/aligned_memory.hpp"

#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace nttforge {
namespace {

std::align_val_t alignment_of(std::size_t bytes) {
  return std::align_val_t{bytes >= kHugePageBytes ? kHugePageBytes : kLineBytes};
}

}  // namespace

void* allocate_aligned(std::size_t bytes) {
  void* memory = ::operator new(bytes, alignment_of(bytes));
#if defined(__linux__)
  if (bytes >= kHugePageBytes) static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
#endif
  return memory;
}

void free_aligned(void* memory, std::size_t bytes) noexcept {
  ::operator delete(memory, alignment_of(bytes));
}

}  // namespace nttforge
