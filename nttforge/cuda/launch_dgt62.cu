// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/pass_launch.cuh"
#include "nttforge/cuda/rows_dgt.hpp"

NTTF_DEFINE_LAUNCHES(DgtRows62)
