// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nttforge/arith/double_double.hpp"

namespace nttforge {

/// A complex root of unity, both parts correctly rounded to double-doubles.
struct ComplexRoot {
  DoubleDouble re, im;

  friend bool operator==(const ComplexRoot&, const ComplexRoot&) = default;
};

inline constexpr unsigned kMaxRootOrderBits = 18;  ///< 2n for the largest ring

/// exp(2 pi i exponents[j] / 2^order_bits), computed in integers of 320 bits. throws ParameterError for more
/// than kMaxRootOrderBits.
std::vector<ComplexRoot> complex_roots(const std::vector<std::uint64_t>& exponents, unsigned order_bits);

}  // namespace nttforge
