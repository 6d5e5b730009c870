// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "nttforge/cuda/device.hpp"

// How the implementation over CUDA (runtime_cuda.cu and its parts) calls it. Only for files of the CUDA
// compiler.

namespace nttforge::cuda {

/// throws what throw_failure() throws unless `code` is cudaSuccess.
void require(int code, const std::string& doing, int device = -1);

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

inline cudaStream_t as_stream(CudaStream stream) { return static_cast<cudaStream_t>(stream); }

std::size_t attribute(cudaDeviceAttr name, int device);
/// Identity of the context of `device`, which must be the current device.
std::uint64_t current_context_id(int device);

}  // namespace nttforge::cuda
