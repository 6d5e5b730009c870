// SPDX-License-Identifier: Apache-2.0
// Ciphertexts in as few bytes as their noise allows.

#include "nttforge/bfv/testing.hpp"
#include "nttforge/integer_encoding/testing_shrink.hpp"

namespace nttforge::bfv::testing {
namespace {

NTTF_TEST("shrink of BFV: messages and budgets stay, bytes are what the bits say") {
  check_shrink<Bfv>(
      {small_parameters(64, 65537, 4, 45), small_parameters(16, 2, 3, 30), small_parameters(32, 256, 2, 60),
       small_parameters(16, (std::uint64_t{1} << 45) - 229, 4, 60), small_parameters(16, 97, 1, 45),
       hybrid_parameters(32, 257, 5, 30, 2), narrow_preset(4096)});
}

NTTF_TEST("shrink of BFV: errors name the field and the remedy") {
  check_shrink_errors<Bfv>(small_parameters(16, 97, 3, 45));
}

}  // namespace
}  // namespace nttforge::bfv::testing
