// SPDX-License-Identifier: Apache-2.0
#pragma once

// Helpers of the bgv/ tests. Not installed.

#include "nttforge/bgv/bgv.hpp"
#include "nttforge/integer_encoding/testing.hpp"

namespace nttforge::bgv::testing {

using namespace integer_encoding::testing;  // NOLINT: the layer's helpers beside its own

struct Bgv {
  using Parameters = bgv::Parameters;
  using Context = bgv::Context;
  using Evaluator = bgv::Evaluator;
  /// Levels, and operands of different ones.
  static std::vector<Ciphertext> further_operations(const Evaluator& e, const Ciphertext& x,
                                                    const Ciphertext& product,
                                                    const RelinearizationKey& key) {
    if (product.level() == 1) return {};
    const Ciphertext lower = e.mod_switch(product), relinearized = e.relinearize(lower, key);
    return {lower,
            relinearized,
            e.add(relinearized, x),
            e.sub(x, lower),
            e.multiply(x, relinearized),
            e.mod_switch_to(x, 1),
            e.shrink(x),
            e.shrink(e.add(x, x), 2)};
  }
};
using Party = PartyOf<Bgv>;

inline Parameters small_parameters(std::size_t n, std::uint64_t t, std::size_t limbs = 3, unsigned bits = 45,
                                   bool special = true) {
  return small_set<Parameters>(n, t, limbs, bits, special);
}

/// The recommended set with words of 32 bits; digit_primes 0: as recommended.
inline Parameters narrow_preset(std::size_t n, std::size_t digit_primes = 0, std::uint64_t t = 0) {
  return Parameters::preset(n, t, SecurityLevel::classical128, kStrictestTable, 32, digit_primes);
}

inline Parameters hybrid_parameters(std::size_t n, std::uint64_t t, std::size_t limbs, unsigned bits,
                                    std::size_t special, std::size_t digit_primes = 0) {
  return hybrid_set<Parameters>(n, t, limbs, bits, special, digit_primes);
}

}  // namespace nttforge::bgv::testing
