// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "nttforge/cuda/error.hpp"
#include "nttforge/cuda/runtime/runtime_calls.cuh"
#include "nttforge/cuda/table/launch_card.cuh"

namespace nttforge::cuda {

static_assert(cudaErrorMemoryAllocation == 2 && cudaErrorCudartUnloading == 4 &&
              cudaErrorInsufficientDriver == 35 && cudaErrorNoDevice == 100 &&
              cudaErrorInvalidDevice == 101 && cudaErrorNoKernelImageForDevice == 209 &&
              cudaErrorInvalidResourceHandle == 400 && cudaErrorIllegalAddress == 700 &&
              cudaErrorLaunchOutOfResources == 701 && cudaErrorLaunchFailure == 719 &&
              cudaErrorStreamCaptureUnsupported == 900 && cudaErrorStreamCaptureWrongThread == 908);

void require(int code, const std::string& doing, int device) {
  if (code == cudaSuccess) return;
  const auto error = static_cast<cudaError_t>(code);
  if (cudaPeekAtLastError() == error) (void)cudaGetLastError();  // ours: not to be found by the next caller
  int driver = 0, runtime = 0;
  (void)cudaDriverGetVersion(&driver);
  (void)cudaRuntimeGetVersion(&runtime);
  throw_failure({code, cudaGetErrorName(error), doing, device, driver, runtime, architectures_of_build()});
}

std::size_t attribute(cudaDeviceAttr name, int device) {
  int value = 0;
  require(cudaDeviceGetAttribute(&value, name, device), "asking for the properties of the device", device);
  return static_cast<std::size_t>(std::max(value, 0));
}

namespace {

template <class Function>
Function driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  require(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result),
          std::string("looking for ") + name + " in the driver");
  return reinterpret_cast<Function>(found);
}

/// Asks for the identity of the current context; an error code if there is none or it was destroyed.
int ask_context_id(std::uint64_t& id) {
  static const auto function = driver_function<CUresult (*)(CUcontext, unsigned long long*)>("cuCtxGetId");
  unsigned long long found = 0;
  const CUresult code = function(nullptr, &found);
  id = found;
  return static_cast<int>(code);  // driver and runtime number these errors alike
}

constexpr int kKnownDevices = 64;
/// Contexts that were current after the device was chosen; 0: none yet. A newer one replaces the one of
/// before a reset.
std::atomic<std::uint64_t> known_contexts[kKnownDevices];

thread_local const CudaEntry* innermost = nullptr;
/// Whether a device was chosen in this thread, which leaves it with a context.
thread_local bool had_context = false;

void choose_device(int device, CudaEntry& entry) {
  const bool kept = device >= 0 && device < kKnownDevices;
  const std::uint64_t known = kept ? known_contexts[device].load(std::memory_order_relaxed) : 0;
  // A thread without a context is not asked: the driver's error would be one for compute-sanitizer.
  std::uint64_t id = 0;
  if (known != 0 && had_context && ask_context_id(id) == cudaSuccess && id == known) {
    entry.context = id;
    return;
  }
  int before = 0;
  require(cudaGetDevice(&before), "asking for the current device");
  // A device that is current already is set again: this makes a context after a reset or in a new thread.
  require(cudaSetDevice(device), "choosing the device", device);
  if (before != device) entry.before = before;
  had_context = true;
  if (const int code = ask_context_id(entry.context); code != cudaSuccess) {
    leave_device(entry);
    require(code, "asking for the context of the device", device);
  }
  if (kept) known_contexts[device].store(entry.context, std::memory_order_relaxed);
}

}  // namespace

void enter_device(int device, CudaEntry& entry) {
  entry.device = device;
  entry.outer = innermost;
  if (innermost != nullptr && innermost->device == device) {
    entry.context = innermost->context;
  } else {
    choose_device(device, entry);
  }
  innermost = &entry;
}

void leave_device(const CudaEntry& entry) noexcept {
  innermost = entry.outer;
  if (entry.before >= 0) (void)cudaSetDevice(entry.before);
}

bool is_device_memory(int device, const void* first, std::size_t bytes) {
  using Ask = CUresult (*)(unsigned, CUpointer_attribute*, void**, CUdeviceptr);
  static const auto ask = driver_function<Ask>("cuPointerGetAttributes");
  unsigned type = 0, managed = 0;
  int owner = -1;
  CUdeviceptr begin = 0;
  std::size_t size = 0;
  CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                 CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  void* values[] = {&type, &managed, &owner, &begin, &size};
  const auto address = reinterpret_cast<CUdeviceptr>(first);
  if (ask(5, names, values, address) != CUDA_SUCCESS) return false;
  if (type != CU_MEMORYTYPE_DEVICE || managed != 0 || owner != device) return false;
  return begin <= address && bytes <= size && address - begin <= size - bytes;
}

const LaunchCard* card_of_launch(cudaError_t& error) {
  std::uint64_t id = innermost != nullptr ? innermost->context : 0;
  if (id == 0 && (ask_context_id(id) != cudaSuccess || id == 0)) {
    // This thread has no context yet.
    int device = 0;
    error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaSetDevice(device);
    if (error == cudaSuccess) error = static_cast<cudaError_t>(ask_context_id(id));
    if (error != cudaSuccess) return nullptr;
  }
  thread_local const LaunchCard* latest = nullptr;
  if (latest != nullptr && latest->context == id) return latest;
  // Never destroyed: kernels may be launched while the process ends.
  static auto* const mutex = new std::mutex;
  static auto* const cards = new std::map<std::uint64_t, LaunchCard>;
  LaunchCard card{.context = id};
  error = cudaGetDevice(&card.device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&card.major, cudaDevAttrComputeCapabilityMajor, card.device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&card.multiprocessors, cudaDevAttrMultiProcessorCount, card.device);
  if (error != cudaSuccess) return nullptr;
  const std::lock_guard lock(*mutex);
  return latest = &cards->try_emplace(id, card).first->second;
}

}  // namespace nttforge::cuda
