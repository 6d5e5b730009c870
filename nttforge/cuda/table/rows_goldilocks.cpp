// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/table/rows_goldilocks.hpp"

NTTF_DEFINE_HOST_ROWS(RowsGoldilocks)
