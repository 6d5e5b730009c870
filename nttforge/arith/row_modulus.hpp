// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/arith/shoup.hpp"

namespace nttforge {

/// Constants of one modulus for loops over rows of residues: what every instruction set needs to reduce a
/// product, or a sum of products once (docs/bounds/barrett.md, conversion52.md, conversion64.md, sums.md).
/// 2 <= q < 2^62; or Goldilocks, whose arithmetic needs none: all but q are 0.
struct RowModulus {
  std::uint64_t q = 0;
  std::uint64_t ratio_low = 0;     ///< floor(2^128 / q), low word
  std::uint64_t ratio_high = 0;    ///< high word
  std::uint64_t ratio52 = 0;       ///< floor(2^(bits of q + 50) / q) for the 52-bit class; 0 if q >= 2^50
  ShoupConstant pow52{}, pow64{};  ///< 2^52 and 2^64 mod q
  std::uint64_t one_quotient = 0;  ///< floor((2^64 - 1) / q)
  double inverse = 0;              ///< below 1 / q by 0.5 ... 1.5 units in the last place
};
RowModulus make_row_modulus(const Modulus& modulus);
/// The same for Goldilocks too. throws ParameterError for any other q outside [2, 2^62).
RowModulus make_row_modulus(std::uint64_t q);

/// Longest sum of products of a value below 2^value_bits and a residue modulo an m below 2^modulus_bits that
/// stays below 2^sum_bits with one more summand in [0, m), at most 1023 (docs/bounds/conversion52.md).
std::size_t longest_sum(unsigned sum_bits, unsigned value_bits, unsigned modulus_bits);

}  // namespace nttforge
