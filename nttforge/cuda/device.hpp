// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nttforge::cuda {

/// Devices are numbered as CUDA does, from 0. The two below are the host: the same kernels run there thread
/// block by thread block, slowly, in memory of their own, so that everything can be tried where there is no
/// GPU.
inline constexpr int kHost = -1;
/// The host once more, for tests of several devices.
inline constexpr int kHost2 = -2;

/// A cudaStream_t; null is the default stream.
using CudaStream = void*;

/// A GPU, as its driver describes it.
struct CudaDevice {
  int ordinal = 0;
  std::string name;
  unsigned compute_capability = 0;  ///< 90 is 9.0
  unsigned multiprocessors = 0;
  unsigned clock_khz = 0;
  unsigned max_threads_per_block = 0;
  unsigned max_cluster = 1;                ///< thread blocks; 1: the card has no clusters
  std::size_t shared_bytes_per_block = 0;  ///< most that a block may ask for
  std::size_t shared_bytes_per_multiprocessor = 0;
  std::size_t l2_bytes = 0;
  std::size_t total_bytes = 0;
  double memory_bytes_per_s = 0;  ///< as the card states it; 0: unknown
  std::string driver;             ///< "580.82.07 (CUDA 13.0)"
};

/// Thread blocks of a cluster, at most, on cards of a compute capability; 1: they have no clusters. Code for
/// them has none either (block/device.cuh).
constexpr unsigned max_cluster_of(unsigned compute_capability) { return compute_capability >= 90 ? 16 : 1; }

/// Whether GPU kernels are in this build, and for which architectures ("90").
bool in_this_build();
std::string_view architectures_of_build();
/// Whether the host's run of the kernels is in this build, and with it kHost and kHost2. It is much code for
/// tests: CMake's NTTFORGE_CUDA_HOST.
bool host_in_this_build();

/// Why no GPU can be used, as one sentence; empty if one can. Does not throw.
std::string why_unavailable();
/// GPUs that can be used; 0 if none or if not in this build. Does not throw.
int device_count();

/// throws ParameterError if there is no such device, UnsupportedError if there is no GPU at all, or if this
/// build has no kernels for the device.
CudaDevice describe_device(int device);
std::vector<CudaDevice> devices();  ///< throws as above for broken ones only; empty if there are none

/// "cuda" and "cuda:1" for GPUs, "cuda:host" for the host. throws ParameterError.
int parse_device(std::string_view name);
std::string device_name(int device);

/// Whether code built for `architectures` (as in CMAKE_CUDA_ARCHITECTURES: "90;100-real;120-virtual") runs on
/// a card.
bool architectures_cover(std::string_view architectures, unsigned compute_capability);
/// throws UnsupportedError, with what to build, if code for `architectures` does not run on the card.
void require_architecture(const CudaDevice& card, std::string_view architectures);

}  // namespace nttforge::cuda
