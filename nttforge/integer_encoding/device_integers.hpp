// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "nttforge/device/queue.hpp"

namespace nttforge::integer_encoding {

/// Integers in the memory of a context's device, [batch][rows.width], to be encoded.
struct DeviceIntegers {
  IntegerRows rows;
  std::size_t batch = 1;
  bool centred = true;  ///< in range are [signed_low(t), signed_high(t)]; else [0, t)
  /// Whoever encodes them waits, and gets a ParameterError for the first one that is out of range. Else
  /// nothing waits, and every integer is taken modulo t.
  bool checked = true;
};

}  // namespace nttforge::integer_encoding
