// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/mod_down.hpp"

#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/rns/base_conversion.hpp"

namespace nttforge {
namespace {

/// (x - factor r) / p with r = x weight modulo p, centred.
RnsStep divide_by_last(const RnsBase& base, std::uint64_t weight, std::uint64_t factor) {
  const std::size_t k = base.size() - 1;
  const std::uint64_t p = base.values()[k];
  RnsStep step{.sources = {p}, .targets = {base.values().begin(), base.values().end() - 1}};
  step.modulus = p;
  step.weights = {weight};
  for (std::size_t j = 0; j < k; ++j) {
    const Modulus& q = base.modulus(j);
    const std::uint64_t inverse = q.inverse(q.reduce(p));
    step.own.push_back(inverse);
    step.excess.push_back(q.negate(q.mul(q.reduce(factor), inverse)));
  }
  return step;
}

void require_two(const RnsBase& base) {
  if (base.size() < 2)
    throw ParameterError("base has " + std::to_string(base.size()) +
                         " modulus: dividing by the last one needs at least 2");
}

}  // namespace

RnsStep mod_down(const RnsBase& base) {
  require_two(base);
  return divide_by_last(base, 1, 1);
}

RnsStep switch_modulus(const RnsBase& base, std::uint64_t t) {
  require_two(base);
  const Modulus& p = base.modulus(base.size() - 1);
  return divide_by_last(base, p.inverse(p.reduce(t)), t);
}

// [x]_P + u P = sum_i y_i P / p_i, so x / P - sum_i y_i / p_i = floor(x / P) - u.
RnsStep mod_down_fast(const RnsBase& q, const RnsBase& special) {
  RnsStep step = fast_base_conversion(special, q.values());
  step.factors.clear();
  for (std::size_t j = 0; j < q.size(); ++j) {
    const Modulus& m = q.modulus(j);
    step.own.push_back(m.inverse(product_mod(special.values(), m)));
    for (const std::uint64_t p : special.values()) step.factors.push_back(m.negate(m.inverse(m.reduce(p))));
    step.offset.push_back(m.reduce(special.size() / 2));
  }
  return step;
}

RnsStep switch_modulus_fast(const RnsBase& q, const RnsBase& special, std::uint64_t t) {
  RnsStep step = mod_down_fast(q, special);
  for (std::size_t i = 0; i < special.size(); ++i) {
    const Modulus& p = special.modulus(i);
    step.scale[i] = p.mul(step.scale[i], p.inverse(p.reduce(t)));
  }
  for (std::size_t j = 0; j < q.size(); ++j) {
    const Modulus& m = q.modulus(j);
    const std::uint64_t factor = m.reduce(t);
    step.offset[j] = m.mul(step.offset[j], factor);
    for (std::size_t i = 0; i < special.size(); ++i) {
      std::uint64_t& entry = step.factors[j * special.size() + i];
      entry = m.mul(entry, factor);
    }
  }
  return step;
}

// The correction is floor(sum_i y_i / p_i + 1/2) = u, or u + 1 where [x]_P is at least P / 2.
RnsStep mod_down_nearest(const RnsBase& q, const RnsBase& special) {
  RnsStep step = mod_down_fast(q, special);
  step.offset.clear();
  step.nearest = true;
  set_fractions(step);
  step.excess.assign(q.size(), 1);
  return step;
}

}  // namespace nttforge
