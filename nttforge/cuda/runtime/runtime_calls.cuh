// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "nttforge/cuda/runtime/runtime.hpp"

// How the implementation over CUDA (runtime_cuda.cu and its parts) calls it. Only for files of the CUDA
// compiler.

namespace nttforge::cuda {

/// throws what throw_failure() throws unless `code` is cudaSuccess.
void require(int code, const std::string& doing, int device = -1);

/// Makes the device current in this thread, for scopes of this folder's CUDA files and for CudaCall.
///
/// One question of the driver, the identity of the current context, answers three: whether the device is
/// current, whether it has a context, and whether that is the one of before (identities do not come again
/// after a reset). Inside another such scope of the same device nothing is asked.
void enter_device(int device, CudaEntry& entry);
void leave_device(const CudaEntry& entry) noexcept;

class CurrentDevice {
 public:
  explicit CurrentDevice(int device) { enter_device(device, entry_); }
  ~CurrentDevice() { leave_device(entry_); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  std::uint64_t context_id() const { return entry_.context; }

 private:
  CudaEntry entry_;
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

inline cudaStream_t as_stream(CudaStream stream) { return static_cast<cudaStream_t>(stream); }

std::size_t attribute(cudaDeviceAttr name, int device);
/// Whether an array is memory of the device, all of it, as the driver says with one question; in a scope of
/// CurrentDevice.
bool is_device_memory(int device, const void* first, std::size_t bytes);

}  // namespace nttforge::cuda
