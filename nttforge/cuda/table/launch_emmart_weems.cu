// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/bad18a_plan_rows.hpp"
#include "nttforge/cuda/pass/launch.cuh"

NTTF_DEFINE_LAUNCHES(EmmartWeemsRows)
