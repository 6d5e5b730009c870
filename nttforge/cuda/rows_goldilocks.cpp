// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/rows_goldilocks.hpp"

NTTF_DEFINE_HOST_ROWS(RowsGoldilocks)
