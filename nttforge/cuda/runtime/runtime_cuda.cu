// SPDX-License-Identifier: Apache-2.0
// The machine's GPUs, through the CUDA runtime (linked statically: it looks for the driver when it is first
// used).

#include <cuda_runtime.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "nttforge/base/text/file.hpp"
#include "nttforge/base/text/words.hpp"
#include "nttforge/cuda/error.hpp"
#include "nttforge/cuda/runtime/launch_set.cuh"
#include "nttforge/cuda/runtime/runtime.hpp"
#include "nttforge/cuda/runtime/runtime_calls.cuh"
#include "nttforge/cuda/runtime/runtime_pools.cuh"
#include "nttforge/cuda/runtime/runtime_timing.cuh"

namespace nttforge::cuda {
namespace {

/// The default stream under its three names, which every device has.
bool is_default(CudaStream stream) {
  return as_stream(stream) == nullptr || as_stream(stream) == cudaStreamLegacy ||
         as_stream(stream) == cudaStreamPerThread;
}

std::string driver_text() {
  const std::string content = read_file_if_any("/proc/driver/nvidia/version", 1 << 16);
  std::string_view words = content;
  std::string version;
  for (std::string_view word = take_word(words); version.empty() && !word.empty(); word = take_word(words)) {
    if (word.find_first_not_of("0123456789.") == word.npos && word.find('.') != word.npos) version = word;
  }
  int cuda = 0;
  (void)cudaDriverGetVersion(&cuda);
  return version + (version.empty() ? "" : " ") + "(CUDA " + version_text(cuda) + ")";
}

class MachineRuntime final : public CudaRuntime {
 public:
  int device_count() override {
    static std::atomic<int> known{0};  // a process never sees more, or fewer
    int count = known.load(std::memory_order_relaxed);
    if (count > 0) return count;
    require(cudaGetDeviceCount(&count), "counting GPUs");
    known.store(count, std::memory_order_relaxed);
    return count;
  }

  CudaDevice describe(int device) override {
    require_device(device);
    const std::lock_guard lock(cards_mutex_);
    const auto known = cards_.find(device);
    return known != cards_.end() ? known->second : cards_.emplace(device, ask(device)).first->second;
  }

  /// A millisecond of the driver's.
  static CudaDevice ask(int device) {
    cudaDeviceProp properties{};
    require(cudaGetDeviceProperties(&properties, device), "asking for the properties of the device", device);
    CudaDevice found;
    found.ordinal = device;
    found.name = properties.name;
    found.compute_capability = static_cast<unsigned>(properties.major * 10 + properties.minor);
    found.multiprocessors = static_cast<unsigned>(properties.multiProcessorCount);
    found.clock_khz = static_cast<unsigned>(attribute(cudaDevAttrClockRate, device));
    found.max_threads_per_block = static_cast<unsigned>(properties.maxThreadsPerBlock);
    found.max_cluster =
        attribute(cudaDevAttrClusterLaunch, device) != 0 ? max_cluster_of(found.compute_capability) : 1;
    found.shared_bytes_per_block = properties.sharedMemPerBlockOptin;
    found.shared_bytes_per_multiprocessor = properties.sharedMemPerMultiprocessor;
    found.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
    found.total_bytes = properties.totalGlobalMem;
    found.memory_bytes_per_s = 2e3 * static_cast<double>(attribute(cudaDevAttrMemoryClockRate, device)) *
                               static_cast<double>(attribute(cudaDevAttrGlobalMemoryBusWidth, device)) / 8;
    found.driver = driver_text();
    return found;
  }

  std::uint64_t context_id(int device) override {
    require_device(device);
    return CurrentDevice(device).context_id();
  }

  void enter(int device, CudaEntry& entry) override {
    require_device(device);
    enter_device(device, entry);
  }
  void leave(const CudaEntry& entry) noexcept override { leave_device(entry); }

  CudaMemory memory(int device) override {
    require_device(device);
    const CurrentDevice current(device);
    CudaMemory found;
    require(cudaMemGetInfo(&found.free_bytes, &found.total_bytes), "asking for free memory", device);
    found.pooled_bytes = pools_.reserved_bytes(device, current.context_id());
    return found;
  }

  std::size_t pooled_bytes(int device) override {
    const CurrentDevice current(device);
    return pools_.reserved_bytes(device, current.context_id());
  }

  void* allocate(int device, std::size_t bytes, CudaStream stream, std::size_t keep_bytes) override {
    const CurrentDevice current(device);
    return pools_.allocate(device, current.context_id(), bytes, stream, keep_bytes);
  }

  void release(int device, void* memory, CudaStream stream, bool everywhere) noexcept override {
    try {
      const CurrentDevice current(device);
      flush(device);
      release_memory(memory, stream, everywhere);
    } catch (...) {  // the process is ending, or the device is broken: nothing is left to be given back
      (void)cudaGetLastError();
    }
  }

