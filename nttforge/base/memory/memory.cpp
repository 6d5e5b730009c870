// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/memory/memory.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/base/system/system.hpp"

namespace nttforge {

std::uint64_t available_memory_bytes() { return system::available_bytes(); }

void require_memory(std::uint64_t bytes, const std::string& what) {
  if (bytes <= std::uint64_t{64} << 20) return;
  const std::uint64_t available = available_memory_bytes();
  if (bytes <= available) return;
  throw UnsupportedError(what + " need " + std::to_string(bytes) + " bytes, and " +
                         std::to_string(available) +
                         " are available: free memory, or use a smaller n or fewer moduli");
}

}  // namespace nttforge
