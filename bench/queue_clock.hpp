// SPDX-License-Identifier: Apache-2.0
#pragma once

// How operations on a device's queue are measured: after a warm-up many calls are given to the queue back to
// back, and the time until the last one has run is divided by their number; the median run is the figure.
// A single call with a wait after it is measured too. Programs of other libraries use the same clocks over
// CUDA events (peers/gpu_bfv_peer.hpp).

#include <chrono>
#include <functional>
#include <vector>

#include "bench/measure.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/device/queue.hpp"

namespace nttforge::bench {

class QueueClock {
 public:
  using Body = std::function<void()>;

  /// `calls` are given to the queue in each of `runs` timed runs.
  QueueClock(const Queue& queue, unsigned runs, unsigned calls) : queue_(queue), runs_(runs), calls_(calls) {}

  /// `calls` calls in a row, then a wait.
  Timing back_to_back(const Body& body) const { return time(body, calls_); }
  /// A call and a wait.
  Timing one_call(const Body& body) const { return time(body, 1); }
  /// A graph of `calls` calls, then a wait. throws what recording throws: UnsupportedError where there are no
  /// graphs, ParameterError for what cannot be recorded.
  Timing in_a_graph(const Body& body) const { return recorded(queue_, body); }

 private:
  template <class AnyQueue>
  Timing recorded(const AnyQueue& queue, const Body& body) const {
    if constexpr (requires { queue.begin_capture(); }) {
      const auto capture = queue.begin_capture();
      for (unsigned i = 0; i < calls_; ++i) body();
      const auto graph = capture->finish();
      Timing timing = time([&] { graph->run(queue); }, 1);
      for (double* ns : {&timing.min_ns, &timing.median_ns, &timing.quartile_ns}) *ns /= calls_;
      timing.calls = calls_;
      return timing;
    } else {
      throw UnsupportedError("queues record no graphs in this build");
    }
  }
  Timing time(const Body& body, unsigned calls) const {
    std::vector<double> samples;
    for (unsigned run = 0; run < runs_ + kWarmUp; ++run) {
      queue_.wait();
      const auto begin = std::chrono::steady_clock::now();
      for (unsigned i = 0; i < calls; ++i) body();
      queue_.wait();
      const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begin;
      if (run >= kWarmUp) samples.push_back(elapsed.count() / calls);
    }
    return timing_of(std::move(samples), calls);
  }

  static constexpr unsigned kWarmUp = 3;

  const Queue& queue_;
  unsigned runs_, calls_;
};

}  // namespace nttforge::bench
