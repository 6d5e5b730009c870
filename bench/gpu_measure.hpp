// SPDX-License-Identifier: Apache-2.0
#pragma once

// How every GPU benchmark, ours and the adapters of other libraries, measures: calls are recorded in a CUDA
// graph, the graph runs many times between two events, the median run divided by the calls is the figure.
// Warm: always the same buffer. Cold: eight buffers in turns. Only for files that nvcc compiles.

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "bench/measure.hpp"
#include "nttforge/base/error.hpp"

namespace nttforge::bench {

inline void require(cudaError_t code, const char* what) {
  if (code != cudaSuccess) throw Error(std::string(what) + ": " + cudaGetErrorString(code));
}

/// Memory on the current device.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(std::size_t size) : size_(size) {
    require(cudaMalloc(&data_, size * sizeof(T)), "cudaMalloc");
  }
  explicit OnDevice(const std::vector<T>& host) : OnDevice(host.size()) { set(host); }
  OnDevice(OnDevice&& other) noexcept : data_(other.data_), size_(other.size_) { other.data_ = nullptr; }
  OnDevice& operator=(OnDevice&&) = delete;
  ~OnDevice() { cudaFree(data_); }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  void set(const T* host, std::size_t count, std::size_t at = 0) const {
    require(cudaMemcpy(data_ + at, host, count * sizeof(T), cudaMemcpyHostToDevice), "copy to the device");
    require(cudaStreamSynchronize(nullptr),
            "copy to the device");  // it may return before: other streams run on
  }
  void set(const std::vector<T>& host) const { set(host.data(), host.size()); }
  std::vector<T> get(std::size_t count) const {
    std::vector<T> host(count);
    require(cudaMemcpy(host.data(), data_, count * sizeof(T), cudaMemcpyDeviceToHost),
            "copy from the device");
    return host;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

inline constexpr unsigned kRotatedBuffers = 8;

/// Times what is enqueued on one stream.
class GpuClock {
 public:
  static constexpr unsigned kCalls = 20;                       ///< in the graph, warm
  static constexpr unsigned kColdCalls = 3 * kRotatedBuffers;  ///< and cold

  /// `stream`: the one that the calls go to, nullptr for one of its own.
  explicit GpuClock(unsigned runs, cudaStream_t stream = nullptr) : runs_(runs), stream_(stream) {
    if (stream == nullptr) {
      require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
      owned_ = true;
    }
    require(cudaEventCreate(&begin_), "cudaEventCreate");
    require(cudaEventCreate(&end_), "cudaEventCreate");
  }
  GpuClock(const GpuClock&) = delete;
  GpuClock& operator=(const GpuClock&) = delete;
  ~GpuClock() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
    if (owned_) cudaStreamDestroy(stream_);
  }
  cudaStream_t stream() const { return stream_; }

  /// Time of body(i), i < calls: it enqueues one call.
  template <class Body>
  Timing time(unsigned calls, const Body& body) {
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    body(0);  // what happens at the first call only
    require(cudaStreamSynchronize(stream_), "the first call");
    require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capture");
    for (unsigned i = 0; i < calls; ++i) body(i);
    require(cudaStreamEndCapture(stream_, &graph), "capture");
    require(cudaGraphInstantiate(&ready, graph, 0), "cudaGraphInstantiate");
    std::vector<double> samples;
    for (unsigned run = 0; run < runs_ + 3; ++run) {
      cudaEventRecord(begin_, stream_);
      cudaGraphLaunch(ready, stream_);
      cudaEventRecord(end_, stream_);
      require(cudaEventSynchronize(end_), "a timed run");
      float ms = 0;
      require(cudaEventElapsedTime(&ms, begin_, end_), "cudaEventElapsedTime");
      if (run >= 3) samples.push_back(double{ms} * 1e6 / calls);  // the first ones warm up
    }
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    return timing_of(std::move(samples), calls);
  }
  /// Warm and cold of body(buffer), which works on one of kRotatedBuffers buffers.
  template <class Body>
  void time_both(const Body& body, Timing& warm, Timing& cold) {
    warm = time(kCalls, [&](unsigned) { body(0u); });
    cold = time(kColdCalls, [&](unsigned i) { body(i % kRotatedBuffers); });
  }

 private:
  unsigned runs_;
  cudaStream_t stream_;
  bool owned_ = false;
  cudaEvent_t begin_{}, end_{};
};

