// SPDX-License-Identifier: Apache-2.0
#pragma once

// What one public call costs when calls follow each other: n = 2^12, one prime of 60 bits, where the call
// itself takes as long as the transform. Only for files that nvcc compiles.

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/gpu_measure.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/cuda/plan.hpp"
#include "nttforge/ntt/plan.hpp"

namespace nttforge::bench {

inline constexpr unsigned kCallsOfARun =
    500;  ///< below the launches that a stream takes before it makes the host wait

/// Both times of a call: until the device has done everything, and until the last call has returned.
struct CallTiming {
  Timing done, returned;
};
template <class Call>
CallTiming time_calls(unsigned runs, cudaStream_t stream, const Call& call) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> done, returned;
  for (unsigned run = 0; run < runs + 3; ++run) {
    require(cudaStreamSynchronize(stream), "a run of calls");
    const Clock::time_point begin = Clock::now();
    for (unsigned i = 0; i < kCallsOfARun; ++i) call();
    const Clock::time_point end = Clock::now();
    require(cudaStreamSynchronize(stream), "a run of calls");
    if (run < 3) continue;  // the first ones warm up
    const auto ns = [&](Clock::time_point at) {
      return std::chrono::duration<double, std::nano>(at - begin).count() / kCallsOfARun;
    };
    done.push_back(ns(Clock::now()));
    returned.push_back(ns(end));
  }
  return {timing_of(std::move(done), kCallsOfARun), timing_of(std::move(returned), kCallsOfARun)};
}

__global__ void nothing() {}

/// Rows of kind "gpu_call"; the callers in Python are measured by nttforge_bench.calls.
inline void measure_calls(unsigned runs, Report& report) {
  const GpuCell cell{12, 1, 60};
  const std::size_t n = std::size_t{1} << cell.log_n;
  const NttSpec spec = validated({.n = n, .moduli = ntt_primes(n, cell.bits, 1)});
  const cuda::CudaNttPlan plan(spec);
  std::vector<std::uint64_t> words(n), want(n);
  for (std::size_t i = 0; i < n; ++i) words[i] = i * 2654435761u % spec.moduli[0];
  NttPlan(spec).forward(std::span<const std::uint64_t>(words), std::span<std::uint64_t>(want));
  const OnDevice<std::uint64_t> x(words), y(n);
  GpuClock clock(runs);
  const std::span<const std::uint64_t> in(x.data(), n);
  const std::span<std::uint64_t> out(y.data(), n);
  plan.forward(in, out, clock.stream());
  require(cudaStreamSynchronize(clock.stream()), "a transform");
  if (y.get(n) != want) throw Error("wrong result, not timed: " + plan.recipe().to_json());
  const auto add = [&](const char* caller, const CallTiming& timing) {
    Json row = gpu_row("gpu_call", cell, "forward");
    row.set("caller", caller);
    row.set("result", "given");
    row.set("returned_median_ns", timing.returned.median_ns);
    report.add(std::move(row), timing.done);
    std::printf("%-22s %8.2f us a call, returned after %8.2f\n", caller, timing.done.median_ns / 1e3,
                timing.returned.median_ns / 1e3);
  };
  const auto graph = clock.time(GpuClock::kCalls, [&](unsigned) { plan.forward(in, out, clock.stream()); });
  add("CUDA graph", {graph, graph});
  add("empty kernel", time_calls(runs, clock.stream(), [&] { nothing<<<1, 32, 0, clock.stream()>>>(); }));
  add("C++", time_calls(runs, clock.stream(), [&] { plan.forward(in, out, clock.stream()); }));
  add("C++, places promised", time_calls(runs, clock.stream(), [&] {
        plan.forward(in, out, clock.stream(), cuda::CallPlaces::promised);
      }));
  std::fflush(stdout);
}

}  // namespace nttforge::bench
