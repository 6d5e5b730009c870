// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/arith/host_device.hpp"

namespace nttforge {

/// floor(a b / 2^64). WebAssembly multiplies to 64 bits: compilers call a function for 128.
NTTF_HOST_DEVICE std::uint64_t upper_product(std::uint64_t a, std::uint64_t b) {
#if defined(__wasm__)
  const std::uint64_t a_low = static_cast<std::uint32_t>(a), a_high = a >> 32;
  const std::uint64_t b_low = static_cast<std::uint32_t>(b), b_high = b >> 32;
  const std::uint64_t cross = a_high * b_low + (a_low * b_low >> 32);
  const std::uint64_t other = a_low * b_high + static_cast<std::uint32_t>(cross);
  return a_high * b_high + (cross >> 32) + (other >> 32);
#else
  return static_cast<std::uint64_t>((static_cast<u128>(a) * b) >> 64);
#endif
}

}  // namespace nttforge
