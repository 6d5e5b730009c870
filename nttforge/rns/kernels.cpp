// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/kernels.hpp"

namespace nttforge {

ConversionModulus make_conversion_modulus(std::uint64_t q) {
  const Modulus modulus(q);  // checks the range
  return {make_sum_modulus(q), modulus};
}

}  // namespace nttforge
