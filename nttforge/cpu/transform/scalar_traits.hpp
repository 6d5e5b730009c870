// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cpu/transform/transform_kernels.hpp"

namespace nttforge::cpu {

/// What the lists of the scalar target say of a kernel, by arithmetic: which moduli, and its speed.
constexpr KernelTraits scalar_shoup64(double butterfly_ns) {
  return {.target = Target::scalar,
          .arithmetic = Arithmetic::shoup64,
          .q_limit = two_to_the(62),
          .butterfly_ns = butterfly_ns};
}
constexpr KernelTraits scalar_shoup32(double butterfly_ns) {
  return {.target = Target::scalar,
          .arithmetic = Arithmetic::shoup32,
          .q_limit = two_to_the(32),
          .butterfly_ns = butterfly_ns};
}
constexpr KernelTraits scalar_goldilocks(unsigned radix, double butterfly_ns) {
  return {.target = Target::scalar,
          .arithmetic = Arithmetic::goldilocks,
          .radix = radix,
          .butterfly_ns = butterfly_ns};
}

}  // namespace nttforge::cpu
