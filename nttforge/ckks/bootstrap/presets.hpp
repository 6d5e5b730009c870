// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nttforge/ckks/bootstrap/bootstrapper.hpp"

namespace nttforge::ckks {

/// A parameter set that bootstraps all slots, and how.
struct BootstrapSet {
  Parameters parameters;
  Bootstrap options;
};

/// By name; the secret of messages is 128-bit secure by the 2024 guidelines. The ephemeral one, of weight 32,
/// is under one key alone, modulo 121 bits (96 at n = 2^15), which no table covers: SECURITY.md has what the
/// lattice estimator says. Bits of precision and levels that are left: docs/bounds/ckks_bootstrap.md. log_n:
/// of n; a smaller one than the set's, 0, has the same chain without security, for tests.
///   boot16_40  n = 2^16, scale 2^40, 12 levels between bootstraps
///   boot16_45  n = 2^16, scale 2^45, 11 levels
///   boot16_51  n = 2^16, scale 2^51, 10 levels, 9 after two iterations, whose bits its scale holds
///   boot16w_40 boot16_40 in words of 32 bits, 11 levels
///   boot16w_45 three digits, 8 levels, 7 after two iterations, whose bits its scale holds
///   boot16w_54 levels of 54 bits, 8 of them, 7 after two iterations, whose bits its scale holds
///   boot16w_fast  as boot16w_40 with fewer primes, three digits in place of four, 9 levels
///   boot15_31  n = 2^15, scale 2^31,  4 levels
///   boot15w_30 n = 2^15, scale 2^30, words of 32 bits and three digits, 3 levels
/// throws ParameterError listing the names.
BootstrapSet bootstrap_preset(std::string_view name, unsigned log_n = 0);

/// All of them.
std::vector<std::string> bootstrap_set_names();

}  // namespace nttforge::ckks
