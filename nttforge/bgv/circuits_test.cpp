// SPDX-License-Identifier: Apache-2.0
// Random circuits up to the promised depth on every preset. NTTFORGE_TEST_FULL=1 runs 200 circuits a set;
// otherwise a few on the smaller sets.

#include "nttforge/bgv/testing.hpp"
#include "nttforge/integer_encoding/testing_circuits.hpp"

namespace nttforge::bgv::testing {
namespace {

NTTF_TEST("circuits of BGV: preset n = 1024") { run_circuits<Bgv>(Parameters::preset(1024), 20); }
NTTF_TEST("circuits of BGV: preset n = 2048") { run_circuits<Bgv>(Parameters::preset(2048), 20); }
NTTF_TEST("circuits of BGV: preset n = 2048, t = 2, one product without relinearization") {
  NTTF_CHECK_EQ(Parameters::preset(2048, 2).promised_depth(), 1u);
  run_circuits<Bgv>(Parameters::preset(2048, 2), 20);
}
NTTF_TEST("circuits of BGV: preset n = 4096") { run_circuits<Bgv>(Parameters::preset(4096), 10); }
NTTF_TEST("circuits of BGV: preset n = 4096, t = 2") { run_circuits<Bgv>(Parameters::preset(4096, 2), 5); }
NTTF_TEST("circuits of BGV: preset n = 8192") { run_circuits<Bgv>(Parameters::preset(8192), 5); }
NTTF_TEST("circuits of BGV: preset n = 8192, t of 32 bits") {
  run_circuits<Bgv>(Parameters::preset(8192, ntt_primes(8192, 32, 1)[0]), 3);
}
NTTF_TEST("circuits of BGV: preset n = 16384") { run_circuits<Bgv>(Parameters::preset(16384), 2, 3); }
NTTF_TEST("circuits of BGV: preset n = 32768") { run_circuits<Bgv>(Parameters::preset(32768), 1, 2); }
NTTF_TEST("circuits of BGV: preset n = 2048, words of 32 bits") {
  run_circuits<Bgv>(narrow_preset(2048), 20);
}
NTTF_TEST("circuits of BGV: preset n = 4096, words of 32 bits") {
  run_circuits<Bgv>(narrow_preset(4096), 10);
}
NTTF_TEST("circuits of BGV: preset n = 8192, words of 32 bits") { run_circuits<Bgv>(narrow_preset(8192), 3); }
NTTF_TEST("circuits of BGV: preset n = 8192, words of 32 bits, one special prime") {
  run_circuits<Bgv>(narrow_preset(8192, 1), 2);
}
NTTF_TEST("circuits of BGV: preset n = 16384, words of 32 bits") {
  run_circuits<Bgv>(narrow_preset(16384), 1, 2);
}
NTTF_TEST("circuits of BGV: preset n = 32768, words of 32 bits") {
  run_circuits<Bgv>(narrow_preset(32768), 1, 1);
}
NTTF_TEST("circuits of BGV: preset n = 16384, digits of two primes") {
  run_circuits<Bgv>(Parameters::preset(16384, 0, SecurityLevel::classical128, kStrictestTable, 64, 2), 1, 2);
}
NTTF_TEST("circuits of BGV: a binary secret, digits of three primes, an odd number of special ones") {
  auto primes = ntt_primes(1024, 30, 10);
  run_circuits<Bgv>(Parameters::custom(1024, 12289, {primes.begin() + 3, primes.end()},
                                       std::vector<std::uint64_t>(primes.begin(), primes.begin() + 3),
                                       SecurityLevel::insecure_by_request, SecretDistribution::binary),
                    10);
}
NTTF_TEST("circuits of BGV: a binary secret, wide errors, small primes") {
  auto primes = ntt_primes(1024, 30, 7);
  run_circuits<Bgv>(Parameters::custom(1024, 12289, {primes.begin(), primes.end()},
                                       ntt_primes(1024, 38, 1)[0], SecurityLevel::insecure_by_request,
                                       SecretDistribution::binary, ErrorDistribution::sigma_8_bound_48),
                    10);
}

}  // namespace
}  // namespace nttforge::bgv::testing
