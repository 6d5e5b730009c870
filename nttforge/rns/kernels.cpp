#include "nttforge/rns/kernels.hpp"

#include <algorithm>

namespace nttforge {

ConversionModulus make_conversion_modulus(std::uint64_t q) {
  const Modulus modulus(q);
  return {modulus, q, make_shoup((std::uint64_t{1} << 52) % q, q), ~std::uint64_t{0} / q,
          1.0 / static_cast<double>(q)};
}

std::size_t longest_sum(bool narrow, unsigned value_bits, unsigned modulus_bits) {
  // Wide: sum < 2^128 in one 128-bit word. Narrow: the sum's part above 2^52 must stay below 2^52, so sum <
  // 2^104.
  const unsigned capacity = narrow ? 104 : 128;
  const unsigned spare = capacity - std::min(capacity - 1, value_bits + modulus_bits);
  return (std::size_t{1} << std::min(spare, 20u)) - 1;
}

}  // namespace nttforge
