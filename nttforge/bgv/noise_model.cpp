// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bgv/noise_model.hpp"

#include <algorithm>
#include <cmath>

namespace nttforge::bgv {

using rlwe::log2_of, rlwe::plus, rlwe::ProvedNoise, rlwe::rounded, rlwe::times;

NoiseModel::NoiseModel(const integer_encoding::IntegerParameters& parameters)
    : RlweNoiseModel(parameters),
      PhaseNoiseModel(parameters, static_cast<double>(parameters.t)),
      limits_{-1} {
  for (const std::uint64_t q : parameters.q)
    limits_.push_back(limits_.back() + std::log2(static_cast<double>(q)));
}

// Any polynomial with coefficients in [-t/2, t/2].
Noise NoiseModel::message() const {
  return log2_of(factor_ / 2, factor_ / 2 * ones_, rlwe::proved(factor_ / 2, factor_ / 2 * ones_));
}

Noise NoiseModel::fresh_secret() const { return plus(message(), secret_error()); }

Noise NoiseModel::fresh_public() const { return plus(public_error(), message()); }

Noise NoiseModel::add_plain(const Noise& a) const { return plus(a, message()); }

Noise NoiseModel::multiply(const Noise& a, const Noise& b, std::size_t terms) const {
  const ProvedNoise product{rlwe::euclidean_log2(a.proved, n_) + rlwe::euclidean_log2(b.proved, n_),
                            a.proved.canonical + b.proved.canonical};
  return times({euclidean(a) + euclidean(b), a.canonical + b.canonical, 0, product},
               std::log2(static_cast<double>(terms)));
}

Noise NoiseModel::to_level(Noise a, std::size_t level, std::size_t lower, std::size_t parts) const {
  a = rounded(a);
  for (; level > lower; --level) a = rounded(switch_modulus(a, level, parts));
  return a;
}

double NoiseModel::product_budget(const Noise& a, const Noise& b, std::size_t level) const {
  return budget_bits(rounded(multiply(a, b)), level);
}

NoiseModel::Operands NoiseModel::product_level(Noise a, std::size_t level_a, Noise b,
                                               std::size_t level_b) const {
  Operands at{std::min(level_a, level_b), {}, {}};
  at.a = to_level(a, level_a, at.level);
  at.b = to_level(b, level_b, at.level);
  if (!a.known() || !b.known()) return at;
  double budget = product_budget(at.a, at.b, at.level);
  while (at.level > 1) {
    const Operands below{at.level - 1, to_level(at.a, at.level, at.level - 1),
                         to_level(at.b, at.level, at.level - 1)};
    const double lower = product_budget(below.a, below.b, below.level);
    if (lower < budget) break;
    at = below;
    budget = lower;
  }
  return at;
}

// A sum of two, a plaintext added, rotated once where there are keys to rotate.
Noise NoiseModel::operand(const Noise& a, std::size_t level) const {
  const Noise doubled = rounded(add_plain(rounded(add(a, a))));
  return special_ == 0 ? doubled : rounded(key_switch(doubled, level));
}

NoiseModel::Promise NoiseModel::promise(bool proved) const {
  const unsigned most = special_ == 0 ? 1 : 1000;
  std::size_t level = limits_.size() - 1;
  Noise noise = rounded(fresh_public());
  Promise promise{0, budget_bits(operand(noise, level), level)};
  while (promise.depth < most) {
    noise = operand(noise, level);
    const Operands at = product_level(noise, level, noise, level);
    level = at.level;
    noise = rounded(multiply(at.a, at.b));
    if (special_ != 0) noise = rounded(key_switch(noise, level));
    const double left = proved ? proved_budget_bits(noise, level) : budget_bits(noise, level);
    if (left <= 0) break;
    promise = {promise.depth + 1, left};
  }
  return promise;
}

}  // namespace nttforge::bgv
