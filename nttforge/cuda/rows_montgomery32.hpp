// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/arith_montgomery32.hpp"
#include "nttforge/cuda/rows_small.hpp"

// The launch table's rows of 32-bit words for primes up to 2^32.

namespace nttforge::cuda {

using Rows32 = AllSmallRows<Montgomery32>;

}  // namespace nttforge::cuda
