// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/conversion/conversion_lanes_narrow.hpp"
#include "nttforge/cpu/conversion/conversion_lanes_wide.hpp"
#include "nttforge/cpu/conversion/conversion_rows.hpp"
#include "nttforge/cpu/conversion/conversion_tables.hpp"
#include "nttforge/cpu/lanes/lanes_avx512_ifma.hpp"

namespace nttforge::cpu {

const ConversionKernels kConversionAvx512Ifma = kernels_of<Lanes52<cpu::LanesAvx512Ifma>>();
const ConversionKernels kConversionAvx512IfmaWide =
    kernels_of<LanesWide<cpu::LanesAvx512Ifma, Columns52<cpu::LanesAvx512Ifma>>>();

}  // namespace nttforge::cpu
