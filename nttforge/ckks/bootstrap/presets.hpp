// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "nttforge/ckks/bootstrap/bootstrapper.hpp"

namespace nttforge::ckks {

/// A parameter set that bootstraps all slots, and how.
struct BootstrapSet {
  Parameters parameters;
  Bootstrap options;
};

/// By name; the secret of messages is 128-bit secure by the 2024 guidelines. The ephemeral one, of weight 32,
/// is under one key alone, modulo 121 bits (96 at n = 2^15): no table covers that, and no estimator was run
/// here. After a bootstrap as many levels are left as the chain has of primes at the scale:
///   boot16_40  n = 2^16, 1744 bits, scale 2^40, 11 levels left
///   boot16_45  n = 2^16, 1734 bits, scale 2^45, 10 levels left
///   boot15_31  n = 2^15,  843 bits, scale 2^31,  2 levels left
/// throws ParameterError listing the names.
BootstrapSet bootstrap_preset(std::string_view name);

}  // namespace nttforge::ckks
