// SPDX-License-Identifier: Apache-2.0
// Answers for others: flooding of the derived size (docs/bounds/decrypt.md).

#include "nttforge/bfv/testing.hpp"
#include "nttforge/integer_encoding/testing_flooding.hpp"

namespace nttforge::bfv::testing {
namespace {

NTTF_TEST("decrypt_shared of BFV: right answers, flooding of the derived size") {
  check_decrypt_shared<Bfv>();
}
NTTF_TEST("decrypt_shared of BFV: what is refused") { check_shared_refusals<Bfv>(); }

}  // namespace
}  // namespace nttforge::bfv::testing