  void trim(int device, std::size_t keep_bytes) override {
    const CurrentDevice current(device);
    pools_.trim(device, current.context_id(), keep_bytes);
  }

  CudaPlace locate(const void* pointer) override {
    cudaPointerAttributes found{};
    require(cudaPointerGetAttributes(&found, pointer), "looking at a pointer");
    switch (found.type) {
      case cudaMemoryTypeDevice:
        return {CudaPlace::Kind::device, found.device};
      case cudaMemoryTypeManaged:
        return {CudaPlace::Kind::managed, found.device};
      default:
        return {CudaPlace::Kind::host, 0};
    }
  }

  bool is_on(int device, const void* first, std::size_t bytes) override {
    const CurrentDevice current(device);
    return is_device_memory(device, first, bytes);
  }

  CudaStreamFacts look_at(int device, CudaStream stream) override {
    const CurrentDevice current(device);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaError_t code = cudaStreamIsCapturing(as_stream(stream), &status);
    if (code == cudaErrorStreamCaptureImplicit) {
      (void)cudaGetLastError();
      return {device, true};
    }
    require(code, "looking at the stream", device);
    // One that is being captured may not be asked.
    if (status != cudaStreamCaptureStatusNone) return {device, true};
    CudaStreamFacts found{device, false};
    if (!is_default(stream))
      require(cudaStreamGetDevice(as_stream(stream), &found.device), "looking at the stream", device);
    return found;
  }

  int device_of(CudaStream stream, int device) override {
    // Launches into a stream of another device are taken, and run there.
    return is_default(stream) || device_count() == 1 ? device : look_at(device, stream).device;
  }

  void copy(int device, void* to, const void* from, std::size_t bytes, CudaStream stream) override {
    const CurrentDevice current(device);
    flush(device);
    require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, as_stream(stream)),
            "copying " + std::to_string(bytes) + " bytes", device);
  }

