// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/linear_map.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/ckks/evaluator.hpp"
#include "nttforge/ckks/scale.hpp"

namespace nttforge::ckks {

LinearMap::LinearMap(std::vector<std::int64_t> baby_steps, std::vector<std::int64_t> giant_steps,
                     const Factors& factors, double gain)
    : circuit_(std::move(baby_steps), std::move(giant_steps), factors.polynomials),
      meta_(factors.meta),
      gain_(gain) {
  if (!(gain > 0 && std::isfinite(gain)))
    throw ParameterError("gain = " + std::to_string(gain) + " must be positive and finite");
}

Ciphertext Evaluator::apply(const LinearMap& map, const Ciphertext& a, const RotationKeys& keys) const {
  require_compatible(*context_, a.context(), "a");
  require_compatible(*context_, map.circuit().context(), "map");
  const Meta& factor = map.meta();
  if (a.meta().slots != factor.slots)
    throw ParameterError("a has " + std::to_string(a.meta().slots) +
                         " slots, and the map is for messages of " + std::to_string(factor.slots) +
                         ": make it with the same slots=");
  Ciphertext x = settled(a);
  if (x.level() < factor.level)
    throw ParameterError("a is at level " + std::to_string(x.level()) + ", and the map is for level " +
                         std::to_string(factor.level) + ": make it with level=" + std::to_string(x.level()));
  x = mod_switch_to(x, factor.level).in(Form::values);
  const NoiseModel& model = context_->noise_model();
  const auto at_roots = [](Meta meta) {  // which bounds coefficients too
    meta.noise.coefficient = meta.noise.canonical;
    meta.noise.proved.coefficient = meta.noise.proved.canonical;
    return meta;
  };
  x.set_meta(at_roots(x.meta()));
  Ciphertext result = circuits::apply(*this, map.circuit(), x, keys);
  Meta meta = at_roots(result.meta());
  const double products = std::log2(static_cast<double>(map.circuit().factors().batch()));
  meta.scale = scale_of(x.meta().scale, factor.scale, {}, {});
  meta.numbers = {x.meta().numbers.bound + std::log2(map.gain()),
                  x.meta().numbers.real && factor.numbers.real};
  meta.noise =
      rlwe::rounded(model.sum(meta.noise, model.times(factor.noise, message_log2(x.meta()) + products)));
  context_->require_message(meta);
  result.set_meta(meta);
  return divided(result);
}

}  // namespace nttforge::ckks
