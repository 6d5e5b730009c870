// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "bench/measure.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/device/queue.hpp"
#include "papers/kernels/bad18b/machine.hpp"

namespace nttforge::bench {

/// What a figure belongs to.
struct Bad18bCell {
  const char* part;  ///< "table 1", ...
  std::size_t n;
  unsigned log2_q;
  std::string variant, operation;
};

/// Measures on one machine and keeps the rows. Medians of `samples` runs that take `seconds` together.
class Bad18bClock {
 public:
  Bad18bClock(Report& report, std::string where, double seconds)
      : report_(report), where_(std::move(where)), seconds_(seconds) {}
  const std::string& where() const { return where_; }

  /// What enqueues in the machine's stream alone: on a card a CUDA graph of several calls.
  void time(const Bad18bCell& cell, cuda::bad18b::Machine& machine, const std::function<void()>& body) {
    if (!machine.is_card()) return keep(cell, calls_of(body, [] {}));
    const auto run = [&](unsigned calls, unsigned rounds) {
      return cuda::runtime_of(machine.device())
          .time_ns(machine.device(), calls, rounds, [&](cuda::CudaStream stream) {
            machine.set_stream(stream);
            body();
            machine.set_stream(nullptr);
          });
    };
    const double once = run(1, 2);
    const auto calls = static_cast<unsigned>(std::clamp(seconds_ * 1e9 / kSamples / 4 / once, 1.0, 20.0));
    std::vector<double> samples;
    for (unsigned i = 0; i < kSamples; ++i) samples.push_back(run(calls, 3));
    keep(cell, timing_of(std::move(samples), calls));
  }
  /// What enqueues in a queue: a graph of several calls, where there are graphs and the body may be recorded,
  /// and calls one after the other, until the last has run (stream_median_ns).
  void time(const Bad18bCell& cell, const Queue& queue, const std::function<void()>& body) {
    const std::function<void()> wait = [&queue] { queue.wait(); };
    const Timing stream = calls_of(body, wait);
    const double calls = std::clamp(seconds_ * 1e9 / kSamples / 4 / stream.median_ns, 1.0, 10.0);
    const std::shared_ptr<const Graph> graph = recorded(queue, body, static_cast<unsigned>(calls));
    if (graph == nullptr) return keep(cell, stream, stream.median_ns);
    Timing timing = calls_of([&] { graph->run(queue); }, wait);
    const double share = 1 / std::floor(calls);
    for (double* const ns : {&timing.min_ns, &timing.median_ns, &timing.quartile_ns}) *ns *= share;
    keep(cell, timing, stream.median_ns);
  }
  void time_waiting(const Bad18bCell& cell, const std::function<void()>& body) {
    keep(cell, calls_of(body, [] {}));
  }

 private:
  static constexpr unsigned kSamples = 7;

  Timing calls_of(const std::function<void()>& body, const std::function<void()>& wait) const {
    const auto run = [&](std::size_t calls) {
      const auto begin = std::chrono::steady_clock::now();
      for (std::size_t i = 0; i < calls; ++i) body();
      wait();
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    run(1);
    double once = run(1);
    if (once < 1e-3) once = run(10) / 10;
    const unsigned samples = once > seconds_ ? 2 : kSamples;
    const auto calls = static_cast<std::size_t>(std::clamp(seconds_ / samples / once, 1.0, 1e5));
    std::vector<double> ns;
    for (unsigned i = 0; i < samples; ++i) ns.push_back(run(calls) * 1e9 / static_cast<double>(calls));
    return timing_of(std::move(ns), calls);
  }
  /// Null where nothing can be recorded, or not this: what samples or waits.
  static std::shared_ptr<const Graph> recorded(const Queue& queue, const std::function<void()>& body,
                                               unsigned calls) {
    try {
      const auto capture = queue.begin_capture();
      for (unsigned i = 0; i < calls; ++i) body();
      return capture->finish();
    } catch (const Error&) {
    }
    return nullptr;
  }
  void keep(const Bad18bCell& cell, const Timing& timing, double stream_ns = 0) {
    std::printf("%-8s n = %5zu  %3u bits  %-9s %-28s %-26s %12.2f us\n", cell.part, cell.n, cell.log2_q,
                where_.c_str(), cell.variant.c_str(), cell.operation.c_str(), timing.median_ns / 1e3);
    std::fflush(stdout);
    Json row = Json::object();
    row.set("kind", "bad18b");
    row.set("part", cell.part);
    row.set("n", cell.n);
    row.set("log2_q", cell.log2_q);
    row.set("where", where_);
    row.set("variant", cell.variant);
    row.set("operation", cell.operation);
    if (stream_ns != 0) row.set("stream_median_ns", stream_ns);
    report_.add(std::move(row), timing);
  }

  Report& report_;
  std::string where_;
  double seconds_;
};

}  // namespace nttforge::bench
