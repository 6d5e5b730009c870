// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <sched.h>
#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include <algorithm>

#include "nttforge/base/system/system.hpp"
#include "nttforge/base/text/file.hpp"
#include "nttforge/base/text/words.hpp"
#include "nttforge/base/threads/cpu_count.hpp"

namespace nttforge::system {
namespace {

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

/// The value of the first line "name : value" of /proc/cpuinfo; empty if there is none.
std::string cpu_info(std::string_view name) {
  const std::string content = read_file_if_any("/proc/cpuinfo", kMostBytes);
  for (std::string_view lines = content; !lines.empty();) {
    const std::string_view line = take_line(lines);
    const std::size_t colon = line.find(':');
    if (!line.starts_with(name) || colon == std::string_view::npos) continue;
    const std::size_t from = line.find_first_not_of(' ', colon + 1);
    return from == std::string_view::npos ? "" : std::string(line.substr(from));
  }
  return "";
}

}  // namespace

unsigned cpus_allowed() {
  cpu_set_t set;
  unsigned allowed = 0;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    allowed = static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  const unsigned quota = control_group_cpus();
  return allowed == 0 || quota == 0 ? std::max(allowed, quota) : std::min(allowed, quota);
}

std::vector<int> cpus_after_mine() {
  std::vector<int> cpus;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return cpus;
  const int here = std::max(0, sched_getcpu());
  for (int i = 1; i < CPU_SETSIZE; ++i) {
    const int cpu = (here + i) % CPU_SETSIZE;
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

void keep_on_cpu(std::thread& thread, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  static_cast<void>(pthread_setaffinity_np(thread.native_handle(), sizeof(set), &set));
}

bool cpu_has([[maybe_unused]] std::string_view feature) {
#if defined(__aarch64__)
  if (feature == "asimd") return (getauxval(AT_HWCAP) & HWCAP_ASIMD) != 0;
  if (feature == "sve") return (getauxval(AT_HWCAP) & HWCAP_SVE) != 0;
  if (feature == "sve2") return (getauxval(AT_HWCAP2) & HWCAP2_SVE2) != 0;
#endif
  return false;
}

std::string cpu_brand() { return cpu_info("model name"); }

/// Arm's main identification register names maker, part and revision.
std::string cpu_signature() {
  const std::string content =
      read_file_if_any("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", kMostBytes);
  std::string_view text = content;
  const std::string_view midr = take_word(text);
  if (!midr.empty()) return "MIDR " + std::string(midr);
  const std::string maker = cpu_info("CPU implementer"), part = cpu_info("CPU part");
  return maker.empty() ? "" : "CPU " + maker + "/" + part + "/" + cpu_info("CPU revision");
}

}  // namespace nttforge::system
