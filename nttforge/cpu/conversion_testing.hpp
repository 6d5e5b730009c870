#pragma once

#include <span>
#include <string_view>

#include "nttforge/rns/kernels.hpp"

namespace nttforge::testing {

struct NamedKernels {
  std::string_view name;
  const ConversionKernels* kernels;
};

/// The vector kernels over lanes emulated in plain C++ (narrow class), so that their logic is tested on any
/// machine.
inline std::span<const NamedKernels> emulated_conversion_kernels() { return {}; }

}  // namespace nttforge::testing
