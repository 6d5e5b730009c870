// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace nttforge::fuzz {

using Bytes = std::vector<std::uint8_t>;

/// A loader and what it is tried with.
struct Loader {
  std::string name;
  std::vector<Bytes> seeds;  ///< right inputs
  bool framed = false;       ///< has the header and the checksum of docs/format.md
  /// True if the bytes were accepted, false if an error of the library refused them. Throws std::logic_error
  /// for a finding: accepted bytes that are not written again as they were. Any other exception is one, too.
  std::function<bool(std::span<const std::uint8_t>)> load;
};

/// Every loader of the C++ library, with the golden files of a folder (tests/golden) as seeds.
std::vector<Loader> all_targets(const std::string& golden);

}  // namespace nttforge::fuzz
