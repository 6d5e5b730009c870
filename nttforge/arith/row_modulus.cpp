// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/row_modulus.hpp"

#include <algorithm>
#include <cmath>

#include "nttforge/arith/goldilocks.hpp"

namespace nttforge {

RowModulus make_row_modulus(const Modulus& modulus) {
  constexpr unsigned kBitsOf52BitClass = 50;
  const std::uint64_t q = modulus.value();
  RowModulus row;
  row.q = q;
  row.ratio_low = modulus.barrett_low();
  row.ratio_high = modulus.barrett_high();
  if (modulus.bits() <= kBitsOf52BitClass) {
    // floor(2^(bits + 50) / q), below 2^52 because q >= 2^(bits - 1).
    const u128 ratio = (static_cast<u128>(row.ratio_high) << 64) | row.ratio_low;
    row.ratio52 = static_cast<std::uint64_t>(ratio >> (128 - 50 - modulus.bits()));
  }
  row.pow52 = make_shoup((std::uint64_t{1} << 52) % q, q);
  row.pow64 = make_shoup((~std::uint64_t{0} % q + 1) % q, q);
  row.one_quotient = ~std::uint64_t{0} / q;
  row.inverse = std::nextafter(1.0 / static_cast<double>(q), 0.0);
  return row;
}

RowModulus make_row_modulus(std::uint64_t q) {
  if (q != kGoldilocks) return make_row_modulus(Modulus(q));
  RowModulus row;
  row.q = q;
  return row;
}

std::size_t longest_sum(unsigned sum_bits, unsigned value_bits, unsigned modulus_bits) {
  // (2^s - 1) 2^(v + m) + 2^m <= 2^(s + v + m). The cap keeps partial sums of the vector lanes within their
  // words.
  const unsigned spare = sum_bits - std::min(sum_bits - 1, value_bits + modulus_bits);
  return (std::size_t{1} << std::min(spare, 10u)) - 1;
}

}  // namespace nttforge
