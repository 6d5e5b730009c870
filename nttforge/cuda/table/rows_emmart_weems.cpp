// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/bad18a_plan_rows.hpp"

NTTF_DEFINE_HOST_ROWS(EmmartWeemsRows)
