// SPDX-License-Identifier: Apache-2.0
#pragma once

// What arguments of recommended sets may be. Not installed.

#include <cstddef>

#include "nttforge/rlwe/security.hpp"

namespace nttforge::rlwe {

/// throws ParameterError unless there are presets for this dimension, level, table and word.
void require_preset(std::size_t n, SecurityLevel security, SecurityTable table, unsigned word_bits);

/// throws ParameterError unless digits may have so many primes: 0 (as recommended) ... most; most 0: the set
/// has no special primes.
void require_digit_primes(std::size_t n, std::size_t digit_primes, std::size_t most);

}  // namespace nttforge::rlwe
