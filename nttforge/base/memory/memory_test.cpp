// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/memory/memory.hpp"

#include <sys/resource.h>

#include <cstdint>

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"

using namespace nttforge;

NTTF_TEST("memory: what fits passes, what does not says its size") {
  NTTF_CHECK(available_memory_bytes() > 0);
  NTTF_CHECK(available_memory_bytes() < std::uint64_t{1} << 60);  // the system was understood
  require_memory(1, "tables");
  require_memory(std::uint64_t{64} << 20, "tables");
  NTTF_CHECK_THROWS(require_memory(std::uint64_t{1} << 60, "tables"), UnsupportedError,
                    "tables need 1152921504606846976 bytes");
}

NTTF_TEST("memory: a limit of the address space counts") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return nttforge::testing::skip("sanitizers need an address space without limits");
#endif
  rlimit before{};
  NTTF_CHECK_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  rlimit tight = before;
  tight.rlim_cur = std::uint64_t{1} << 20;  // less than this process has already
  NTTF_CHECK_EQ(::setrlimit(RLIMIT_AS, &tight), 0);
  rlimit now{};
  NTTF_CHECK_EQ(::getrlimit(RLIMIT_AS, &now), 0);
  if (now.rlim_cur != tight.rlim_cur) {
    return nttforge::testing::skip("an emulator keeps no limits of the address space");
  }
  const std::uint64_t available = available_memory_bytes();
  NTTF_CHECK_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  NTTF_CHECK_EQ(available, 0u);
  NTTF_CHECK(available_memory_bytes() != 0);
}
