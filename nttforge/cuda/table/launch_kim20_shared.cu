// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/kim20_plan_rows.hpp"
#include "nttforge/cuda/pass/launch.cuh"

NTTF_DEFINE_LAUNCHES(Kim20SharedRows64)
NTTF_DEFINE_LAUNCHES(Kim20SharedRows32)
