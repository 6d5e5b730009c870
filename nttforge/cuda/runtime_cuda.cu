// The machine's GPUs, through the CUDA runtime (linked statically: it looks for the driver when it is first
// used).

#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/cuda/error.hpp"
#include "nttforge/cuda/runtime.hpp"

namespace nttforge::cuda {
namespace {

static_assert(cudaErrorMemoryAllocation == 2 && cudaErrorCudartUnloading == 4 &&
              cudaErrorInsufficientDriver == 35 && cudaErrorNoDevice == 100 &&
              cudaErrorInvalidDevice == 101 && cudaErrorNoKernelImageForDevice == 209 &&
              cudaErrorInvalidResourceHandle == 400 && cudaErrorIllegalAddress == 700 &&
              cudaErrorLaunchOutOfResources == 701 && cudaErrorLaunchFailure == 719 &&
              cudaErrorStreamCaptureUnsupported == 900 && cudaErrorStreamCaptureWrongThread == 908);

void require(int code, const std::string& doing, int device = -1) {
  if (code == cudaSuccess) return;
  const auto error = static_cast<cudaError_t>(code);
  if (cudaPeekAtLastError() == error) (void)cudaGetLastError();  // ours: not to be found by the next caller
  int driver = 0, runtime = 0;
  (void)cudaDriverGetVersion(&driver);
  (void)cudaRuntimeGetVersion(&runtime);
  throw_failure({code, cudaGetErrorName(error), doing, device, driver, runtime, architectures_of_build()});
}

class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    require(cudaGetDevice(&before_), "asking for the current device");
    // Also if it is current already: that is what makes a context after a reset or in a new thread.
    require(cudaSetDevice(device), "choosing the device", device);
  }
  ~CurrentDevice() { (void)cudaSetDevice(before_); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int before_ = 0;
};

/// Calls that wait for the device are allowed in this thread although streams of others are being captured.
class DuringCaptures {
 public:
  DuringCaptures() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~DuringCaptures() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  DuringCaptures(const DuringCaptures&) = delete;
  DuringCaptures& operator=(const DuringCaptures&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

cudaStream_t as_stream(CudaStream stream) { return static_cast<cudaStream_t>(stream); }

/// The default stream under its three names, which every device has.
bool is_default(CudaStream stream) {
  return as_stream(stream) == nullptr || as_stream(stream) == cudaStreamLegacy ||
         as_stream(stream) == cudaStreamPerThread;
}

std::size_t attribute(cudaDeviceAttr name, int device) {
  int value = 0;
  require(cudaDeviceGetAttribute(&value, name, device), "asking for the properties of the device", device);
  return static_cast<std::size_t>(std::max(value, 0));
}

std::string driver_text() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word, version;
  while (version.empty() && file >> word) {
    if (word.find_first_not_of("0123456789.") == std::string::npos && word.find('.') != std::string::npos)
      version = word;
  }
  int cuda = 0;
  (void)cudaDriverGetVersion(&cuda);
  return version + (version.empty() ? "" : " ") + "(CUDA " + version_text(cuda) + ")";
}

using ContextId = CUresult (*)(CUcontext, unsigned long long*);

ContextId context_id_function() {
  static const ContextId function = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    require(cudaGetDriverEntryPointByVersion("cuCtxGetId", &found, 12000, cudaEnableDefault, &result),
            "looking for cuCtxGetId in the driver");
    return reinterpret_cast<ContextId>(found);
  }();
  return function;
}

class MachineRuntime final : public CudaRuntime {
 public:
  int device_count() override {
    int count = 0;
    require(cudaGetDeviceCount(&count), "counting GPUs");
    return count;
  }

  CudaDevice describe(int device) override {
    require_device(device);
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
    const CurrentDevice current(device);
    unsigned long long id = 0;
    const CUresult code = context_id_function()(nullptr, &id);
    // Driver and runtime number these errors alike.
    require(static_cast<int>(code), "asking for the context of the device", device);
    return id;
  }

  CudaMemory memory(int device) override {
    require_device(device);
    const CurrentDevice current(device);
    CudaMemory found;
    require(cudaMemGetInfo(&found.free_bytes, &found.total_bytes), "asking for free memory", device);
    const std::lock_guard lock(mutex_);
    if (const auto pool = pools_.find(device);
        pool != pools_.end() && pool->second.context == context_id(device)) {
      cuuint64_t reserved = 0;
      require(cudaMemPoolGetAttribute(pool->second.handle, cudaMemPoolAttrReservedMemCurrent, &reserved),
              "asking for the memory of the pool", device);
      found.pooled_bytes = reserved;
    }
    return found;
  }

  void* allocate(int device, std::size_t bytes, CudaStream stream, std::size_t keep_bytes) override {
    const CurrentDevice current(device);
    const cudaMemPool_t pool = pool_of(device, keep_bytes);
    release_deferred();
    void* memory = nullptr;
    require(cudaMallocFromPoolAsync(&memory, bytes, pool, as_stream(stream)),
            "allocating " + std::to_string(bytes) + " bytes", device);
    return memory;
  }

