// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/pass_launch.cuh"
#include "nttforge/cuda/rows_montgomery32.hpp"

NTTF_DEFINE_LAUNCHES(Rows32)
