// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/cpu_count.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "nttforge/base/error.hpp"

namespace nttforge {
namespace {

constexpr unsigned kMaxThreads = 1024;

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return file ? text.str() : std::string();
}

/// The path of this process in the unified hierarchy ("0::/a/b" in /proc/self/cgroup), without a slash at
/// its end.
std::string control_group() {
  std::istringstream lines(content_of("/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("0::/", 0) == 0) return line == "0::/" ? "" : line.substr(3);
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
    take(quota_cpus(content_of(root + group + "/cpu.max")));
    if (group.empty()) break;
  }
  // Version 1 keeps the two numbers in files of their own.
  take(quota_cpus(content_of(root + "/cpu/cpu.cfs_quota_us") + " " +
                  content_of(root + "/cpu/cpu.cfs_period_us")));
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
  std::istringstream words{std::string(text)};
  std::int64_t quota = 0, period = 0;
  if (!(words >> quota >> period) || quota <= 0 || period <= 0) return 0;  // "max" and -1: no limit
  const std::int64_t cpus = quota / period + (quota % period != 0 ? 1 : 0);
  return static_cast<unsigned>(std::clamp<std::int64_t>(cpus, 1, kMaxThreads));
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
