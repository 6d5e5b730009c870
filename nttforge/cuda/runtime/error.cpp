// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/error.hpp"

#include "nttforge/base/error.hpp"

namespace nttforge::cuda {
namespace {

struct FaultRow {
  int first, last;  ///< codes of cudaError_t, which never change
  CudaFault fault;
};

constexpr FaultRow kFaults[] = {
    {2, 2, CudaFault::out_of_memory},
    {3, 3, CudaFault::not_started},
    {4, 4, CudaFault::unloading},
    {9, 9, CudaFault::bad_launch},   // configuration
    {35, 35, CudaFault::no_driver},  // missing or insufficient
    {46, 46, CudaFault::busy_device},
    {98, 98, CudaFault::no_kernel},  // device function
    {100, 100, CudaFault::no_device},
    {101, 101, CudaFault::bad_device},
    {200, 200, CudaFault::no_kernel},  // kernel image
    {201, 201, CudaFault::device_reset},
    {209, 209, CudaFault::no_kernel},
    {214, 214, CudaFault::broken},     // uncorrectable memory error
    {218, 218, CudaFault::no_kernel},  // PTX
    {220, 220, CudaFault::broken},     // NVLink
    {221, 223, CudaFault::no_kernel},  // no PTX compiler, PTX too new, compilation disabled
    {226, 226, CudaFault::broken},     // contained memory error
    {400, 400, CudaFault::bad_stream},
    {700, 700, CudaFault::broken},      // illegal address
    {701, 701, CudaFault::bad_launch},  // out of registers or shared memory
    {702, 702, CudaFault::broken},      // timeout
    {709, 709, CudaFault::device_reset},
    {710, 710, CudaFault::broken},
    {714, 719, CudaFault::broken},
    {720, 720, CudaFault::bad_launch},
    {802, 802, CudaFault::busy_device},
    {803, 804, CudaFault::no_driver},  // does not match the kernel module
    {900, 908, CudaFault::capturing},
    {912, 912, CudaFault::bad_launch},  // cluster
};

std::string old_driver(const CudaFailure& f) {
  if (f.driver_version == 0) {
    return "no NVIDIA driver is loaded on this machine: transforms run on the CPU, or install the driver of "
           "your card (nvidia-smi shows it)";
  }
  return "the NVIDIA driver is too old: it runs CUDA " + version_text(f.driver_version) +
         " and this build needs " + version_text(f.runtime_version) +
         "; install a newer driver, or build nttforge with an older CUDA toolkit";
}

std::string text_of(CudaFault fault, const CudaFailure& f) {
  const std::string card = f.device < 0 ? "the GPU" : "GPU " + std::to_string(f.device);
  switch (fault) {
    case CudaFault::not_started:
      return "CUDA does not start in this process: a process that was forked after its parent used a GPU "
             "cannot use one, so use spawn (in Python multiprocessing.get_context(\"spawn\")), or make the "
             "processes before the first call on a GPU";
    case CudaFault::no_driver:
      return old_driver(f);
    case CudaFault::no_device:
      return "no NVIDIA GPU is visible: look at nvidia-smi and the environment variable CUDA_VISIBLE_DEVICES";
    case CudaFault::bad_device:
      return "device = " + std::to_string(f.device) + " does not exist: nttforge doctor lists the GPUs";
    case CudaFault::busy_device:
      return card + " cannot be used now: another process holds it exclusively, or it is not ready";
    case CudaFault::no_kernel:
      return "this build has no code for the architecture of " + card + ": it was built for " +
             std::string(f.architectures) + "; build with -DNTTFORGE_CUDA_ARCHITECTURES for your card";
    case CudaFault::out_of_memory:
      return card + " is out of memory: free some, lower the batch, or look at who else uses it (nvidia-smi)";
    case CudaFault::bad_launch:
      return card +
             " cannot run a kernel of this shape (threads, shared memory or cluster size): choose "
             "another recipe";
    case CudaFault::bad_stream:
      return "the stream (or event) is not one of this process or was destroyed: pass a live stream of " +
             card + ", or none for the default stream";
    case CudaFault::capturing:
      return "a stream is being captured into a graph, where this is not allowed: do it before the capture "
             "begins";
    case CudaFault::device_reset:
      return card + " was reset: make arrays and plans anew";
    case CudaFault::broken:
      return card +
             " failed in an earlier operation of this process, which need not be one of nttforge; every "
             "CUDA call fails from now on: end the process, and look for the cause with "
             "compute-sanitizer";
    case CudaFault::unloading:
      return "the process is ending and the CUDA runtime is gone";
    default:
      return "a CUDA call failed";
  }
}

}  // namespace

CudaFault fault_of(int code) {
  if (code == 0) return CudaFault::none;
  for (const FaultRow& row : kFaults) {
    if (row.first <= code && code <= row.last) return row.fault;
  }
  return CudaFault::other;
}

void throw_failure(const CudaFailure& f) {
  const CudaFault fault = fault_of(f.code);
  if (fault == CudaFault::none) return;
  const std::string text = text_of(fault, f) + " (" + std::string(f.name) + ", error " +
                           std::to_string(f.code) + " while " + std::string(f.doing) + ")";
  switch (fault) {
    case CudaFault::bad_device:
    case CudaFault::bad_stream:
      throw ParameterError(text);
    case CudaFault::device_reset:
      throw ContextError(text);
    case CudaFault::broken:
    case CudaFault::unloading:
    case CudaFault::other:
      throw Error(text);
    default:
      throw UnsupportedError(text);
  }
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace nttforge::cuda
