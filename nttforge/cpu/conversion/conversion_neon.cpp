// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/conversion/conversion_lanes_narrow.hpp"
#include "nttforge/cpu/conversion/conversion_rows.hpp"
#include "nttforge/cpu/conversion/conversion_tables.hpp"
#include "nttforge/cpu/lanes/lanes_neon.hpp"

namespace nttforge::cpu {

const ConversionKernels kConversionNeon = kernels_of<Lanes26<cpu::LanesNeon>>();

}  // namespace nttforge::cpu
