// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/product.hpp"
#include "nttforge/cuda/rows_goldilocks.hpp"

NTTF_DEFINE_HOST_PRODUCTS(RowsGoldilocks)