/// One size of the grid.
struct GpuCell {
  unsigned log_n, limbs, bits;
};

/// n = 2^12 ... 2^17, 1, 21 and 45 limbs of 30 and of 60 bits; and log2 Q = 1260 in words of other sizes.
inline std::vector<GpuCell> gpu_grid(unsigned min_log_n, unsigned max_log_n) {
  std::vector<GpuCell> cells;
  for (const unsigned bits : {60u, 30u}) {
    for (unsigned log_n = min_log_n; log_n <= max_log_n; ++log_n) {
      for (const unsigned limbs : {1u, 21u, 45u}) cells.push_back({log_n, limbs, bits});
    }
  }
  if (max_log_n >= 17 && min_log_n <= 17) {
    cells.push_back({17, 42, 30});
    cells.push_back({17, 26, 49});
  }
  return cells;
}

inline Json gpu_row(const char* kind, const GpuCell& cell, const char* direction) {
  Json row = Json::object();
  row.set("kind", kind);
  row.set("bits", cell.bits);
  row.set("n", std::size_t{1} << cell.log_n);
  row.set("limbs", cell.limbs);
  row.set("direction", direction);
  return row;
}

/// Adds the row with its warm figures and, as cold_*, its cold ones.
inline void add_gpu_row(Report& report, Json row, const Timing& warm, const Timing& cold) {
  row.set("cold_median_ns", cold.median_ns);
  row.set("cold_min_ns", cold.min_ns);
  report.add(std::move(row), warm);
}

/// What the figures belong to.
inline void describe_gpu(Report& report) {
  cudaDeviceProp card{};
  int device = 0, driver = 0, runtime = 0, clock_khz = 0;
  require(cudaGetDevice(&device), "cudaGetDevice");
  require(cudaGetDeviceProperties(&card, device), "cudaGetDeviceProperties");
  require(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  require(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  require(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device), "clock rate");
  Json gpu = Json::object();
  gpu.set("name", std::string(card.name));
  gpu.set("multiprocessors", static_cast<std::int64_t>(card.multiProcessorCount));
  gpu.set("clock_mhz", clock_khz / 1000.0);
  gpu.set("l2_bytes", static_cast<std::int64_t>(card.l2CacheSize));
  gpu.set("memory_bytes", static_cast<std::uint64_t>(card.totalGlobalMem));
  gpu.set("compute_capability", static_cast<std::int64_t>(card.major * 10 + card.minor));
  gpu.set("cuda_of_driver", static_cast<std::int64_t>(driver));
  gpu.set("cuda_runtime", static_cast<std::int64_t>(runtime));
  report.note("gpu", gpu);
  report.note("nvcc", Json(std::to_string(__CUDACC_VER_MAJOR__) + "." + std::to_string(__CUDACC_VER_MINOR__) +
                           "." + std::to_string(__CUDACC_VER_BUILD__)));
}

/// body(i) for i < count, on all cores.
template <class Body>
void parallel_for(std::size_t count, const Body& body) {
  const std::size_t threads = std::min<std::size_t>(count, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> workers;
  for (std::size_t t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      for (std::size_t i = t; i < count; i += threads) body(i);
    });
  }
  for (std::thread& worker : workers) worker.join();
}

/// Options of every GPU program.
struct GpuOptions {
  unsigned min_log_n = 12, max_log_n = 17, runs = 50, bits = 0, limbs = 0;
  std::string json;

  std::vector<Option> options() {
    return {number_option("--min-log-n", "smallest transform", min_log_n, 1u, 24u),
            number_option("--max-log-n", "largest transform", max_log_n, 1u, 24u),
            number_option("--runs", "timed runs of each graph", runs, 3u, 10000u),
            number_option("--bits", "only primes of so many bits (0: all)", bits, 0u, 64u),
            number_option("--limbs", "only so many limbs (0: all)", limbs, 0u, 4096u),
            text_option("--json", "file for the results", json)};
  }
  bool keeps(const GpuCell& cell) const {
    return (bits == 0 || cell.bits == bits) && (limbs == 0 || cell.limbs == limbs);
  }
  std::vector<GpuCell> cells() const {
    std::vector<GpuCell> kept;
    for (const GpuCell& cell : gpu_grid(min_log_n, max_log_n)) {
      if (keeps(cell)) kept.push_back(cell);
    }
    return kept;
  }
};

}  // namespace nttforge::bench
