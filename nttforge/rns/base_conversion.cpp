// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/base_conversion.hpp"

namespace nttforge {

RnsStep fast_base_conversion(const RnsBase& from, std::span<const std::uint64_t> to, const BigUint& factor) {
  RnsStep step{.sources = {from.values().begin(), from.values().end()}, .targets = {to.begin(), to.end()}};
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Modulus& q = from.modulus(i);
    step.scale.push_back(q.mul(factor.mod(q.value()), from.inverse_punctured(i).value));
  }
  for (const std::uint64_t target : to) {
    const Modulus m(target);
    for (std::size_t i = 0; i < from.size(); ++i) step.factors.push_back(from.punctured_mod(i, m));
  }
  return step;
}

std::uint64_t product_mod(std::span<const std::uint64_t> factors, const Modulus& m) {
  std::uint64_t result = 1 % m.value();
  for (const std::uint64_t factor : factors) result = m.mul(result, m.reduce(factor));
  return result;
}

}  // namespace nttforge
