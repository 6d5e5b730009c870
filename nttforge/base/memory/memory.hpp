// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace nttforge {

/// Bytes that can still be allocated without swapping, as far as the system, the control group and the limits
/// (ulimit -v) of this process say; the largest number if they say nothing.
std::uint64_t available_memory_bytes();

/// throws UnsupportedError naming `what`, the bytes it needs and the bytes there are, if it does not fit.
/// Small amounts (64 MiB) are not looked into.
void require_memory(std::uint64_t bytes, const std::string& what);

}  // namespace nttforge
