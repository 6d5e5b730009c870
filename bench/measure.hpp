// SPDX-License-Identifier: Apache-2.0
#pragma once

// How every benchmark measures: verify first (the caller), warm up, then many short runs of a fixed number of
// calls; the minimum is the figure that other work on the machine disturbs least, the median and the spread
// say how much it did.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "bench/options.hpp"
#include "nttforge/base/target.hpp"

namespace nttforge::bench {

struct Timing {
  double min_ns = 0;
  double median_ns = 0;
  double quartile_ns = 0;  ///< upper quartile
  std::size_t runs = 0;
  std::size_t calls = 0;  ///< per run
};

/// Times per call, in ns.
inline Timing timing_of(std::vector<double> samples, std::size_t calls) {
  std::sort(samples.begin(), samples.end());
  const std::size_t runs = samples.size();
  return {samples.front(), samples[runs / 2], samples[runs * 3 / 4], runs, calls};
}

template <class Function>
double seconds(const Function& function, std::size_t calls) {
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < calls; ++i) function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Calls that take about run_us, long against the clock's grain and short against a scheduler's slice.
template <class Function>
std::size_t calls_of_a_run(const Function& function, double run_us) {
  std::size_t calls = 1;
  while (seconds(function, calls) * 1e6 < run_us) calls *= 2;
  return calls;
}

/// Time per call, of runs of about run_us.
template <class Function>
Timing measure(const Function& function, std::size_t runs = 60, double run_us = 300) {
  const std::size_t calls = calls_of_a_run(function, run_us);
  std::vector<double> samples;
  for (std::size_t run = 0; run < runs; ++run) {
    samples.push_back(seconds(function, calls) * 1e9 / static_cast<double>(calls));
  }
  return timing_of(std::move(samples), calls);
}

struct ByTurns {
  Timing first, second;
  double ratio = 0;  ///< median of first / second, each pair within some milliseconds
};

/// Times per call of two functions whose ratio is wanted, by turns: what else the machine does changes from
/// one tenth of a second to the next. A millisecond that is not timed goes before each run, so that caches
/// hold its data and its threads are awake (a pool lets some small loops pass before it wakes them).
template <class First, class Second>
ByTurns measure_by_turns(const First& first, const Second& second, std::size_t runs, double run_us) {
  const std::size_t calls[] = {calls_of_a_run(first, run_us), calls_of_a_run(second, run_us)};
  std::vector<double> samples[2], ratios;
  const auto sample = [&](const auto& function, int which) {
    for (double warm = 0; warm < 1e-3;) warm += seconds(function, 1);
    samples[which].push_back(seconds(function, calls[which]) * 1e9 / static_cast<double>(calls[which]));
  };
  for (std::size_t run = 0; run < runs; ++run) {
    sample(first, 0);
    sample(second, 1);
    ratios.push_back(samples[0].back() / samples[1].back());
  }
  return {timing_of(std::move(samples[0]), calls[0]), timing_of(std::move(samples[1]), calls[1]),
          timing_of(std::move(ratios), 1).median_ns};
}

/// Time per call of what may take long: at least three runs of at least 20 us, until the time is up. `warm`:
/// the function has just been called.
template <class Function>
Timing measure_for(const Function& function, double seconds_in_all, bool warm = false) {
  if (!warm) function();
  const auto start = std::chrono::steady_clock::now();
  std::size_t calls = 1;
  double first = 0;
  while ((first = seconds(function, calls)) < 20e-6) calls *= 2;
  std::vector<double> samples = {first * 1e9 / static_cast<double>(calls)};
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  while (samples.size() < 3 || elapsed() < seconds_in_all)
    samples.push_back(seconds(function, calls) * 1e9 / static_cast<double>(calls));
  return timing_of(std::move(samples), calls);
}

/// Options of every program that times transforms, and how it times them.
struct Repetition {
  unsigned runs = 60;
  double run_us = 300;

  std::vector<Option> options() {
    return {number_option("--runs", "timed runs of each operation", runs, 3u, 100000u),
            number_option("--run-us", "length of a run in us", run_us, 1.0, 1e6)};
  }
  template <class Function>
  Timing time(const Function& function) const {
    return measure(function, runs, run_us);
  }
  template <class First, class Second>
  ByTurns time_by_turns(const First& first, const Second& second) const {
    return measure_by_turns(first, second, runs, run_us);
  }
};

inline Json to_json(const Timing& timing) {
  Json json = Json::object();
  json.set("min_ns", timing.min_ns);
  json.set("median_ns", timing.median_ns);
  json.set("upper_quartile_ns", timing.quartile_ns);
  json.set("runs", timing.runs);
  json.set("calls_per_run", timing.calls);
  return json;
}

/// What a program found, in the schema that `nttforge bench` merges: who measured, on what, and rows of named
/// fields with a timing each. bench/README.md describes the rows.
class Report {
 public:
  Report(std::string program, std::string version, std::string build)
      : program_(std::move(program)), version_(std::move(version)), build_(std::move(build)) {}

  void add(Json row, const Timing& timing) {
    const Json figures = to_json(timing);
    for (const auto& [name, value] : figures.members()) row.set(name, value);
    add(std::move(row));
  }
  void add(Json row) {
    rows_.push_back(std::move(row));
    if (path_.empty() || seconds_since_kept() < kKeepSeconds) return;
    write_document(path_, document(false));
    kept_ = std::chrono::steady_clock::now();
  }
  /// Keeps a file that is at most kKeepSeconds behind the measurements; write() completes it.
  void keep_in(const std::string& path) { path_ = path; }
  /// A fact about the whole run.
  void note(const std::string& name, Json value) { notes_.set(name, std::move(value)); }

  Json document(bool complete = true) const {
    const CpuDescription cpu = describe_cpu();
    Json features = Json::array();
    for (const std::string& feature : cpu.features) features.push_back(feature);
    Json document = Json::object();
    document.set("schema", kSchema);
    document.set("program", program_);
    document.set("version", version_);
    document.set("build", build_);
    document.set("compiler", __VERSION__);
    document.set("cpu", cpu.brand);
    document.set("features", features);
    document.set("hardware_threads", cpu.hardware_threads);
    for (const auto& [name, value] : notes_.members()) document.set(name, value);
    document.set("complete", complete);
    document.set("results", rows_);
    return document;
  }
  void write(const std::string& path) const { write_document(path, document()); }

  static constexpr const char* kSchema = "nttforge-bench-1";

 private:
  static constexpr double kKeepSeconds = 1;

  double seconds_since_kept() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - kept_).count();
  }

  std::string program_, version_, build_, path_;
  std::chrono::steady_clock::time_point kept_ = std::chrono::steady_clock::now();
  Json notes_ = Json::object(), rows_ = Json::array();
};

/// Options of every program of ours: where its results go, and what the caller knows of the build.
struct Output {
  std::string json, flags, commit;

  std::vector<Option> options() {
    return {text_option("--json", "file for the results", json),
            text_option("--flags", "compiler flags, kept with the results", flags),
            text_option("--commit", "commit, kept with the results", commit)};
  }
  Report report() const {
    Report report("nttforge", commit, flags);
    report.keep_in(json);
    return report;
  }
};

}  // namespace nttforge::bench
