// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/memory/out_of_memory.hpp"

#include <cstdio>
#include <limits>
#include <utility>

#include "nttforge/base/memory/memory.hpp"

namespace nttforge {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();
thread_local const char* purpose = "an array";

std::uint64_t available() noexcept {
  try {
    return available_memory_bytes();
  } catch (...) {  // it may need a little memory itself
    return kUnknown;
  }
}

}  // namespace

OutOfMemory::OutOfMemory(std::uint64_t bytes, const char* what) noexcept : bytes_(bytes) {
  const std::uint64_t left = available();
  const auto needed = static_cast<unsigned long long>(bytes);
  if (left == kUnknown) {
    std::snprintf(text_, sizeof text_, "%.150s: %llu bytes of memory are needed", what, needed);
  } else {
    std::snprintf(text_, sizeof text_, "%.150s: %llu bytes of memory are needed, and %llu are available",
                  what, needed, static_cast<unsigned long long>(left));
  }
}

OutOfMemory::OutOfMemory(std::uint64_t bytes) noexcept : OutOfMemory(bytes, MemoryPurpose::current()) {}

void throw_out_of_memory(std::size_t count, std::size_t element_bytes) {
  std::uint64_t bytes = 0;
  throw OutOfMemory(__builtin_mul_overflow(count, element_bytes, &bytes) ? kUnknown : bytes);
}

MemoryPurpose::MemoryPurpose(const char* what) noexcept : before_(std::exchange(purpose, what)) {}
MemoryPurpose::~MemoryPurpose() { purpose = before_; }
const char* MemoryPurpose::current() noexcept { return purpose; }

}  // namespace nttforge
