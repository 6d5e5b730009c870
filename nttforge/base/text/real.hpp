// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

// Doubles as text, the same whatever the locale of the process. std::from_chars would do, but libc++ has it
// for doubles since version 20 only, and macOS since 26.

namespace nttforge {

/// A finite value in 17 digits, with a point or an exponent, so that it does not read as an integer.
std::string real_text(double value);

/// The double nearest to a decimal number as JSON writes it; nothing if it is too large for one.
std::optional<double> real_number(std::string_view text);

}  // namespace nttforge
