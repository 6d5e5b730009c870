// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/plain.hpp"

#include "nttforge/rns/base_conversion.hpp"
#include "nttforge/rns/scale.hpp"

namespace nttforge {

RnsStep lift_centred(const RnsBase& q, std::uint64_t t, std::uint64_t factor) {
  RnsStep step{.sources = {t}, .targets = {q.values().begin(), q.values().end()}};
  step.modulus = t;
  step.weights = {factor % t};
  step.excess.assign(q.size(), 1);
  return step;
}

// S = [gamma x]_Q + u Q and gamma x = S + Q d with d = -S Q^-1 modulo gamma, centred.
RnsStep reduce_centred(const RnsBase& q, std::uint64_t t, std::uint64_t gamma, std::uint64_t factor) {
  const Modulus target(t), redundant(gamma);
  const std::uint64_t targets[] = {t};
  RnsStep step = fast_base_conversion(q, targets, BigUint(gamma));
  const std::uint64_t back = target.mul(target.reduce(factor), target.inverse(target.reduce(gamma)));
  step.modulus = gamma;
  for (std::uint64_t& value : step.factors) value = target.mul(value, back);
  for (const std::uint64_t value : q.values())
    step.weights.push_back(redundant.negate(redundant.inverse(redundant.reduce(value))));
  step.excess = {target.mul(product_mod(q.values(), target), back)};
  step.limit = exhausted_distance(gamma) - 1;
  return step;
}

}  // namespace nttforge
