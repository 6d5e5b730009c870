// SPDX-License-Identifier: Apache-2.0
// Random circuits up to the promised depth on every preset and every set of [Bad18b] Table 4: what they
// decrypt to is what plain integers modulo t give. NTTFORGE_TEST_FULL=1 runs 200 circuits a set; otherwise a
// few on the smaller sets.

#include "nttforge/bfv/testing.hpp"
#include "nttforge/integer_encoding/testing_circuits.hpp"

namespace nttforge::bfv::testing {
namespace {

NTTF_TEST("circuits: preset n = 1024") { run_circuits<Bfv>(Parameters::preset(1024), 20); }
NTTF_TEST("circuits: preset n = 2048") { run_circuits<Bfv>(Parameters::preset(2048), 20); }
NTTF_TEST("circuits: preset n = 2048, t = 2, one product without relinearization") {
  NTTF_CHECK_EQ(Parameters::preset(2048, 2).promised_depth(), 1u);
  run_circuits<Bfv>(Parameters::preset(2048, 2), 20);
}
NTTF_TEST("circuits: preset n = 4096") { run_circuits<Bfv>(Parameters::preset(4096), 10); }
NTTF_TEST("circuits: preset n = 8192") { run_circuits<Bfv>(Parameters::preset(8192), 5); }
NTTF_TEST("circuits: preset n = 16384") { run_circuits<Bfv>(Parameters::preset(16384), 2, 3); }
NTTF_TEST("circuits: preset n = 32768") { run_circuits<Bfv>(Parameters::preset(32768), 1, 2); }
NTTF_TEST("circuits: [Bad18b] n = 2048") { run_circuits<Bfv>(Parameters::badawi2018(2048), 20); }
NTTF_TEST("circuits: [Bad18b] n = 4096") { run_circuits<Bfv>(Parameters::badawi2018(4096), 5); }
NTTF_TEST("circuits: [Bad18b] n = 8192") { run_circuits<Bfv>(Parameters::badawi2018(8192), 2, 6); }
NTTF_TEST("circuits: [Bad18b] n = 16384") { run_circuits<Bfv>(Parameters::badawi2018(16384), 1, 3); }

}  // namespace
}  // namespace nttforge::bfv::testing
