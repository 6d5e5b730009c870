// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/arith/montgomery32.hpp"
#include "nttforge/cuda/table/rows_small.hpp"

// The launch table's rows of 32-bit words for primes up to 2^32.

namespace nttforge::cuda {

struct Rows32 : AllSmallRows<Montgomery32> {};

}  // namespace nttforge::cuda
