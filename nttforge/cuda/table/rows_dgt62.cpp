// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/table/rows_dgt.hpp"

NTTF_DEFINE_HOST_ROWS(DgtRows62)
