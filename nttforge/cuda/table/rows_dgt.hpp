// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/arith/complex.hpp"
#include "nttforge/cuda/arith/goldilocks.hpp"
#include "nttforge/cuda/arith/montgomery32.hpp"
#include "nttforge/cuda/arith/shoup64.hpp"
#include "nttforge/cuda/table/rows_small.hpp"

// The launch table's rows for the DGT.

namespace nttforge::cuda {

struct DgtRows62 : AllSmallRows<Complex<Shoup64<4>>> {};
struct DgtRowsGoldilocks : AllSmallRows<Complex<GoldilocksField>> {};
struct DgtRows32 : AllSmallRows<Complex<Montgomery32>> {};

}  // namespace nttforge::cuda
