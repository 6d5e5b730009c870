// SPDX-License-Identifier: Apache-2.0
#include <mach/mach.h>
#include <sys/resource.h>
#include <sys/sysctl.h>

#include <algorithm>
#include <limits>

#include "nttforge/base/system/system.hpp"

namespace nttforge::system {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

template <class Number>
Number number_of(const char* name, Number otherwise) {
  Number value{};
  std::size_t bytes = sizeof value;
  return sysctlbyname(name, &value, &bytes, nullptr, 0) == 0 && bytes == sizeof value ? value : otherwise;
}

/// Free pages and those that the system drops or compresses last used first.
std::uint64_t machine_bytes() {
  vm_statistics64_data_t pages{};
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  if (host_statistics64(mach_host_self(), HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&pages), &count) !=
      KERN_SUCCESS)
    return number_of<std::uint64_t>("hw.memsize", kUnlimited);
  const std::uint64_t free = std::uint64_t{pages.free_count} + pages.inactive_count + pages.purgeable_count;
  return free * static_cast<std::uint64_t>(vm_kernel_page_size);
}

/// What the address space may still grow by (ulimit -v).
std::uint64_t address_space_bytes() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  mach_task_basic_info_data_t task{};
  mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
  if (task_info(mach_task_self(), MACH_TASK_BASIC_INFO, reinterpret_cast<task_info_t>(&task), &count) !=
      KERN_SUCCESS)
    return kUnlimited;
  const std::uint64_t used = task.virtual_size;
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

}  // namespace

std::uint64_t available_bytes() { return std::min(machine_bytes(), address_space_bytes()); }

unsigned cpus_allowed() { return static_cast<unsigned>(std::max(0, number_of<int>("hw.activecpu", 0))); }

// macOS takes hints about threads that belong together, and keeps none on a CPU.
std::vector<int> cpus_after_mine() { return {}; }
void keep_on_cpu(std::thread&, int) {}

void ask_for_huge_pages(void*, std::size_t) {}  // macOS decides by itself

bool cpu_has(std::string_view feature) {
  return feature == "asimd" &&
         number_of<int>("hw.optional.AdvSIMD", number_of<int>("hw.optional.neon", 0)) != 0;
}

std::string cpu_brand() {
  char text[256] = {};
  std::size_t bytes = sizeof text - 1;
  return sysctlbyname("machdep.cpu.brand_string", text, &bytes, nullptr, 0) == 0 ? text : "";
}

std::string cpu_signature() {
  const auto family = static_cast<std::uint32_t>(number_of<int>("hw.cpufamily", 0));
  if (family == 0) return "";
  return "Apple " + std::to_string(family) + "/" + std::to_string(number_of<int>("hw.cpusubfamily", 0));
}

}  // namespace nttforge::system
