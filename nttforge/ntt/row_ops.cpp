// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/row_ops.hpp"

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/arith/modulus.hpp"

namespace nttforge {

RowModulus make_row_modulus(std::uint64_t q) {
  constexpr unsigned kBitsOf52BitClass = 50;
  RowModulus row;
  row.q = q;
  if (q == kGoldilocks) return row;  // its arithmetic needs no ratio
  const Modulus modulus(q);
  row.sums = make_sum_modulus(q);
  row.ratio_low = modulus.barrett_low();
  row.ratio_high = modulus.barrett_high();
  if (modulus.bits() <= kBitsOf52BitClass) {
    // floor(2^(bits + 50) / q), below 2^52 because q >= 2^(bits - 1).
    const u128 ratio = (static_cast<u128>(row.ratio_high) << 64) | row.ratio_low;
    row.ratio52 = static_cast<std::uint64_t>(ratio >> (128 - 50 - modulus.bits()));
  }
  return row;
}

}  // namespace nttforge
