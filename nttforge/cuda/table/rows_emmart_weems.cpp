// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/bad18a_plan_rows.hpp"

NTTF_DEFINE_HOST_ROWS(EmmartWeemsRows)
