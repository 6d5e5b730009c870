// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "nttforge/exact_bootstrap/bootstrapper.hpp"

namespace nttforge::exact_bootstrap {

/// A parameter set whose ciphertexts can be bootstrapped, of BFV or BGV, and how.
struct BootstrapSet {
  std::size_t n = 0;
  std::uint64_t t = 0;
  std::vector<std::uint64_t> q, special;  ///< of the ciphertexts' context, with one special prime
  SecurityLevel security = SecurityLevel::classical128;
  unsigned word_bits = 64;
  Options options;
};

/// By name, for a plaintext modulus and a number of passes, 0: the set's. The chain's modulus, the larger one
/// that the secret is used with, is 128-bit secure by the 2024 guidelines; of the ephemeral secret that is
/// not known (ckks/bootstrap/presets.hpp). log_n: of n; a smaller one than the set's, 0, has the same chain
/// without security, for tests. scheme: whose
/// ciphertexts; BGV's Q has more and smaller primes.
///   exact16   n = 2^16, a chain of 15 primes above Q, three passes
///   exact16w  the same in words of 32 bits, for GPUs: 30 primes above Q
///   exact15   n = 2^15, 13 primes above Q of less precision, four passes; of BGV with t = 257 or so
/// throws ParameterError listing the names, for t or passes out of range, or a t that no two primes are for.
BootstrapSet bootstrap_preset(std::string_view name, std::uint64_t t, unsigned passes = 0, unsigned log_n = 0,
                              Scheme scheme = Scheme::bfv);

}  // namespace nttforge::exact_bootstrap
