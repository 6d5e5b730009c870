// SPDX-License-Identifier: Apache-2.0
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "nttforge/base/system/system.hpp"

namespace nttforge::system {

bool random_bytes(std::uint8_t* out, std::size_t bytes, std::string& why) {
  while (getentropy(out, bytes) != 0) {
    if (errno == EINTR) continue;
    why = std::strerror(errno);
    return false;
  }
  return true;
}

}  // namespace nttforge::system
