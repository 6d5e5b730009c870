// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/block/device.cuh"
#include "nttforge/cuda/table/row.hpp"

namespace nttforge::cuda {

template <class Kernel>
int launch_pass(const typename Kernel::Args& args, unsigned clusters, void* stream) {
  return static_cast<int>(launch_kernel<Kernel>(args, clusters, static_cast<cudaStream_t>(stream)));
}

template <class List>
struct LaunchTable;
template <class... Rows>
struct LaunchTable<RowList<Rows...>> {
  using Word = typename RowList<Rows...>::Word;
  static constexpr RowLaunches<Word> kRows[sizeof...(Rows)] = {
      {&Rows::template run_on_device<false>, &Rows::template run_on_device<true>}...};
};

}  // namespace nttforge::cuda

/// Defines the launches of a list, in the file that compiles its kernels.
#define NTTF_DEFINE_LAUNCHES(List)                                                                   \
  template <>                                                                                        \
  std::span<const nttforge::cuda::RowLaunches<typename nttforge::cuda::List::Word>>                  \
  nttforge::cuda::device_launches<nttforge::cuda::List>() {                                          \
    return {nttforge::cuda::LaunchTable<nttforge::cuda::List>::kRows, nttforge::cuda::List::kCount}; \
  }
