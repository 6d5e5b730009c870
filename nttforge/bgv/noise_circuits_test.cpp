// SPDX-License-Identifier: Apache-2.0
// Neither bound on the noise is ever below the exact noise, in random circuits over small rings.
// NTTFORGE_NOISE_CIRCUITS=100000 runs that many.

#include "nttforge/bgv/testing.hpp"
#include "nttforge/integer_encoding/testing_noise.hpp"

namespace nttforge::bgv::testing {
namespace {

NTTF_TEST("noise circuits of BGV: both bounds hold after every operation") {
  const auto primes = ntt_primes(64, 30, 8);
  const auto binary = Parameters::custom(64, 257, {primes.begin() + 3, primes.end()},
                                         std::vector<std::uint64_t>(primes.begin(), primes.begin() + 3),
                                         SecurityLevel::insecure_by_request, SecretDistribution::binary,
                                         ErrorDistribution::sigma_8_bound_48);
  auto sparse = hybrid_parameters(64, 257, 6, 40, 2);
  sparse.secret = SecretDistribution::sparse(16);
  run_noise_circuits<Bgv>(
      {small_parameters(32, 2, 4, 40), small_parameters(64, 257, 5, 45), small_parameters(64, 65537, 4, 50),
       small_parameters(32, (std::uint64_t{1} << 59) - 55, 6, 58), small_parameters(64, 3, 2, 50, false),
       hybrid_parameters(32, 97, 7, 30, 2, 2), hybrid_parameters(64, 12289, 8, 35, 3, 3), binary, sparse},
      3000);
}

}  // namespace
}  // namespace nttforge::bgv::testing
