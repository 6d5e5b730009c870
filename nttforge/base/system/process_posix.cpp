// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nttforge/base/system/system.hpp"

namespace nttforge::system {

void at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) {
  static_cast<void>(pthread_atfork(before, in_parent, in_child));
}

bool is_mapped(std::uintptr_t address) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
#if defined(__APPLE__)
  char resident = 0;
#else
  unsigned char resident = 0;
#endif
  return mincore(reinterpret_cast<void*>(address / page * page), 1, &resident) == 0;
}

}  // namespace nttforge::system
