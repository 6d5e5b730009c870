// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/table/rows_fp64.hpp"

NTTF_DEFINE_HOST_STEPS(SteppedRows50)
