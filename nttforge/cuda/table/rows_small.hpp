// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/pass/multi_pass.hpp"

namespace nttforge::cuda {

/// Small transforms. A thread block does several, except at 2^10.
inline constexpr TransformShape kSmallShapes[] = {
    {.first = {.stages = 1, .log_points = 1, .log_tiles = 7}, .fused_product = false},
    {.first = {.stages = 2, .log_points = 2, .log_tiles = 6}, .fused_product = false},
    {.first = {.stages = 3, .log_points = 3, .log_tiles = 6}, .fused_product = false},
    {.first = {.stages = 4, .log_points = 3, .log_tiles = 6}, .fused_product = false},
    {.first = {.stages = 5, .log_points = 3, .log_tiles = 5}, .fused_product = false},
    {.first = {.stages = 6, .log_points = 3, .log_tiles = 4}},
    {.first = {.stages = 7, .log_points = 3, .log_tiles = 3}},
    {.first = {.stages = 8, .log_points = 3, .log_tiles = 2}},
    {.first = {.stages = 9, .log_points = 3, .log_tiles = 1}},
    {.first = {.stages = 10, .log_points = 3}},
};

/// The sizes between these and MultiPass, for arithmetics without a faster row for them.
inline constexpr TransformShape kMiddleShapes[] = {
    {.first = {.stages = 11, .log_points = 3}},
    {.first = {.stages = 12, .log_points = 3}},
};

/// Rows that every arithmetic has, without and with the sizes between.
template <class Arith>
struct SmallRows : decltype(rows_of<Arith, kSmallShapes>() + RowList<MultiPass<Arith>>{}) {};
template <class Arith>
struct AllSmallRows : decltype(SmallRows<Arith>{} + rows_of<Arith, kMiddleShapes>()) {};

}  // namespace nttforge::cuda
