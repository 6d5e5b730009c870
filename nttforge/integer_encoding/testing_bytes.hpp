// SPDX-License-Identifier: Apache-2.0
#pragma once

// Hostile bytes for the tests of serialisation. Not installed.

#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/base/text/bytes.hpp"
#include "nttforge/integer_encoding/context.hpp"
#include "nttforge/rlwe/bytes/format.hpp"

namespace nttforge::integer_encoding::testing {

using Bytes = std::vector<std::uint8_t>;

/// With the checksum made right again.
inline Bytes resealed(Bytes bytes) {
  const std::uint64_t checksum = checksum64(std::span(bytes).first(bytes.size() - kChecksumBytes));
  for (std::size_t i = 0; i < 8; ++i)
    bytes[bytes.size() - 8 + i] = static_cast<std::uint8_t>(checksum >> (8 * i));
  return bytes;
}

/// Calls load for every truncation, every byte flipped, and every byte changed with the checksum made right
/// again: it must throw FormatError or ContextError, or, in the last case, return an object.
template <class Load>
void torture(const Bytes& bytes, Load load) {
  const auto refused = [&](const Bytes& hostile) {
    try {
      load(hostile);
      return false;
    } catch (const FormatError&) {
      return true;
    } catch (const ContextError&) {
      return true;
    }
  };
  for (std::size_t size = 0; size < bytes.size(); ++size)
    NTTF_CHECK(refused(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size))));
  Bytes longer = bytes;
  longer.push_back(0);
  NTTF_CHECK(refused(longer));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (std::uint8_t mask : {std::uint8_t{1}, std::uint8_t{0x80}, std::uint8_t{0xFF}}) {
      Bytes hostile = bytes;
      hostile[i] = static_cast<std::uint8_t>(hostile[i] ^ mask);
      NTTF_CHECK(refused(hostile));
      if (i + kChecksumBytes < bytes.size()) refused(resealed(hostile));
    }
}

}  // namespace nttforge::integer_encoding::testing
