// SPDX-License-Identifier: Apache-2.0
// Compiled for cards before Hopper, and never run: what only newer ones have is left out there.

#include "nttforge/cuda/pass/launch.cuh"
#include "nttforge/cuda/table/fill_transforms.hpp"
#include "nttforge/cuda/table/rows_shoup32.hpp"
#include "nttforge/cuda/table/rows_shoup64.hpp"

namespace nttforge::cuda {

inline constexpr TransformShape kCluster[] = {
    {.first = {.stages = 11, .log_points = 3, .log_cluster = 2, .fetches = true, .direct = true}}};
inline constexpr TransformShape kTwoPasses[] = {
    {.first = {.stages = 6, .log_columns = 3, .log_points = 2, .min_blocks = 8},
     .last = {.stages = 8, .log_points = 2, .min_blocks = 16, .derived = 1}}};

struct ClusterSample : decltype(rows_of<Shoup32, kCluster>()) {};
struct TwoPassSample : decltype(rows_of<Shoup60, kTwoPasses>()) {};

template void fill_transforms<ClusterSample, Where::device>(CudaKernelRow<std::uint32_t>*);
template void fill_transforms<TwoPassSample, Where::device>(CudaKernelRow<std::uint64_t>*);

}  // namespace nttforge::cuda
