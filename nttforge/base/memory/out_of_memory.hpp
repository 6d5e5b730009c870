// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

namespace nttforge {

/// std::bad_alloc that says how many bytes were wanted and for what: "the tables of a transform: 8589934592
/// bytes of memory are needed, and 1073741824 are available". It allocates nothing itself.
class OutOfMemory : public std::bad_alloc {
 public:
  /// what: at most 150 characters are kept.
  OutOfMemory(std::uint64_t bytes, const char* what) noexcept;
  /// For the current MemoryPurpose, or "an array".
  explicit OutOfMemory(std::uint64_t bytes) noexcept;
  const char* what() const noexcept override { return text_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_;
  char text_[256];
};

/// throws OutOfMemory for an array whose size in bytes may be more than 64 bits hold.
[[noreturn]] void throw_out_of_memory(std::size_t count, std::size_t element_bytes);

/// Says, for as long as it lives, what this thread allocates memory for; errors of allocate_aligned() name
/// it.
class MemoryPurpose {
 public:
  explicit MemoryPurpose(const char* what) noexcept;  ///< outlives the object: a literal
  ~MemoryPurpose();
  MemoryPurpose(const MemoryPurpose&) = delete;
  MemoryPurpose& operator=(const MemoryPurpose&) = delete;
  static const char* current() noexcept;  ///< "an array" outside of any

 private:
  const char* before_;
};

}  // namespace nttforge
