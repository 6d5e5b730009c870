// SPDX-License-Identifier: Apache-2.0
// The time of enqueued work, in a graph of repeated calls.

#include <algorithm>

#include "nttforge/cuda/runtime/runtime_calls.cuh"
#include "nttforge/cuda/runtime/runtime_timing.cuh"

namespace nttforge::cuda {
namespace {

/// What a measurement makes, destroyed with it.
struct Measurement {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t program = nullptr;
  cudaEvent_t start = nullptr, stop = nullptr;
  ~Measurement() {
    if (program != nullptr) (void)cudaGraphExecDestroy(program);
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
    if (start != nullptr) (void)cudaEventDestroy(start);
    if (stop != nullptr) (void)cudaEventDestroy(stop);
    if (stream != nullptr) (void)cudaStreamDestroy(stream);
  }
};

}  // namespace

double graph_time_ns(int device, unsigned calls, unsigned rounds,
                     const std::function<void(CudaStream)>& body) {
  Measurement m;
  // The new stream does not wait for the default one, where arrays may still be on their way.
  require(cudaStreamSynchronize(nullptr), "waiting for the default stream", device);
  require(cudaStreamCreateWithFlags(&m.stream, cudaStreamNonBlocking), "making a stream", device);
  require(cudaStreamBeginCapture(m.stream, cudaStreamCaptureModeThreadLocal), "beginning a capture", device);
  try {
    for (unsigned call = 0; call < calls; ++call) body(m.stream);
  } catch (...) {
    (void)cudaStreamEndCapture(m.stream, &m.graph);
    (void)cudaGetLastError();
    throw;
  }
  require(cudaStreamEndCapture(m.stream, &m.graph), "ending a capture", device);
  require(cudaGraphInstantiate(&m.program, m.graph, 0), "making a graph", device);
  require(cudaEventCreate(&m.start), "making an event", device);
  require(cudaEventCreate(&m.stop), "making an event", device);
  require(cudaGraphLaunch(m.program, m.stream), "running a graph", device);  // warm-up
  float least = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    require(cudaEventRecord(m.start, m.stream), "recording an event", device);
    require(cudaGraphLaunch(m.program, m.stream), "running a graph", device);
    require(cudaEventRecord(m.stop, m.stream), "recording an event", device);
    require(cudaEventSynchronize(m.stop), "waiting for an event", device);
    float ms = 0;
    require(cudaEventElapsedTime(&ms, m.start, m.stop), "reading a time", device);
    least = round == 0 ? ms : std::min(least, ms);
  }
  return static_cast<double>(least) * 1e6 / calls;
}

}  // namespace nttforge::cuda