  void copy_between(int device, void* to, int owner, const void* from, std::size_t bytes,
                    CudaStream stream) override {
    const CurrentDevice current(device);
    flush(device);
    pools_.open_to(owner, device);
    pools_.open_to(device, owner);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    (void)cudaStreamIsCapturing(as_stream(stream), &status);
    // A graph has copies by address, which name the cards that they are between.
    const int code = status == cudaStreamCaptureStatusActive
                         ? cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, as_stream(stream))
                         : cudaMemcpyPeerAsync(to, device, from, owner, bytes, as_stream(stream));
    require(code, "copying " + std::to_string(bytes) + " bytes from " + device_name(owner), device);
  }

  void synchronize(int device, CudaStream stream) override {
    const CurrentDevice current(device);
    flush(device);
    require(cudaStreamSynchronize(as_stream(stream)), "waiting for the stream", device);
  }

  void* allocate_host(int device, std::size_t bytes) override {
    require_device(device);
    const CurrentDevice current(device);
    const DuringCaptures allowed;
    void* memory = nullptr;
    require(cudaHostAlloc(&memory, bytes, cudaHostAllocMapped),
            "allocating " + std::to_string(bytes) + " bytes of page-locked memory", device);
    return memory;
  }

  void release_host(int device, void* memory) noexcept override {
    try {
      const CurrentDevice current(device);
      const DuringCaptures allowed;
      (void)cudaFreeHost(memory);
    } catch (...) {  // as in release()
      (void)cudaGetLastError();
    }
  }

  CudaMark make_mark(int device) override {
    const CurrentDevice current(device);
    cudaEvent_t event = nullptr;
    require(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event", device);
    return event;
  }

  void place_mark(int device, CudaMark mark, CudaStream stream) override {
    const CurrentDevice current(device);
    flush(device);
    require(cudaEventRecord(static_cast<cudaEvent_t>(mark), as_stream(stream)), "recording an event", device);
  }

  void wait_for_mark(int device, CudaMark mark) override {
    const CurrentDevice current(device);
    const DuringCaptures allowed;
    require(cudaEventSynchronize(static_cast<cudaEvent_t>(mark)), "waiting for an event", device);
  }

  bool has_passed(int device, CudaMark mark) override {
    const CurrentDevice current(device);
    const DuringCaptures allowed;
    const cudaError_t code = cudaEventQuery(static_cast<cudaEvent_t>(mark));
    if (code == cudaErrorNotReady) {
      (void)cudaGetLastError();
      return false;
    }
    require(code, "asking for an event", device);
    return true;
  }

  void destroy_mark(int device, CudaMark mark) noexcept override {
    try {
      const CurrentDevice current(device);
      (void)cudaEventDestroy(static_cast<cudaEvent_t>(mark));
    } catch (...) {
    }
  }

  void wait_in_stream(int device, CudaMark mark, CudaStream stream) override {
    const CurrentDevice current(device);
    flush(device);
    require(cudaStreamWaitEvent(as_stream(stream), static_cast<cudaEvent_t>(mark), 0),
            "making a stream wait for an event", device);
  }

  void order(int device, CudaStream earlier, CudaStream later) override {
    if (earlier == later) return;
    const CurrentDevice current(device);
    flush(device);
    // A graph cannot wait for what was enqueued outside its capture: whoever runs it has to.
    cudaStreamCaptureStatus before = cudaStreamCaptureStatusNone, after = cudaStreamCaptureStatusNone;
    const bool known = cudaStreamIsCapturing(as_stream(earlier), &before) == cudaSuccess &&
                       cudaStreamIsCapturing(as_stream(later), &after) == cudaSuccess;
    if (!known) (void)cudaGetLastError();
    if (!known || (before == cudaStreamCaptureStatusNone && after != cudaStreamCaptureStatusNone)) return;
    cudaEvent_t event = nullptr;
    require(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event", device);
    int code = cudaEventRecord(event, as_stream(earlier));
    if (code == cudaSuccess) code = cudaStreamWaitEvent(as_stream(later), event, 0);
    (void)cudaEventDestroy(event);
    require(code, "making one stream wait for another", device);
  }

  CudaStream make_stream(int device) override {
    require_device(device);
    const CurrentDevice current(device);
    cudaStream_t stream = nullptr;
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream", device);
    return stream;
  }

  void destroy_stream(int device, CudaStream stream) noexcept override {
    try {
      const CurrentDevice current(device);
      (void)cudaStreamDestroy(as_stream(stream));
    } catch (...) {
    }
  }

  void begin_capture(int device, CudaStream stream) override {
    const CurrentDevice current(device);
    flush(device);
    // Relaxed: memory may be allocated meanwhile, which is not part of the graph.
    require(cudaStreamBeginCapture(as_stream(stream), cudaStreamCaptureModeRelaxed), "beginning a graph",
            device);
  }

  CudaGraph end_capture(int device, CudaStream stream, bool keep) override {
    const CurrentDevice current(device);
    cudaGraph_t graph = nullptr;
    const cudaError_t code = cudaStreamEndCapture(as_stream(stream), &graph);
    cudaGraphExec_t program = nullptr;
    cudaError_t made = cudaSuccess;
    if (code == cudaSuccess && keep) made = cudaGraphInstantiate(&program, graph, 0);
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
    if (!keep) {
      (void)cudaGetLastError();
      return nullptr;
    }
    require(code, "ending a graph", device);
    require(made, "making a graph", device);
    return program;
  }

  void run_graph(int device, CudaGraph graph, CudaStream stream) override {
    const CurrentDevice current(device);
    flush(device);
    require(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), as_stream(stream)), "running a graph",
            device);
  }

  void destroy_graph(int device, CudaGraph graph) noexcept override {
    try {
      const CurrentDevice current(device);
      (void)cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph));
    } catch (...) {  // the device was reset: the graph went with it
    }
  }

  void launch(int device, const char* what, const std::function<int()>& launch) override {
    const CurrentDevice current(device);
    require(launch(), what, device);
    if (after_launch) after_launch(what);
  }

  bool collect_launches() override { return LaunchSet::collect(); }
  void start_collected(int device) override {
    LaunchSet& set = LaunchSet::collected();
    const CurrentDevice current(device);
    const DuringCaptures allowed;
    require(programs_.start(set, current.context_id()), "starting an operation", device);
  }
  void drop_collected() noexcept override { LaunchSet::collected().clear(); }

  double time_ns(int device, unsigned calls, unsigned rounds,
                 const std::function<void(CudaStream)>& body) override {
    const CurrentDevice current(device);
    return graph_time_ns(device, calls, rounds, body);
  }

 private:
  void require_device(int device) {
    const int count = device_count();
    if (device < 0 || device >= count) require(cudaErrorInvalidDevice, "looking for the device", device);
  }

  /// What was collected comes before what this thread does with a stream.
  static void flush(int device) { require(LaunchSet::flush(), "starting what was collected", device); }

  DevicePools pools_;
  LaunchPrograms programs_;
  std::mutex cards_mutex_;
  std::map<int, CudaDevice> cards_;
};

}  // namespace

bool in_this_build() { return true; }
std::string_view architectures_of_build() { return NTTFORGE_CUDA_ARCHITECTURES; }

CudaRuntime& machine_runtime() {
  static MachineRuntime* const runtime = new MachineRuntime;  // outlives every array
  return *runtime;
}

}  // namespace nttforge::cuda
