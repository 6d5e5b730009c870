// SPDX-License-Identifier: Apache-2.0
#pragma once

// The clocks of what other GPU libraries do as a whole: calls in a row, a call and a wait, and a CUDA graph
// of calls where the library survives its recording. Only for files that nvcc compiles.

#include <cuda_runtime.h>

#include <chrono>
#include <exception>
#include <utility>
#include <vector>

#include "bench/gpu_measure.hpp"

namespace nttforge::bench {

/// Measures calls that a library makes on one stream.
class GpuPeerClock {
 public:
  /// `calls`: of a run, in a row.
  GpuPeerClock(unsigned runs, unsigned calls, cudaStream_t stream)
      : runs_(runs), calls_(calls), stream_(stream) {
    require(cudaEventCreate(&begin_), "cudaEventCreate");
    require(cudaEventCreate(&end_), "cudaEventCreate");
  }
  GpuPeerClock(const GpuPeerClock&) = delete;
  GpuPeerClock& operator=(const GpuPeerClock&) = delete;
  ~GpuPeerClock() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }

  /// Events around calls in a row.
  template <class Body>
  Timing back_to_back(const Body& body) const {
    return between_events(calls_, [&] {
      for (unsigned i = 0; i < calls_; ++i) body();
    });
  }
  /// The host's clock around a call and a wait for the device.
  template <class Body>
  Timing one_call(const Body& body) const {
    return one_call(body, runs_);
  }
  template <class Body>
  Timing one_call(const Body& body, unsigned runs) const {
    std::vector<double> samples;
    for (unsigned run = 0; run < runs + kWarmUp; ++run) {
      require(cudaDeviceSynchronize(), "waiting");
      const auto begin = std::chrono::steady_clock::now();
      body();
      require(cudaDeviceSynchronize(), "a timed call");
      const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begin;
      if (run >= kWarmUp) samples.push_back(elapsed.count());
    }
    return timing_of(std::move(samples), 1);
  }
  /// A graph of calls in a row; no runs if the library does something that cannot be recorded.
  template <class Body>
  Timing in_a_graph(const Body& body) const {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    bool recorded = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal) == cudaSuccess;
    try {
      for (unsigned i = 0; recorded && i < calls_; ++i) body();
    } catch (const std::exception&) {
      recorded = false;
    }
    recorded = cudaStreamEndCapture(stream_, &graph) == cudaSuccess && recorded && graph != nullptr;
    (void)cudaGetLastError();
    recorded = recorded && cudaGraphInstantiate(&ready, graph, 0) == cudaSuccess;
    (void)cudaGetLastError();
    Timing timing;
    if (recorded)
      timing = between_events(calls_, [&] { require(cudaGraphLaunch(ready, stream_), "cudaGraphLaunch"); });
    if (ready != nullptr) cudaGraphExecDestroy(ready);
    if (graph != nullptr) cudaGraphDestroy(graph);
    return timing;
  }

 private:
  template <class Run>
  Timing between_events(unsigned calls, const Run& run_calls) const {
    std::vector<double> samples;
    for (unsigned run = 0; run < runs_ + kWarmUp; ++run) {
      require(cudaEventRecord(begin_, stream_), "cudaEventRecord");
      run_calls();
      require(cudaEventRecord(end_, stream_), "cudaEventRecord");
      require(cudaEventSynchronize(end_), "a timed run");
      float ms = 0;
      require(cudaEventElapsedTime(&ms, begin_, end_), "cudaEventElapsedTime");
      if (run >= kWarmUp) samples.push_back(double{ms} * 1e6 / calls);
    }
    return timing_of(std::move(samples), calls);
  }

  static constexpr unsigned kWarmUp = 4;

  unsigned runs_, calls_;
  cudaStream_t stream_;
  cudaEvent_t begin_{}, end_{};
};

}  // namespace nttforge::bench
