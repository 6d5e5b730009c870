// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/memory.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"

using namespace nttforge;

NTTF_TEST("memory: what fits passes, what does not says its size") {
  NTTF_CHECK(available_memory_bytes() > 0);
  require_memory(1, "tables");
  require_memory(std::uint64_t{64} << 20, "tables");
  NTTF_CHECK_THROWS(require_memory(std::uint64_t{1} << 60, "tables"), UnsupportedError,
                    "tables need 1152921504606846976 bytes");
}
