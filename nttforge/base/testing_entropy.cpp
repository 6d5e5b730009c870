// SPDX-License-Identifier: Apache-2.0
// The operating system's generator as programs of tests have it: its bytes follow from the run's seed, so
// that a test whose keys it makes can be repeated. It stands before the library's own in the order of
// linking; the tests of base/ are linked without it.

#include <mutex>

#include "nttforge/base/system/system.hpp"
#include "nttforge/base/testing.hpp"

namespace nttforge::system {

bool random_bytes(std::uint8_t* out, std::size_t bytes, std::string& /*why*/) {
  static std::mutex mutex;
  static testing::Rng rng(~testing::seed());
  static unsigned test = 0;
  const std::lock_guard lock(mutex);
  if (test != testing::test_number()) {  // a test alone has the bytes that it has among others
    test = testing::test_number();
    rng = testing::Rng(~testing::seed());
  }
  for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::uint8_t>(rng.next() >> 56);
  return true;
}

}  // namespace nttforge::system
