// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/arith/shoup64.hpp"
#include "nttforge/cuda/table/rows_small.hpp"

// The launch table's rows of Shoup's product in 64-bit words: the only place of their numbers. Rows with
// fused steps are those that are chosen at 2^12 ... 2^16 for tens of limbs.

namespace nttforge::cuda {

using Shoup60 = Shoup64<16>;
using Shoup62 = Shoup64<4>;

inline constexpr TransformShape kShapes60[] = {
    {.first = {.stages = 11, .log_points = 3, .log_cluster = 2, .fetches = true}},
    {.first = {.stages = 6, .log_columns = 3, .log_points = 2, .min_blocks = 8},
     .last = {.stages = 6, .log_points = 2, .log_tiles = 2, .min_blocks = 16, .direct = true},
     .fused_step = true},
    {.first = {.stages = 12, .log_points = 3, .log_cluster = 3, .fetches = true}},
    {.first = {.stages = 6, .log_columns = 3, .log_points = 2, .min_blocks = 8},
     .last = {.stages = 7, .log_points = 2, .log_tiles = 2, .min_blocks = 8, .direct = true},
     .fused_step = true},
    {.first = {.stages = 6, .log_columns = 3, .log_points = 2, .min_blocks = 8},
     .last = {.stages = 8, .log_points = 2, .log_tiles = 1, .min_blocks = 8, .direct = true},
     .fused_step = true},
    {.first = {.stages = 6, .log_columns = 3, .log_points = 2, .min_blocks = 8},
     .last = {.stages = 9, .log_points = 2, .min_blocks = 8, .direct = true},
     .fused_step = true},
    {.first = {.stages = 6, .log_columns = 3, .log_points = 3, .min_blocks = 12},
     .last = {.stages = 9, .log_points = 3, .min_blocks = 12, .derived = 2},
     .fused_step = true},
    {.first = {.stages = 6, .log_columns = 4, .log_points = 3, .min_blocks = 6},
     .last = {.stages = 10, .log_points = 3, .min_blocks = 6, .derived = 2},
     .fused_step = true},
    {.first = {.stages = 6, .log_columns = 4, .log_points = 3, .min_blocks = 8},
     .last = {.stages = 11, .log_points = 3, .min_blocks = 4, .derived = 2}},
    {.first = {.stages = 7, .log_columns = 3, .log_points = 3, .min_blocks = 8},
     .last = {.stages = 10, .log_points = 3, .min_blocks = 8, .derived = 2}},
};

/// For cards whose thread blocks have at most 64 KiB of shared memory.
inline constexpr TransformShape kShapesOf64KiB[] = {
    {.first = {.stages = 6, .log_columns = 3, .log_points = 2, .min_blocks = 8},
     .last = {.stages = 6, .log_points = 2, .min_blocks = 8, .direct = true}},
};

struct Rows60 : decltype(rows_of<Shoup60, kShapes60>()) {};
struct SmallRows60 : SmallRows<Shoup60> {};
struct SmallRows62 : decltype(AllSmallRows<Shoup62>{} + rows_of<Shoup62, kShapesOf64KiB>()) {};

}  // namespace nttforge::cuda
