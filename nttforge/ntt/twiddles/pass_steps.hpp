// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many stages each pass over memory merges, for those who write twiddles and those who read them.

namespace nttforge {

struct PassSteps {
  unsigned end;         ///< stages that passes do
  unsigned tail;        ///< stages after them
  unsigned radix_log;   ///< stages of a pass; the first has what is left over
  unsigned long_above;  ///< not 0 (radix_log = 2): see step

  /// Stages of the pass at 2^log_m. With `long_above` three where the group has more than 2^long_above
  /// points, beyond the first-level cache, so that it is crossed less often, and where an odd number of
  /// stages is left, as a pass of one stage is bound by its stores.
  constexpr unsigned step(unsigned log_m) const {
    const unsigned left = end - log_m;
    if (long_above == 0) return log_m == 0 && left % radix_log != 0 ? left % radix_log : radix_log;
    if (left < 3) return left;
    return left % 2 != 0 || left + tail > long_above ? 3 : 2;
  }
  /// Stages of the pass that ends at 2^log_m.
  constexpr unsigned step_back(unsigned log_m) const {
    unsigned at = 0;
    while (at + step(at) < log_m) at += step(at);
    return log_m - at;
  }
};

}  // namespace nttforge
