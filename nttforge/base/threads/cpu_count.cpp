// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/threads/cpu_count.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>

#include "nttforge/base/error.hpp"
#include "nttforge/base/text/file.hpp"
#include "nttforge/base/text/words.hpp"

namespace nttforge {
namespace {

constexpr unsigned kMaxThreads = 1024;

constexpr std::size_t kMostBytes = 1 << 20;

/// The path of this process in the unified hierarchy ("0::/a/b" in /proc/self/cgroup), without a slash at
/// its end.
std::string control_group() {
  const std::string content = read_file_if_any("/proc/self/cgroup", kMostBytes);
  for (std::string_view lines = content; !lines.empty();) {
    const std::string_view line = take_line(lines);
    if (line.starts_with("0::/")) return line == "0::/" ? "" : std::string(line.substr(3));
  }
  return "";
}

unsigned control_group_cpus() {
  const std::string root = "/sys/fs/cgroup";
  unsigned least = 0;
  const auto take = [&](unsigned cpus) {
    if (cpus != 0) least = least == 0 ? cpus : std::min(least, cpus);
  };
  for (std::string group = control_group();; group.erase(group.rfind('/'))) {
    take(quota_cpus(read_file_if_any(root + group + "/cpu.max", kMostBytes)));
    if (group.empty()) break;
  }
  // Version 1 keeps the two numbers in files of their own.
  take(quota_cpus(read_file_if_any(root + "/cpu/cpu.cfs_quota_us", kMostBytes) + " " +
                  read_file_if_any(root + "/cpu/cpu.cfs_period_us", kMostBytes)));
  return least;
}

unsigned affinity_cpus() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

unsigned quota_cpus(std::string_view text) {
  const auto quota = number_of(take_word(text)), period = number_of(take_word(text));
  if (!quota || !period || *quota == 0 || *period == 0) return 0;  // "max" and -1: no limit
  const std::uint64_t cpus = *quota / *period + (*quota % *period != 0 ? 1 : 0);
  return static_cast<unsigned>(std::clamp<std::uint64_t>(cpus, 1, kMaxThreads));
}

unsigned usable_cpus() {
  const unsigned affinity = affinity_cpus(), quota = control_group_cpus();
  return std::min(kMaxThreads, quota == 0 ? affinity : std::min(affinity, quota));
}

unsigned default_threads() {
  const char* text = std::getenv("NTTFORGE_THREADS");
  if (text == nullptr || *text == '\0') return usable_cpus();
  const std::string value = text;
  unsigned threads = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), threads);
  if (error != std::errc() || end != value.data() + value.size() || threads == 0 || threads > kMaxThreads) {
    throw ParameterError("environment variable NTTFORGE_THREADS = '" + value +
                         "' is not a number in 1 ... 1024; set it so, or unset it for all CPUs");
  }
  return threads;
}

}  // namespace nttforge
