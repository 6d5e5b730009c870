// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/arith/fp64.hpp"
#include "nttforge/cuda/table/rows_small.hpp"

// The launch table's rows of primes below 2^50 in doubles: the only place of their numbers. Rows with fused
// steps are those that are chosen at 2^12 ... 2^16 for tens of limbs.

namespace nttforge::cuda {

inline constexpr TransformShape kShapes50[] = {
    {.first = {.stages = 11, .log_points = 3, .log_cluster = 2, .fetches = true}},
    {.first = {.stages = 12, .log_points = 3, .log_cluster = 3, .fetches = true}},
    {.first = {.stages = 6, .log_columns = 3, .log_points = 2, .min_blocks = 8},
     .last = {.stages = 6, .log_points = 2, .log_tiles = 2, .min_blocks = 16, .direct = true},
     .fused_step = true},
    {.first = {.stages = 6, .log_columns = 3, .log_points = 2, .min_blocks = 8},
     .last = {.stages = 7, .log_points = 2, .log_tiles = 2, .min_blocks = 8, .direct = true},
     .fused_step = true},
    {.first = {.stages = 6, .log_columns = 3, .log_points = 2, .min_blocks = 8},
     .last = {.stages = 8, .log_points = 2, .log_tiles = 1, .min_blocks = 8, .direct = true},
     .fused_step = true},
    {.first = {.stages = 6, .log_columns = 3, .log_points = 3, .min_blocks = 8},
     .last = {.stages = 9, .log_points = 3, .min_blocks = 8, .derived = 1},
     .fused_step = true},
    {.first = {.stages = 6, .log_columns = 4, .log_points = 3, .min_blocks = 8},
     .last = {.stages = 10, .log_points = 3, .min_blocks = 8, .derived = 2},
     .fused_step = true},
    {.first = {.stages = 6, .log_columns = 4, .log_points = 3, .min_blocks = 8},
     .last = {.stages = 11, .log_points = 3, .min_blocks = 4, .derived = 2}},
};

struct Rows50 : decltype(rows_of<Fp64, kShapes50>()) {};
struct SmallRows50 : SmallRows<Fp64> {};

}  // namespace nttforge::cuda
