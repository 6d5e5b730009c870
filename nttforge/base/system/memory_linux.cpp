// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "nttforge/base/system/system.hpp"
#include "nttforge/base/text/file.hpp"
#include "nttforge/base/text/words.hpp"

namespace nttforge::system {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

constexpr std::size_t kMostBytes = 1 << 20;

/// The number in a file of one line; "max" and missing files mean no limit.
std::uint64_t number_in(const char* path) {
  const std::string content = read_file_if_any(path, kMostBytes);
  std::string_view words = content;
  return number_of(take_word(words)).value_or(kUnlimited);
}

/// f(name, number) for each line of a file that consists of a name, a number and perhaps a unit.
template <class F>
void each_named_number(const char* path, const F& f) {
  const std::string content = read_file_if_any(path, kMostBytes);
  for (std::string_view lines = content; !lines.empty();) {
    std::string_view line = take_line(lines);
    const std::string_view name = take_word(line);
    if (const auto number = number_of(take_word(line))) f(name, *number);
  }
}

std::uint64_t system_bytes() {
  std::uint64_t bytes = kUnlimited;
  each_named_number("/proc/meminfo", [&](std::string_view name, std::uint64_t kib) {
    if (name == "MemAvailable:") bytes = kib * 1024;
  });
  return bytes;
}

/// Cached files that the kernel drops when memory is wanted; they count as used by the control group.
std::uint64_t cached_bytes() {
  std::uint64_t cached = 0;
  each_named_number("/sys/fs/cgroup/memory.stat", [&](std::string_view name, std::uint64_t bytes) {
    if (name == "inactive_file" || name == "active_file") cached += bytes;
  });
  return cached;
}

/// What the address space of this process may still grow by (ulimit -v).
std::uint64_t address_space_bytes() {
  struct rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  const std::uint64_t pages = number_in("/proc/self/statm");
  if (pages == kUnlimited) return kUnlimited;
  const std::uint64_t used = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

std::uint64_t machine_bytes() {
  const std::uint64_t limit = number_in("/sys/fs/cgroup/memory.max");
  if (limit == kUnlimited) return system_bytes();
  const std::uint64_t current = number_in("/sys/fs/cgroup/memory.current");
  const std::uint64_t used = current - std::min(current, cached_bytes());
  return std::min(system_bytes(), limit - std::min(limit, used));
}

}  // namespace

std::uint64_t available_bytes() { return std::min(machine_bytes(), address_space_bytes()); }

void ask_for_huge_pages(void* memory, std::size_t bytes) {
  static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
}

}  // namespace nttforge::system
