// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace nttforge {

/// How the words of polynomials stand for them.
enum class Form : std::uint8_t {
  coefficients = 0,
  values = 1,  ///< transformed (Queue::forward)
};

}  // namespace nttforge
