// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace nttforge {

/// Bytes of a cache line, and of the widest vector.
inline constexpr std::size_t kLineBytes = 64;
/// Bytes of a huge page.
inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

/// huge: memory from kHugePageBytes on begins on a huge page, and the system is asked for such pages, which
/// it may refuse. For memory that is cut into blocks and used again; transforms of 2^17 to 2^20 words are
/// neither faster nor slower on them.
enum class Pages { ordinary, huge };

/// Memory with unspecified contents that begins on a cache line. 0 bytes: not null. throws
/// OutOfMemory, a std::bad_alloc that says how many bytes for what; large amounts also when the machine has
/// less.
void* allocate_aligned(std::size_t bytes, Pages pages = Pages::ordinary);

/// Gives it back; arguments as it was allocated with. Null: nothing.
void free_aligned(void* memory, std::size_t bytes, Pages pages = Pages::ordinary) noexcept;

}  // namespace nttforge
