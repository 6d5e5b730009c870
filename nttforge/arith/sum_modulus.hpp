// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "nttforge/arith/shoup.hpp"

namespace nttforge {

/// One modulus, 2 <= q < 2^62, with what every instruction set needs to reduce a sum of products once
/// (docs/bounds/conversion52.md, conversion64.md, sums.md).
struct SumModulus {
  std::uint64_t q = 0;
  ShoupConstant pow52, pow64;      ///< 2^52 and 2^64 mod q
  std::uint64_t one_quotient = 0;  ///< floor((2^64 - 1) / q)
  double inverse = 0;              ///< below 1 / q by 0.5 ... 1.5 units in the last place
};
/// q is trusted: a Modulus made of it checks.
SumModulus make_sum_modulus(std::uint64_t q);

/// Longest sum of products of a value below 2^value_bits and a residue modulo an m below 2^modulus_bits that
/// stays below 2^sum_bits with one more summand in [0, m), at most 1023 (docs/bounds/conversion52.md).
std::size_t longest_sum(unsigned sum_bits, unsigned value_bits, unsigned modulus_bits);

}  // namespace nttforge
