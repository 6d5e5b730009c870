// SPDX-License-Identifier: Apache-2.0
// Answers for others: flooding of the derived size (docs/bounds/decrypt.md).

#include "nttforge/bgv/testing.hpp"
#include "nttforge/integer_encoding/testing_flooding.hpp"

namespace nttforge::bgv::testing {
namespace {

NTTF_TEST("decrypt_shared of BGV: right answers, flooding of the derived size") {
  check_decrypt_shared<Bgv>();
}
NTTF_TEST("decrypt_shared of BGV: what is refused") { check_shared_refusals<Bgv>(); }

}  // namespace
}  // namespace nttforge::bgv::testing
