// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <vector>

#include "bench/gpu_measure.hpp"
#include "papers/kernels/bad18a_rows.hpp"

// The kernels of [Bad18a], and what measures them.

namespace nttforge::bench {

using Bad18aRows = std::vector<std::vector<cuda::bad18a::Row>>;
/// For 2^14, 2^15 or 2^16 points: the base kernels, the optimised ones, and each switch alone.
Bad18aRows bad18a_switches(unsigned log_n);

/// Measures Table III (times of whole transforms and of each kernel) and what Table II counts, or makes only
/// the check before it, or enqueues each kernel once for a profiler.
enum class Bad18aMode { time, check, profile };
void measure_bad18a(Report& report, GpuClock& clock, Bad18aMode mode);

}  // namespace nttforge::bench
