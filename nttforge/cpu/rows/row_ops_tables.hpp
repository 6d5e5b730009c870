// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/ntt/row_ops.hpp"

namespace nttforge::cpu {

/// What one row_ops_<target>.cpp contributes; row_ops_dispatch.cpp picks by target and size of q. Each member
/// serves the moduli below its limit (docs/bounds/barrett.md).
struct RowOpsOfTarget {
  RowOps below_2_50;
  RowOps below_2_62;
  RowOps32 below_2_30;
  RowOps32 below_2_32;
};

extern const RowOpsOfTarget kRowOpsScalar;
extern const RowOpsOfTarget kRowOpsAvx2;
extern const RowOpsOfTarget kRowOpsAvx512;
extern const RowOpsOfTarget kRowOpsAvx512Ifma;
extern const RowOpsOfTarget kRowOpsNeon;
extern const RowOps kRowOpsWasmShort;  // q < 2^30
extern const RowOps32 kRowOps32WasmShort;
extern const RowOps kRowOpsGoldilocks;  // row_ops_scalar.cpp

}  // namespace nttforge::cpu
