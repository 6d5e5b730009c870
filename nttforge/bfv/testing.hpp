// SPDX-License-Identifier: Apache-2.0
#pragma once

// Helpers of the bfv/ tests. Not installed.

#include "nttforge/bfv/bfv.hpp"
#include "nttforge/integer_encoding/testing.hpp"

namespace nttforge::bfv::testing {

using namespace integer_encoding::testing;  // NOLINT: the layer's helpers beside its own

struct Bfv {
  using Parameters = bfv::Parameters;
  using Context = bfv::Context;
  using Evaluator = bfv::Evaluator;
  /// Levels, and operands of different ones.
  static std::vector<Ciphertext> further_operations(const Evaluator& e, const Ciphertext& x,
                                                    const Ciphertext& product,
                                                    const RelinearizationKey& key) {
    const std::size_t lowest = x.context()->lowest_level();
    if (product.level() == lowest) return {};
    const Ciphertext lower = e.mod_switch(product), relinearized = e.relinearize(lower, key);
    return {lower,
            relinearized,
            e.add(relinearized, x),
            e.sub(x, lower),
            e.multiply(x, relinearized),
            e.mod_switch_to(x, lowest),
            e.shrink(x),
            e.shrink(e.add(x, x), 2)};
  }
};
using Party = PartyOf<Bfv>;

/// BFV whose products have this form.
template <ProductForm kForm>
struct BfvBy : Bfv {
  struct Context {
    static ContextPtr create(Parameters parameters, std::shared_ptr<const Device> device) {
      return bfv::Context::create(std::move(parameters), std::move(device), kForm);
    }
  };
};

inline constexpr ProductForm kProductForms[] = {ProductForm::behz, ProductForm::hps, ProductForm::hps_over_q,
                                                ProductForm::hps_levelled};

inline Parameters small_parameters(std::size_t n, std::uint64_t t, std::size_t limbs = 2, unsigned bits = 45,
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

}  // namespace nttforge::bfv::testing
