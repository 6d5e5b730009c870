// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/memory/secret.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/system/system.hpp"

namespace nttforge {

void secure_zero(void* data, std::size_t bytes) {
  if (bytes == 0) return;
  std::memset(data, 0, bytes);
  // The barrier claims to read the memory, so the stores before it cannot be dropped as dead.
  __asm__ __volatile__("" : : "r"(data) : "memory");
}

void os_random(std::span<std::uint8_t> out) {
  constexpr std::size_t kLargestRequest = 256;  // the most one getentropy call gives
  while (!out.empty()) {
    const std::size_t bytes = std::min(out.size(), kLargestRequest);
    std::string why;
    if (!system::random_bytes(out.data(), bytes, why)) {
      throw UnsupportedError("the operating system gives no random bytes: " + why +
                             "; nttforge makes no keys without them");
    }
    out = out.subspan(bytes);
  }
}

}  // namespace nttforge
