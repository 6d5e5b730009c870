// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace nttforge::bench {

using Numbers = std::vector<std::complex<double>>;

/// What every library encrypts, in [-1/2, 1/2] and on a grid.
inline Numbers message(std::size_t slots) {
  Numbers values(slots);
  for (std::size_t i = 0; i < slots; ++i)
    values[i] = {static_cast<double>(i % 17) / 17 - 0.5, static_cast<double>(i % 5) / 5 - 0.4};
  return values;
}

}  // namespace nttforge::bench
