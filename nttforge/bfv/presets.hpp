// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sizes of the primes of the recommended sets. Q P has exactly the bits that the table allows; the primes are
// of nearly one size, so that all limbs run in the same kernels, and below 2^50, the limit of the fastest
// ones, or below 2^30 for words of 32 bits.

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

/// The same for words of 32 bits, with primes below 2^30 of sizes as equal as possible, the special ones the
/// largest. About a quarter of the primes is special, which makes three digits of key switching. There are as
/// few primes as possible, but for n = 2^14 (16 instead of 15 promise one level more) and at 192 bits.
struct PresetSplit {
  std::size_t n;
  unsigned primes, special;  ///< of Q P; among them
};

inline constexpr std::array<PresetSplit, 6> kGuidelines2024Splits128{
    {{1024, 1, 0}, {2048, 2, 0}, {4096, 4, 1}, {8192, 8, 2}, {16384, 16, 4}, {32768, 29, 8}}};
inline constexpr std::array<PresetSplit, 5> kGuidelines2024Splits192{
    {{2048, 2, 0}, {4096, 3, 1}, {8192, 5, 1}, {16384, 11, 3}, {32768, 20, 5}}};
inline constexpr std::array<PresetSplit, 5> kGuidelines2024Splits256{
    {{2048, 1, 0}, {4096, 2, 1}, {8192, 4, 1}, {16384, 8, 2}, {32768, 16, 4}}};
inline constexpr std::array<PresetSplit, 6> kHes2018Splits128{
    {{1024, 1, 0}, {2048, 2, 0}, {4096, 4, 1}, {8192, 8, 2}, {16384, 15, 4}, {32768, 30, 8}}};
inline constexpr std::array<PresetSplit, 6> kHes2018Splits192{
    {{1024, 1, 0}, {2048, 2, 0}, {4096, 3, 1}, {8192, 6, 2}, {16384, 11, 3}, {32768, 21, 6}}};
inline constexpr std::array<PresetSplit, 6> kHes2018Splits256{
    {{1024, 1, 0}, {2048, 1, 0}, {4096, 2, 1}, {8192, 4, 1}, {16384, 8, 2}, {32768, 16, 4}}};

/// [Bad18b] Table 4; the paper's limbs are of another size, the whole log2 Q is the same.
inline constexpr std::array<PresetChain, 4> kBadawiChains{
    {{2048, 31, 2, 0, 50}, {4096, 46, 2, 2, 50}, {8192, 46, 4, 4, 50}, {16384, 49, 6, 9, 50}}};

/// The rows of a level.
template <class Row>
std::span<const Row> rows_of_level(SecurityLevel level, std::span<const Row> bits128,
                                   std::span<const Row> bits192, std::span<const Row> bits256) {
  if (level == SecurityLevel::classical192) return bits192;
  return level == SecurityLevel::classical256 ? bits256 : bits128;
}

inline std::span<const PresetChain> preset_chains(SecurityLevel level, SecurityTable table) {
  if (table == SecurityTable::hes2018)
    return rows_of_level<PresetChain>(level, kHes2018Chains128, kHes2018Chains192, kHes2018Chains256);
  return rows_of_level<PresetChain>(level, kGuidelines2024Chains128, kGuidelines2024Chains192,
                                    kGuidelines2024Chains256);
}

inline std::span<const PresetSplit> preset_splits(SecurityLevel level, SecurityTable table) {
  if (table == SecurityTable::hes2018)
    return rows_of_level<PresetSplit>(level, kHes2018Splits128, kHes2018Splits192, kHes2018Splits256);
  return rows_of_level<PresetSplit>(level, kGuidelines2024Splits128, kGuidelines2024Splits192,
                                    kGuidelines2024Splits256);
}

}  // namespace nttforge::bfv
