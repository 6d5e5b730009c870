// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace nttforge {

/// CPUs this process may use: those of its affinity mask, and no more than the CPU quota of its control group
/// (and of the groups above) lets run at once, rounded up. At least 1.
unsigned usable_cpus();

/// What `threads = 0` means: the environment variable NTTFORGE_THREADS, else usable_cpus().
/// throws ParameterError if the variable is not a number in 1 ... 1024. Reads the environment on each call.
unsigned default_threads();

/// CPUs that a control group's quota allows, rounded up; 0: no limit, or not understood. `text` is the
/// content of cpu.max: "max 100000" or "150000 100000" (microseconds per period).
unsigned quota_cpus(std::string_view text);

}  // namespace nttforge
