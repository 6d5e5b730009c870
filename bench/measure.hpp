#pragma once

// How every benchmark measures: verify first (the caller), warm up, then many short runs of a fixed number of
// calls; the minimum is the figure that other work on the machine disturbs least, the median and the spread
// say how much it did.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "nttforge/base/json.hpp"
#include "nttforge/base/target.hpp"

namespace nttforge::bench {

struct Timing {
  double min_ns = 0;
  double median_ns = 0;
  double quartile_ns = 0;  ///< upper quartile
  std::size_t runs = 0;
  std::size_t calls = 0;  ///< per run
};

template <class Function>
double seconds(const Function& function, std::size_t calls) {
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < calls; ++i) function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Time per call. A run lasts about run_us, long against the clock's grain and short against a scheduler's
/// slice.
template <class Function>
Timing measure(const Function& function, std::size_t runs = 60, double run_us = 300) {
  std::size_t calls = 1;
  while (seconds(function, calls) * 1e6 < run_us) calls *= 2;
  std::vector<double> samples;
  for (std::size_t run = 0; run < runs; ++run) {
    samples.push_back(seconds(function, calls) * 1e9 / static_cast<double>(calls));
  }
  std::sort(samples.begin(), samples.end());
  return {samples.front(), samples[runs / 2], samples[runs * 3 / 4], runs, calls};
}

inline Json to_json(const Timing& timing) {
  Json json = Json::object();
  json.set("min_ns", timing.min_ns);
  json.set("median_ns", timing.median_ns);
  json.set("upper_quartile_ns", timing.quartile_ns);
  json.set("runs", timing.runs);
  json.set("calls_per_run", timing.calls);
  return json;
}

/// Machine, compiler, and what the caller knows: flags and commit.
inline Json circumstances(const std::string& flags, const std::string& commit) {
  const CpuDescription cpu = describe_cpu();
  Json json = Json::object();
  Json features = Json::array();
  for (const std::string& feature : cpu.features) features.push_back(feature);
  json.set("cpu", cpu.brand);
  json.set("features", features);
  json.set("hardware_threads", cpu.hardware_threads);
  json.set("compiler", __VERSION__);
  json.set("flags", flags);
  json.set("commit", commit);
  return json;
}

}  // namespace nttforge::bench
