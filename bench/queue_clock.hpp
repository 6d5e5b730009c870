// SPDX-License-Identifier: Apache-2.0
#pragma once

// How operations on a device's queue are measured: after a warm-up many calls are given to the queue back to
// back, and the time until the last one has run is divided by their number; the median run is the figure. On
// a card that time is between two events of the default stream, where queues run, as for other libraries
// (peers/gpu_bfv_peer.hpp); elsewhere it is the host's. A single call with a wait after it is measured too,
// by the host's clock.

#include <chrono>
#include <functional>
#include <vector>

#ifdef NTTF_BENCH_CUDA
#include <cuda_runtime_api.h>
#endif

#include "bench/measure.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/cuda/device.hpp"
#include "nttforge/device/queue.hpp"

namespace nttforge::bench {

using Body = std::function<void()>;

/// Host time until a queue has run what was given to it.
class HostStopwatch {
 public:
  explicit HostStopwatch(const Queue& queue) : queue_(queue) {}
  double ns(const Body& body) const {
    queue_.wait();
    const auto begin = std::chrono::steady_clock::now();
    body();
    queue_.wait();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
  }

 private:
  const Queue& queue_;
};

#ifdef NTTF_BENCH_CUDA
/// Time between two events of the current card's default stream.
class EventStopwatch {
 public:
  EventStopwatch() {
    require(cudaEventCreate(&begin_));
    require(cudaEventCreate(&end_));
  }
  EventStopwatch(const EventStopwatch&) = delete;
  EventStopwatch& operator=(const EventStopwatch&) = delete;
  ~EventStopwatch() {
    (void)cudaEventDestroy(begin_);
    (void)cudaEventDestroy(end_);
  }
  double ns(const Body& body) const {
    require(cudaEventRecord(begin_, nullptr));
    body();
    require(cudaEventRecord(end_, nullptr));
    require(cudaEventSynchronize(end_));
    float ms = 0;
    require(cudaEventElapsedTime(&ms, begin_, end_));
    return double{ms} * 1e6;
  }
  static void require(cudaError_t code) {
    if (code != cudaSuccess) throw Error(std::string("measuring: ") + cudaGetErrorString(code));
  }

 private:
  cudaEvent_t begin_{}, end_{};
};
#endif

/// The card that the figures belong to, as documents of other GPU programs have it. ordinal: a negative one
/// is no card.
inline void describe_card(int ordinal, Report& report) {
  if (ordinal < 0) return;
  const cuda::CudaDevice card = cuda::describe_device(ordinal);
  Json gpu = Json::object();
  gpu.set("name", card.name);
  gpu.set("multiprocessors", card.multiprocessors);
  gpu.set("clock_mhz", card.clock_khz / 1000.0);
  gpu.set("l2_bytes", card.l2_bytes);
  gpu.set("memory_bytes", card.total_bytes);
  gpu.set("compute_capability", card.compute_capability);
  gpu.set("driver", card.driver);
  report.note("gpu", gpu);
}

class QueueClock {
 public:
  /// `calls` are given to the queue in each of `runs` timed runs. ordinal: of the card that the queue belongs
  /// to, or a negative number for other devices.
  QueueClock(const Queue& queue, int ordinal, unsigned runs, unsigned calls)
      : queue_(queue), on_card_(ordinal >= 0), runs_(runs), calls_(calls) {
#ifdef NTTF_BENCH_CUDA
    if (on_card_) EventStopwatch::require(cudaSetDevice(ordinal));
#endif
  }

  /// `calls` calls in a row, then a wait.
  Timing back_to_back(const Body& body) const {
    return measured(
        [&] {
          for (unsigned i = 0; i < calls_; ++i) body();
        },
        calls_);
  }
  /// A call and a wait.
  Timing one_call(const Body& body) const { return time(HostStopwatch(queue_), body, 1); }
  /// A graph of `calls` calls, then a wait. throws what recording throws: UnsupportedError where there are no
  /// graphs, ParameterError for what cannot be recorded.
  Timing in_a_graph(const Body& body) const {
    const auto capture = queue_.begin_capture();
    for (unsigned i = 0; i < calls_; ++i) body();
    const auto graph = capture->finish();
    return measured([&] { graph->run(queue_); }, calls_);
  }

 private:
  Timing measured(const Body& run, unsigned calls) const {
#ifdef NTTF_BENCH_CUDA
    if (on_card_) return time(EventStopwatch(), run, calls);
#endif
    return time(HostStopwatch(queue_), run, calls);
  }
  template <class Stopwatch>
  Timing time(const Stopwatch& stopwatch, const Body& run, unsigned calls) const {
    std::vector<double> samples;
    for (unsigned i = 0; i < runs_ + kWarmUp; ++i) {
      const double ns = stopwatch.ns(run);
      if (i >= kWarmUp) samples.push_back(ns / calls);
    }
    return timing_of(std::move(samples), calls);
  }

  static constexpr unsigned kWarmUp = 4;

  const Queue& queue_;
  bool on_card_;
  unsigned runs_, calls_;
};

}  // namespace nttforge::bench
