// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/kim20_plan_rows.hpp"

NTTF_DEFINE_HOST_ROWS(Kim20RadixRows64)
NTTF_DEFINE_HOST_ROWS(Kim20RadixRows32)
