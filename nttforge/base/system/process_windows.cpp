// SPDX-License-Identifier: Apache-2.0
#include <windows.h>

#include <algorithm>
#include <limits>

#include "nttforge/base/system/system.hpp"

namespace nttforge::system {
namespace {

constexpr int kCpusOfGroup = 64;  // a process runs within one group unless it asks for more

DWORD_PTR process_mask() {
  DWORD_PTR mine = 0, all = 0;
  return GetProcessAffinityMask(GetCurrentProcess(), &mine, &all) != 0 ? mine : 0;
}

std::string registry_text(const char* name) {
  char text[256] = {};
  DWORD bytes = sizeof text - 1;
  const LSTATUS status =
      RegGetValueA(HKEY_LOCAL_MACHINE, "HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", name,
                   RRF_RT_REG_SZ, nullptr, text, &bytes);
  return status == ERROR_SUCCESS ? text : "";
}

}  // namespace

/// Physical memory that is free, and what may still be committed: pages exist only within that.
std::uint64_t available_bytes() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  if (GlobalMemoryStatusEx(&status) == 0) return std::numeric_limits<std::uint64_t>::max();
  return std::min({static_cast<std::uint64_t>(status.ullAvailPhys),
                   static_cast<std::uint64_t>(status.ullAvailPageFile),
                   static_cast<std::uint64_t>(status.ullAvailVirtual)});
}

unsigned cpus_allowed() { return static_cast<unsigned>(__builtin_popcountll(process_mask())); }

std::vector<int> cpus_after_mine() {
  std::vector<int> cpus;
  const DWORD_PTR mask = process_mask();
  const int here = static_cast<int>(GetCurrentProcessorNumber());
  for (int i = 1; i < kCpusOfGroup; ++i) {
    const int cpu = (here + i) % kCpusOfGroup;
    if ((mask >> cpu & 1) != 0) cpus.push_back(cpu);
  }
  return cpus;
}

// The handle is the system's own: this compiler's C++ library makes threads with it, or winpthreads, whose
// numbers are none and are refused.
void keep_on_cpu(std::thread& thread, int cpu) {
  static_cast<void>(
      SetThreadAffinityMask(reinterpret_cast<HANDLE>(thread.native_handle()), DWORD_PTR{1} << cpu));
}

void at_fork(void (*)(), void (*)(), void (*)()) {}  // Windows has no fork

void ask_for_huge_pages(void*, std::size_t) {}  // large pages need a privilege that users do not have

bool is_mapped(std::uintptr_t address) {
  MEMORY_BASIC_INFORMATION found{};
  return VirtualQuery(reinterpret_cast<const void*>(address), &found, sizeof found) != 0 &&
         found.State == MEM_COMMIT;
}

bool cpu_has(std::string_view) { return false; }

std::string cpu_brand() { return registry_text("ProcessorNameString"); }
std::string cpu_signature() { return registry_text("Identifier"); }

}  // namespace nttforge::system
