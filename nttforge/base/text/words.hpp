// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

// What the system says about itself in /proc and /sys is read with these and not with streams: a module that
// is linked with its own C++ library would share the streams' locale with the one of the process.

namespace nttforge {

/// Removes the first line from `text` and returns it without its end.
std::string_view take_line(std::string_view& text);

/// Removes the first word and the white space before it from `text` and returns it; empty if there is none.
std::string_view take_word(std::string_view& text);

/// The number that `word` is, in decimal digits; nothing if it is no such number or above 2^64 - 1.
std::optional<std::uint64_t> number_of(std::string_view word);

}  // namespace nttforge
