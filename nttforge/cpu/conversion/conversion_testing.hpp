// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "nttforge/cpu/conversion/conversion_lanes_narrow.hpp"
#include "nttforge/cpu/conversion/conversion_lanes_wide.hpp"
#include "nttforge/cpu/conversion/conversion_rows.hpp"
#include "nttforge/cpu/lanes/lanes_emulated.hpp"

namespace nttforge::testing {

struct NamedKernels {
  std::string_view name;
  ConversionKernels kernels;
  bool narrow;
};

/// The vector kernels over emulated lanes, so that the logic of every instruction set runs on
/// any machine.
inline const NamedKernels kEmulatedConversion[] = {
    {"emulated 8 x 52-bit multiply-add", kernels_of<Lanes52<cpu::LanesEmulated<8>>>(), true},
    {"emulated 8 x 26-bit halves", kernels_of<Lanes26<cpu::LanesEmulated<8>>>(), true},
    {"emulated 4 x 26-bit halves", kernels_of<Lanes26<cpu::LanesEmulated<4>>>(), true},
    {"emulated 8 x columns of 52 bits",
     kernels_of<LanesWide<cpu::LanesEmulated<8>, Columns52<cpu::LanesEmulated<8>>>>(), false},
    {"emulated 8 x columns of 32 bits",
     kernels_of<LanesWide<cpu::LanesEmulated<8>, Columns32<cpu::LanesEmulated<8>>>>(), false},
};

}  // namespace nttforge::testing
