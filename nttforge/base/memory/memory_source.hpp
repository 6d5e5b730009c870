// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace nttforge {

/// Where allocate_aligned() takes memory from. Both functions are called from any thread and throw nothing.
struct MemorySource {
  /// `bytes` bytes at a multiple of `alignment`, a power of two; null if there is none.
  void* (*allocate)(std::size_t bytes, std::size_t alignment, void* user) = nullptr;
  /// Takes back what allocate(bytes, alignment, user) returned; never null.
  void (*release)(void* memory, std::size_t bytes, std::size_t alignment, void* user) = nullptr;
  void* user = nullptr;
};

/// Sets the source of this process, once and before the first allocation, so that all memory goes back to
/// where it came from. Returns false, and changes nothing, if one is set or memory was allocated already.
bool set_memory_source(const MemorySource& source) noexcept;

}  // namespace nttforge
