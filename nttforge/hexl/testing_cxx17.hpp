// SPDX-License-Identifier: Apache-2.0
#pragma once

// What cxx17_test.cpp, which is compiled as C++17, does for the tests of this folder.

#include <cstdint>
#include <vector>

namespace nttforge::testing {

/// Forward transform by an NTT whose memory comes from an allocator adapter of this program.
std::vector<std::uint64_t> transform_as_cxx17(std::uint64_t n, std::uint64_t q, std::vector<std::uint64_t> x);

/// Bytes that the adapters of this program have handed out and taken back so far.
struct AdapterBytes {
  std::uint64_t given, returned;
};
AdapterBytes adapter_bytes();

/// Whether the helpers that are templates or inline give what their definitions say.
bool inline_helpers_hold();

}  // namespace nttforge::testing
