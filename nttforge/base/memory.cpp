// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>

#include "nttforge/base/error.hpp"

namespace nttforge {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// The number in a file of one line; "max" and missing files mean no limit.
std::uint64_t number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? value : kUnlimited;
}

std::uint64_t system_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  std::uint64_t kib = 0;
  while (file >> name >> kib) {
    if (name == "MemAvailable:") return kib * 1024;
    std::getline(file, unit);
  }
  return kUnlimited;
}

/// Cached files that the kernel drops when memory is wanted; they count as used by the control group.
std::uint64_t cached_bytes() {
  std::ifstream file("/sys/fs/cgroup/memory.stat");
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t cached = 0;
  while (file >> name >> bytes) {
    if (name == "inactive_file" || name == "active_file") cached += bytes;
  }
  return cached;
}

}  // namespace

std::uint64_t available_memory_bytes() {
  const std::uint64_t limit = number_in("/sys/fs/cgroup/memory.max");
  if (limit == kUnlimited) return system_bytes();
  const std::uint64_t current = number_in("/sys/fs/cgroup/memory.current");
  const std::uint64_t used = current - std::min(current, cached_bytes());
  return std::min(system_bytes(), limit - std::min(limit, used));
}

void require_memory(std::uint64_t bytes, const std::string& what) {
  if (bytes <= std::uint64_t{64} << 20) return;
  const std::uint64_t available = available_memory_bytes();
  if (bytes <= available) return;
  throw UnsupportedError(what + " need " + std::to_string(bytes) + " bytes, and " +
                         std::to_string(available) +
                         " are available: free memory, or use a smaller n or fewer moduli");
}

}  // namespace nttforge
