// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/sum_modulus.hpp"

#include <algorithm>
#include <cmath>

namespace nttforge {

SumModulus make_sum_modulus(std::uint64_t q) {
  return {q, make_shoup((std::uint64_t{1} << 52) % q, q), make_shoup((~std::uint64_t{0} % q + 1) % q, q),
          ~std::uint64_t{0} / q, std::nextafter(1.0 / static_cast<double>(q), 0.0)};
}

std::size_t longest_sum(unsigned sum_bits, unsigned value_bits, unsigned modulus_bits) {
  // (2^s - 1) 2^(v + m) + 2^m <= 2^(s + v + m). The cap keeps partial sums of the vector lanes within their
  // words.
  const unsigned spare = sum_bits - std::min(sum_bits - 1, value_bits + modulus_bits);
  return (std::size_t{1} << std::min(spare, 10u)) - 1;
}

}  // namespace nttforge
