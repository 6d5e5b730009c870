#pragma once

#include <cstddef>

namespace nttforge {

/// Bytes of a cache line, and of the widest vector.
inline constexpr std::size_t kLineBytes = 64;
/// Bytes of a huge page.
inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

/// Memory with unspecified contents that begins on a cache line; from kHugePageBytes on it begins on a huge
/// page and asks the system for such pages, which it may refuse. 0 bytes: not null. throws std::bad_alloc.
void* allocate_aligned(std::size_t bytes);

/// Gives it back; bytes as it was allocated with. Null: nothing.
void free_aligned(void* memory, std::size_t bytes) noexcept;

}  // namespace nttforge
