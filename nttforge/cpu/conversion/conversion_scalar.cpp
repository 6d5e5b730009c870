// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/conversion/conversion_rows.hpp"
#include "nttforge/cpu/conversion/conversion_tables.hpp"

namespace nttforge::cpu {

const ConversionKernels kConversionScalar = kernels_of<ScalarLanes>();

}  // namespace nttforge::cpu
