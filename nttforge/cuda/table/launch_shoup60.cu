// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/pass/launch.cuh"
#include "nttforge/cuda/table/rows_shoup64.hpp"

NTTF_DEFINE_LAUNCHES(Rows60)
