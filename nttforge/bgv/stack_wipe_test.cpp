// SPDX-License-Identifier: Apache-2.0
// What operations on messages and keys leave on the stack.

#include "nttforge/base/memory/stack_wipe.hpp"

#include "nttforge/bgv/testing.hpp"
#include "nttforge/integer_encoding/testing_stack.hpp"

namespace nttforge::bgv::testing {
namespace {

NTTF_TEST("stack of BGV: no words of messages, keys or seeds stay behind") { check_nothing_stays<Bgv>(); }

NTTF_TEST("stack of BGV: as much is wiped as each operation uses") { check_wiped_depths<Bgv>(); }

}  // namespace
}  // namespace nttforge::bgv::testing
