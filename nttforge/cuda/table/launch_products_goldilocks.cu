// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/pass/launch.cuh"
#include "nttforge/cuda/product/product.hpp"
#include "nttforge/cuda/table/rows_goldilocks.hpp"

NTTF_DEFINE_DEVICE_PRODUCTS(RowsGoldilocks)
