// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/arith/shoup32.hpp"
#include "nttforge/cuda/table/rows_small.hpp"

// The launch table's rows of Shoup's product in 32-bit words: the only place of their numbers. Rows with
// fused steps are those that are chosen at 2^12 ... 2^16 for tens of limbs.

namespace nttforge::cuda {

inline constexpr TransformShape kShapes30[] = {
    {.first = {.stages = 11, .log_points = 3, .log_cluster = 2, .fetches = true, .direct = true}},
    {.first = {.stages = 12, .log_points = 3, .log_cluster = 3, .fetches = true, .direct = true},
     .fused_step = true},
    {.first = {.stages = 12, .log_points = 3, .log_cluster = 2, .fetches = true, .direct = true},
     .fused_step = true},
    {.first = {.stages = 6, .log_columns = 4, .log_points = 3, .min_blocks = 8},
     .last = {.stages = 7, .log_points = 3, .log_tiles = 2, .min_blocks = 16, .direct = true},
     .fused_step = true},
    {.first = {.stages = 6, .log_columns = 4, .log_points = 3, .min_blocks = 8},
     .last = {.stages = 8, .log_points = 3, .log_tiles = 2, .min_blocks = 8, .direct = true},
     .fused_step = true},
    {.first = {.stages = 6, .log_columns = 4, .log_points = 3, .min_blocks = 8},
     .last = {.stages = 9, .log_points = 3, .log_tiles = 1, .min_blocks = 6, .derived = 2, .direct = true},
     .fused_step = true},
    {.first = {.stages = 7, .log_columns = 5, .log_points = 4, .min_blocks = 3},
     .last = {.stages = 8, .log_points = 4, .log_tiles = 3, .min_blocks = 6, .derived = 2},
     .fused_step = true},
    {.first = {.stages = 6, .log_columns = 4, .log_points = 3, .min_blocks = 8},
     .last = {.stages = 10, .log_points = 3, .min_blocks = 8, .derived = 2}},
    {.first = {.stages = 6, .log_columns = 5, .log_points = 4, .min_blocks = 5},
     .last = {.stages = 10, .log_points = 4, .min_blocks = 12, .derived = 2},
     .fused_step = true},
    {.first = {.stages = 7, .log_columns = 4, .log_points = 4, .min_blocks = 8},
     .last = {.stages = 10, .log_points = 4, .min_blocks = 8, .derived = 2}},
    {.first = {.stages = 6, .log_columns = 5, .log_points = 4, .min_blocks = 8},
     .last = {.stages = 11, .log_points = 4, .min_blocks = 8, .derived = 2}},
};

struct Rows30 : decltype(rows_of<Shoup32, kShapes30>()) {};
struct SmallRows30 : AllSmallRows<Shoup32> {};

}  // namespace nttforge::cuda