  void release(int device, void* memory, CudaStream stream, bool everywhere) noexcept override {
    try {
      const CurrentDevice current(device);
      release_deferred();
      if (everywhere) {
        const DuringCaptures relaxed;
        (void)cudaFree(memory);
        (void)cudaGetLastError();
        return;
      }
      // Work in the default stream would end a capture of a stream that waits for it, so it is put off.
      if (!release_now(memory, stream)) {
        const std::lock_guard lock(mutex_);
        deferred_.push_back({device, memory, stream});
      }
    } catch (...) {  // the process is ending, or the device is broken: nothing is left to be given back
      (void)cudaGetLastError();
    }
  }

  void trim(int device, std::size_t keep_bytes) override {
    const CurrentDevice current(device);
    const cudaMemPool_t pool = pool_of(device, keep_bytes);
    {
      const DuringCaptures relaxed;  // what was released in a stream is free once the stream got there
      require(cudaDeviceSynchronize(), "waiting for the device", device);
    }
    require(cudaMemPoolTrimTo(pool, keep_bytes), "trimming the memory pool", device);
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

  int device_of(CudaStream stream, int of_default_stream) override {
    // A stream that is being captured may not be asked; a launch into one of another device fails by itself.
    if (is_default(stream) || is_capturing(of_default_stream, stream)) return of_default_stream;
    int device = 0;
    require(cudaStreamGetDevice(as_stream(stream), &device), "looking at the stream", of_default_stream);
    return device;
  }

  bool is_capturing(int device, CudaStream stream) override {
    const CurrentDevice current(device);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaError_t code = cudaStreamIsCapturing(as_stream(stream), &status);
    if (code == cudaErrorStreamCaptureImplicit) {
      (void)cudaGetLastError();
      return true;
    }
    require(code, "looking at the stream", device);
    return status != cudaStreamCaptureStatusNone;
  }

  void copy(int device, void* to, const void* from, std::size_t bytes, CudaStream stream) override {
    const CurrentDevice current(device);
    require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, as_stream(stream)),
            "copying " + std::to_string(bytes) + " bytes", device);
  }

  void synchronize(int device, CudaStream stream) override {
    const CurrentDevice current(device);
    require(cudaStreamSynchronize(as_stream(stream)), "waiting for the stream", device);
  }

  void order(int device, CudaStream earlier, CudaStream later) override {
    if (earlier == later) return;
    const CurrentDevice current(device);
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

  void launch(int device, const char* what, const std::function<int()>& launch) override {
    const CurrentDevice current(device);
    require(launch(), what, device);
  }

  double time_ns(int device, unsigned calls, unsigned rounds,
                 const std::function<void(CudaStream)>& body) override;

 private:
  struct Pool {
    cudaMemPool_t handle;
    std::uint64_t context;
  };
  struct Deferred {
    int device;
    void* memory;
    CudaStream stream;
  };

  void require_device(int device) {
    const int count = device_count();
    if (device < 0 || device >= count) require(cudaErrorInvalidDevice, "looking for the device", device);
  }

  cudaMemPool_t pool_of(int device, std::size_t keep_bytes) {
    const std::uint64_t context = context_id(device);
    const std::lock_guard lock(mutex_);
    Pool& pool = pools_[device];
    if (pool.handle == nullptr || pool.context != context) {
      if (attribute(cudaDevAttrMemoryPoolsSupported, device) == 0) {
        throw UnsupportedError("GPU " + std::to_string(device) +
                               " has no stream-ordered memory: nttforge needs it");
      }
      cudaMemPoolProps properties{};
      properties.allocType = cudaMemAllocationTypePinned;
      properties.location.type = cudaMemLocationTypeDevice;
      properties.location.id = device;
      cudaMemPool_t handle = nullptr;
      require(cudaMemPoolCreate(&handle, &properties), "making the memory pool", device);
      pool = {handle, context};
    }
    cuuint64_t keep = keep_bytes;
    require(cudaMemPoolSetAttribute(pool.handle, cudaMemPoolAttrReleaseThreshold, &keep),
            "setting up the memory pool", device);
    return pool.handle;
  }

  static bool release_now(void* memory, CudaStream stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(as_stream(stream), &status) != cudaSuccess ||
        status != cudaStreamCaptureStatusNone) {
      (void)cudaGetLastError();
      return false;
    }
    if (cudaFreeAsync(memory, as_stream(stream)) != cudaSuccess) (void)cudaGetLastError();
    return true;
  }

  void release_deferred() {
    std::vector<Deferred> waiting;
    {
      const std::lock_guard lock(mutex_);
      waiting.swap(deferred_);
    }
    std::vector<Deferred> still;
    for (const Deferred& d : waiting) {
      const CurrentDevice current(d.device);
      if (!release_now(d.memory, d.stream)) still.push_back(d);
    }
    if (!still.empty()) {
      const std::lock_guard lock(mutex_);
      deferred_.insert(deferred_.end(), still.begin(), still.end());
    }
  }

  std::mutex mutex_;
  std::map<int, Pool> pools_;
  std::vector<Deferred> deferred_;
};

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

double MachineRuntime::time_ns(int device, unsigned calls, unsigned rounds,
                               const std::function<void(CudaStream)>& body) {
  const CurrentDevice current(device);
  Measurement m;
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

}  // namespace

bool in_this_build() { return true; }
std::string_view architectures_of_build() { return NTTFORGE_CUDA_ARCHITECTURES; }

CudaRuntime& machine_runtime() {
  static MachineRuntime* const runtime = new MachineRuntime;  // outlives every array
  return *runtime;
}

}  // namespace nttforge::cuda
