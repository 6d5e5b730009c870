// SPDX-License-Identifier: Apache-2.0
#include <windows.h>
// Needs the types of windows.h.
#include <bcrypt.h>

#include "nttforge/base/system/system.hpp"

namespace nttforge::system {

bool random_bytes(std::uint8_t* out, std::size_t bytes, std::string& why) {
  const NTSTATUS status =
      BCryptGenRandom(nullptr, out, static_cast<ULONG>(bytes), BCRYPT_USE_SYSTEM_PREFERRED_RNG);
  if (status >= 0) return true;
  why = "BCryptGenRandom failed with status " + std::to_string(status);
  return false;
}

}  // namespace nttforge::system
