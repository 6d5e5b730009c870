// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/conversion/conversion_lanes_narrow.hpp"
#include "nttforge/cpu/conversion/conversion_rows.hpp"
#include "nttforge/cpu/conversion/conversion_tables.hpp"
#include "nttforge/cpu/lanes/lanes_avx2.hpp"

namespace nttforge::cpu {

const ConversionKernels kConversionAvx2 = kernels_of<Lanes26<cpu::LanesAvx2>>();

}  // namespace nttforge::cpu
