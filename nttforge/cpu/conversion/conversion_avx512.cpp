// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/conversion/conversion_lanes_narrow.hpp"
#include "nttforge/cpu/conversion/conversion_lanes_wide.hpp"
#include "nttforge/cpu/conversion/conversion_rows.hpp"
#include "nttforge/cpu/conversion/conversion_tables.hpp"
#include "nttforge/cpu/lanes/lanes_avx512.hpp"

namespace nttforge::cpu {

const ConversionKernels kConversionAvx512 = kernels_of<Lanes26<cpu::LanesAvx512>>();
const ConversionKernels kConversionAvx512Wide =
    kernels_of<LanesWide<cpu::LanesAvx512, Columns32<cpu::LanesAvx512>>>();

}  // namespace nttforge::cpu
