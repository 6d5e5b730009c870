// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/arith/host_device.hpp"

namespace nttforge {

/// Any 64-bit x mod q in [0, q), with ratio = floor(2^64 / q) [Bar86]: the quotient's estimate is at most one
/// too small (docs/bounds/barrett.md).
NTTF_HOST_DEVICE std::uint64_t barrett_reduce(std::uint64_t x, std::uint64_t q, std::uint64_t ratio) {
  const auto quotient = static_cast<std::uint64_t>((static_cast<u128>(x) * ratio) >> 64);
  const std::uint64_t r = x - quotient * q;
  return r - (q & (std::uint64_t{0} - static_cast<std::uint64_t>(r >= q)));
}

}  // namespace nttforge
