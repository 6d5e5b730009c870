// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace nttforge::cuda {

/// What a code of the CUDA runtime means to a caller.
enum class CudaFault {
  none,
  not_started,  ///< most often in a process that was forked after its parent had used a GPU
  no_driver,    ///< or one older than this build needs
  no_device,
  bad_device,   ///< no such ordinal
  busy_device,  ///< in exclusive use, or not ready yet
  no_kernel,    ///< this build has no code for that architecture
  out_of_memory,
  bad_launch,  ///< the card cannot run a kernel of that shape
  bad_stream,
  capturing,     ///< not allowed while a stream is captured
  device_reset,  ///< the context is gone
  broken,        ///< sticky: every later call in this process fails
  unloading,     ///< the process is ending
  other,
};
CudaFault fault_of(int code);  ///< what kind of error a code of the CUDA runtime is

/// What is known about the failed call, for the message.
struct CudaFailure {
  int code = 0;
  std::string_view name{};   ///< as cudaGetErrorName()
  std::string_view doing{};  ///< "allocating 96 bytes"
  int device = -1;           ///< ordinal, if there is one
  int driver_version = 0;    ///< as cudaDriverGetVersion(): 13000 is 13.0; 0: no driver
  int runtime_version = 0;
  std::string_view architectures{};  ///< that this build has code for
};
/// throws UnsupportedError, ParameterError or Error with the remedy in the message; returns if code is 0.
void throw_failure(const CudaFailure& failure);

/// "13.0" for 13000.
std::string version_text(int version);

}  // namespace nttforge::cuda
