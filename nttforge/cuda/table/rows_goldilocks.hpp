// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/arith/goldilocks.hpp"
#include "nttforge/cuda/table/rows_small.hpp"

// The launch table's rows of the prime 2^64 - 2^32 + 1.

namespace nttforge::cuda {

struct RowsGoldilocks : AllSmallRows<GoldilocksField> {};

}  // namespace nttforge::cuda
