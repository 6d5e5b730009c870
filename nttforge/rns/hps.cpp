// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/hps.hpp"

#include <vector>

#include "nttforge/rns/base_conversion.hpp"

namespace nttforge {
namespace {

/// The fractions of t / q_i, rounded to the nearest integer in the sum.
void add_fractions_of(RnsStep& step, const RnsBase& q, std::uint64_t t) {
  std::vector<std::uint64_t> numerators;
  for (std::size_t i = 0; i < q.size(); ++i) numerators.push_back(t % q.values()[i]);
  step.nearest = true;
  set_fractions(step, numerators);
  for (const std::uint64_t m : step.targets) step.excess.push_back(1 % m);
}

}  // namespace

// sum_i y_i Q / q_i = [x]_Q + u Q, and sum_i y_i / q_i = [x]_Q / Q + u.
RnsStep hps_extend(const RnsBase& q, std::span<const std::uint64_t> targets, bool nearest) {
  RnsStep step = fast_base_conversion(q, targets);
  step.nearest = nearest;
  set_fractions(step, std::vector<std::uint64_t>(q.size(), 1));
  for (const std::uint64_t target : targets) {
    const Modulus m(target);
    step.excess.push_back(m.negate(product_mod(q.values(), m)));
  }
  return step;
}

// t x / Q = t [x]_Q / Q + t w with w = (x - [x]_Q) / Q, which modulo a target is x / Q + u - sum_i y_i / q_i;
// and t [x]_Q / Q = sum_i y_i t / q_i - t u. The multiples of u cancel.
RnsStep hps_scale(const RnsBase& q, const RnsBase& targets, std::uint64_t t) {
  RnsStep step = fast_base_conversion(q, targets.values());
  step.factors.clear();
  for (std::size_t j = 0; j < targets.size(); ++j) {
    const Modulus& m = targets.modulus(j);
    const std::uint64_t t_mod = m.reduce(t);
    step.own.push_back(m.mul(t_mod, m.inverse(product_mod(q.values(), m))));
    for (const std::uint64_t s : q.values())
      step.factors.push_back(m.sub(m.reduce(t / s), m.mul(t_mod, m.inverse(m.reduce(s)))));
  }
  add_fractions_of(step, q, t);
  return step;
}

RnsStep hps_decrypt(const RnsBase& q, std::uint64_t t) {
  const std::uint64_t target[] = {t};
  RnsStep step = fast_base_conversion(q, target);
  step.factors.clear();
  for (const std::uint64_t s : q.values()) step.factors.push_back(t / s % t);
  add_fractions_of(step, q, t);
  return step;
}

}  // namespace nttforge
