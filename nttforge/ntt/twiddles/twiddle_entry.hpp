// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace nttforge {

/// The two words of a table that stand for a twiddle w in [0, q). Each product (kernels/products/) says by
/// its `entry` which words it takes: most a value and a quotient.
struct TwiddleEntry {
  std::uint64_t value, quotient;
};
using TwiddleEntryOf = TwiddleEntry (*)(std::uint64_t w, std::uint64_t q);

/// w and floor(w 2^bits / q), bits <= 64.
TwiddleEntry shoup_entry(std::uint64_t w, std::uint64_t q, unsigned bits);
/// Bits of doubles: w in (-q/2, q/2), and w / q rounded.
TwiddleEntry real_entry(std::uint64_t w, std::uint64_t q);

}  // namespace nttforge
