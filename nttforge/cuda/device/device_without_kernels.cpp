// SPDX-License-Identifier: Apache-2.0
// Builds with neither kernels for GPUs nor their run on the host: what only calls kernels is left out.

#include "nttforge/base/error.hpp"
#include "nttforge/cuda/device.hpp"
#include "nttforge/cuda/table/kernels.hpp"
#include "nttforge/device/device.hpp"
#include "nttforge/device/make_device.hpp"

namespace nttforge {

std::shared_ptr<const Device> make_cuda_device(int ordinal) {
  cuda::describe_device(ordinal);  // throws what is missing
  throw UnsupportedError("this build of nttforge has no GPU kernels");
}

namespace cuda {

template <class Word>
std::span<const CudaKernelRow<Word>> cuda_rows(CudaRowKind) {
  return {};
}
template std::span<const CudaKernelRow<std::uint64_t>> cuda_rows(CudaRowKind);
template std::span<const CudaKernelRow<std::uint32_t>> cuda_rows(CudaRowKind);

}  // namespace cuda
}  // namespace nttforge
