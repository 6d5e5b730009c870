// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sizes of the primes of the recommended sets. Q p has exactly the bits that the table allows; the primes are
// of nearly one size, so that all limbs run in the same kernels, and below 2^50, the limit of the fastest
// ones.

#include <array>
#include <cstddef>
#include <span>

#include "nttforge/bfv/parameters.hpp"

namespace nttforge::bfv {

/// Bits of the primes of a set: `low` of `low_bits`, then `high` of one more; special prime last (0: none).
struct PresetChain {
  std::size_t n;
  unsigned low_bits, low, high, special;
};

inline constexpr std::array<PresetChain, 6> kGuidelines2024Chains128{{{1024, 26, 1, 0, 0},
                                                                      {2048, 53, 1, 0, 0},
                                                                      {4096, 35, 2, 0, 36},
                                                                      {8192, 42, 1, 3, 43},
                                                                      {16384, 47, 2, 6, 48},
                                                                      {32768, 48, 14, 3, 49}}};
inline constexpr std::array<PresetChain, 5> kGuidelines2024Chains192{{{2048, 36, 1, 0, 0},
                                                                      {4096, 36, 1, 0, 37},
                                                                      {8192, 36, 1, 2, 37},
                                                                      {16384, 42, 4, 2, 43},
                                                                      {32768, 45, 1, 11, 46}}};
inline constexpr std::array<PresetChain, 5> kGuidelines2024Chains256{{{2048, 27, 1, 0, 0},
                                                                      {4096, 28, 1, 0, 28},
                                                                      {8192, 38, 2, 0, 38},
                                                                      {16384, 46, 4, 0, 46},
                                                                      {32768, 46, 8, 1, 47}}};

inline constexpr std::array<PresetChain, 6> kHes2018Chains128{{{1024, 27, 1, 0, 0},
                                                               {2048, 54, 1, 0, 0},
                                                               {4096, 36, 2, 0, 37},
                                                               {8192, 43, 2, 2, 44},
                                                               {16384, 48, 3, 5, 49},
                                                               {32768, 49, 17, 0, 48}}};
inline constexpr std::array<PresetChain, 6> kHes2018Chains192{{{1024, 19, 1, 0, 0},
                                                               {2048, 37, 1, 0, 0},
                                                               {4096, 37, 1, 0, 38},
                                                               {8192, 38, 3, 0, 38},
                                                               {16384, 43, 3, 3, 44},
                                                               {32768, 47, 12, 0, 47}}};
inline constexpr std::array<PresetChain, 6> kHes2018Chains256{{{1024, 14, 1, 0, 0},
                                                               {2048, 29, 1, 0, 0},
                                                               {4096, 29, 1, 0, 29},
                                                               {8192, 39, 2, 0, 40},
                                                               {16384, 47, 3, 1, 48},
                                                               {32768, 47, 4, 5, 48}}};

/// [Bad18b] Table 4; the paper's limbs are of another size, the whole log2 Q is the same.
inline constexpr std::array<PresetChain, 4> kBadawiChains{
    {{2048, 31, 2, 0, 50}, {4096, 46, 2, 2, 50}, {8192, 46, 4, 4, 50}, {16384, 49, 6, 9, 50}}};

inline std::span<const PresetChain> preset_chains(SecurityLevel level, SecurityTable table) {
  const bool hes = table == SecurityTable::hes2018;
  switch (level) {
    case SecurityLevel::classical192:
      if (hes) return kHes2018Chains192;
      return kGuidelines2024Chains192;
    case SecurityLevel::classical256:
      if (hes) return kHes2018Chains256;
      return kGuidelines2024Chains256;
    default:
      if (hes) return kHes2018Chains128;
      return kGuidelines2024Chains128;
  }
}

}  // namespace nttforge::bfv
