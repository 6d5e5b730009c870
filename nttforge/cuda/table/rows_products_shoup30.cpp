// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/product/product.hpp"
#include "nttforge/cuda/table/rows_shoup32.hpp"

NTTF_DEFINE_HOST_PRODUCTS(Rows30)
NTTF_DEFINE_HOST_PRODUCTS(SmallRows30)
