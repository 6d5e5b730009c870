// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/conversion/conversion_rows.hpp"
#include "nttforge/cpu/conversion/conversion_tables.hpp"

namespace nttforge::cpu {

// One coefficient at a time, by products of 128 bits. The vectors of other instruction sets are compared with
// this table, and they hand it what is left over of a row.
const ConversionKernels kConversionScalar = kernels_of<ScalarLanes>();

}  // namespace nttforge::cpu
