// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

// What operating systems do differently, implemented once for each: files of this room end in _linux, _macos,
// _windows, or _posix for what the first two share, and the build takes those of its system. Nothing else in
// the library calls a system.

namespace nttforge::system {

/// Up to 256 random bytes from the system. Returns false, and says why, if it gives none.
bool random_bytes(std::uint8_t* out, std::size_t bytes, std::string& why);

/// What this process may still allocate without swapping; the largest number where the system does not say.
std::uint64_t available_bytes();

/// CPUs that this process may run on, by affinity and by the quota of its group; 0 where nothing says so.
unsigned cpus_allowed();

/// Numbers of the CPUs this process may use, beginning after the one the caller runs on; empty where a thread
/// cannot be kept on a CPU.
std::vector<int> cpus_after_mine();

/// Keeps the thread on a CPU of cpus_after_mine(). A refusal costs speed only and is not reported.
void keep_on_cpu(std::thread& thread, int cpu);

/// Calls these at every later fork(): before it, and after it in the parent and in the child. A null pointer
/// stands for nothing. A system without fork never calls them.
void at_fork(void (*before)(), void (*in_parent)(), void (*in_child)());

/// Asks for huge pages for this memory; the system may refuse, or know no such request.
void ask_for_huge_pages(void* memory, std::size_t bytes);

/// Replaces the file, which need not exist, in one step (write_file). 0, or the system's reason as an errno.
int replace_file(const std::string& path, std::string_view content);

/// Whether some memory of this process lies at the address.
bool is_mapped(std::uintptr_t address);

/// Whether the CPU has the feature, by its name in Linux, and the system lets programs use it; false where
/// the system does not say, and on x86-64, whose CPUs are asked themselves.
bool cpu_has(std::string_view feature);

/// What the system calls the CPU: model, and the numbers that identify it; empty where it does not say.
std::string cpu_brand();
std::string cpu_signature();

}  // namespace nttforge::system
