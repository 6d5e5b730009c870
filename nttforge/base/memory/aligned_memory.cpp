// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/memory/aligned_memory.hpp"

#include <atomic>
#include <new>

#include "nttforge/base/memory/memory.hpp"
#include "nttforge/base/memory/memory_source.hpp"
#include "nttforge/base/memory/out_of_memory.hpp"
#include "nttforge/base/system/system.hpp"

namespace nttforge {
namespace {

constexpr std::size_t kUncheckedBytes = std::size_t{64} << 20;

bool on_huge_pages(std::size_t bytes, Pages pages) { return pages == Pages::huge && bytes >= kHugePageBytes; }

std::size_t alignment_of(std::size_t bytes, Pages pages) {
  return on_huge_pages(bytes, pages) ? kHugePageBytes : kLineBytes;
}

constexpr MemorySource kSystem{[](std::size_t bytes, std::size_t alignment, void*) {
                                 return ::operator new(bytes, std::align_val_t{alignment}, std::nothrow);
                               },
                               [](void* memory, std::size_t, std::size_t alignment, void*) {
                                 ::operator delete(memory, std::align_val_t{alignment});
                               },
                               nullptr};
constinit MemorySource given;
constinit std::atomic_flag taken = ATOMIC_FLAG_INIT;  // `given` has its one writer
// Null until the first allocation, or set_memory_source(), decides; it never changes afterwards.
constinit std::atomic<const MemorySource*> chosen{nullptr};

const MemorySource& memory_source() {
  const MemorySource* source = chosen.load(std::memory_order_acquire);
  if (source != nullptr) return *source;
  if (chosen.compare_exchange_strong(source, &kSystem, std::memory_order_acq_rel)) return kSystem;
  return *source;
}

}  // namespace

bool set_memory_source(const MemorySource& source) noexcept {
  if (chosen.load(std::memory_order_acquire) != nullptr || taken.test_and_set()) return false;
  given = source;
  const MemorySource* none = nullptr;
  return chosen.compare_exchange_strong(none, &given, std::memory_order_acq_rel);
}

void* allocate_aligned(std::size_t bytes, Pages pages) {
  // Beyond what there is the system may promise pages and end the process when they are touched.
  if (bytes > kUncheckedBytes && bytes > available_memory_bytes()) throw OutOfMemory(bytes);
  const MemorySource& source = memory_source();
  void* memory = source.allocate(bytes, alignment_of(bytes, pages), source.user);
  if (memory == nullptr) throw OutOfMemory(bytes);
  if (on_huge_pages(bytes, pages)) system::ask_for_huge_pages(memory, bytes);
  return memory;
}

void free_aligned(void* memory, std::size_t bytes, Pages pages) noexcept {
  if (memory == nullptr) return;
  const MemorySource& source = memory_source();
  source.release(memory, bytes, alignment_of(bytes, pages), source.user);
}

}  // namespace nttforge
