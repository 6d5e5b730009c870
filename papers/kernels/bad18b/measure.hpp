// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/device/device.hpp"
#include "papers/kernels/bad18b/base.hpp"
#include "papers/kernels/bad18b/clock.hpp"

namespace nttforge::bench {

/// A machine as the paper's kernels and as the library know it: "cpu", "cuda", "cuda:host".
struct Bad18bPlace {
  cuda::bad18b::Machine machine;
  std::shared_ptr<const Device> device;
};

/// Table 1. Each function here checks what it times, and throws Error if a result is wrong.
void measure_bad18b_reductions(Bad18bClock& clock, Bad18bPlace& place, unsigned log_n);
/// Tables 2, 6 and 7: reconstructions alone, or every kernel of a set.
void measure_bad18b_reconstructions(Bad18bClock& clock, Bad18bPlace& place, std::size_t n, unsigned primes);
void measure_bad18b_kernels(Bad18bClock& clock, Bad18bPlace& place, const cuda::bad18b::FvBase& base);
/// Table 5 and Fig. 2: the paper's scheme.
void measure_bad18b_scheme(Bad18bClock& clock, Bad18bPlace& place, const cuda::bad18b::FvBase& base);
/// Table 5: the library's scheme, its own set (if n has one) and the paper's primes, on the device.
void measure_bad18b_ours(Bad18bClock& clock, const std::shared_ptr<const Device>& device,
                         const cuda::bad18b::FvBase& base, const std::string& variant);
/// Fig. 4: power and utilisation while products run for `seconds` each, as the driver tells.
Json measure_bad18b_load(Bad18bPlace& place, const std::vector<cuda::bad18b::FvBase>& sets, double seconds);

}  // namespace nttforge::bench
