// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/table/rows_shoup32.hpp"

NTTF_DEFINE_HOST_ROWS(Rows30)
