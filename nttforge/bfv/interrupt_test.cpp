// SPDX-License-Identifier: Apache-2.0
// Keys: interrupted while they are made, refused before that where they do not fit the memory.

#include "nttforge/base/interrupt.hpp"

#include <numeric>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/base/testing_interrupt.hpp"
#include "nttforge/bfv/bfv.hpp"

using namespace nttforge;
using namespace nttforge::bfv;
using namespace nttforge::testing;

NTTF_TEST("interrupt: key generation ends between two limbs, and the generator is as before") {
  const ContextPtr context = Context::create(Parameters::preset(4096), make_cpu_backend(1));
  const KeyGenerator generator(context, Seed{});
  const std::vector<std::int64_t> steps{1, 2, 3, 4};
  const auto before = to_bytes(generator.rotation_keys(steps));
  NTTF_CHECK(ends_at_a_poll([&] { static_cast<void>(generator.rotation_keys(steps)); }, 4));
  NTTF_CHECK(ends_at_a_poll([&] { static_cast<void>(generator.relinearization_key()); }, 1));
  NTTF_CHECK(to_bytes(generator.rotation_keys(steps)) == before);
}

NTTF_TEST("rotation keys that do not fit the memory are not begun, and their size is said") {
  const ContextPtr context = Context::create(Parameters::preset(32768), make_cpu_backend(1));
  std::vector<std::int64_t> steps(8000);
  std::iota(steps.begin(), steps.end(), 1);
  const std::uint64_t each = context->parameters().memory_sizes().rotation_key;
  if (available_memory_bytes() > steps.size() * each) return skip("this machine has the memory");
  const KeyGenerator generator(context, Seed{});
  const CountedPolls polls;
  NTTF_CHECK_THROWS(generator.rotation_keys(steps), UnsupportedError,
                    "8000 rotation keys of " + std::to_string(each) + " bytes each need " +
                        std::to_string(8001 * each) + " bytes");
  NTTF_CHECK_EQ(polls.count(), 0u);
}
