// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arrays that begin on a cache line, for everything measured, ours and peers': malloc's are aligned to 16
// bytes, which makes every second access of 32 bytes, and every one of 64, touch two lines.

#include <cstddef>
#include <vector>

#include "nttforge/base/memory/aligned_memory.hpp"

namespace nttforge::bench {

template <class T>
struct LineAllocator {
  using value_type = T;

  LineAllocator() = default;
  template <class U>
  explicit LineAllocator(const LineAllocator<U>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(allocate_aligned(count * sizeof(T))); }
  void deallocate(T* p, std::size_t count) { free_aligned(p, count * sizeof(T)); }
  bool operator==(const LineAllocator&) const = default;
};

template <class T>
using AlignedVector = std::vector<T, LineAllocator<T>>;

}  // namespace nttforge::bench
