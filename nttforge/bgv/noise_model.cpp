// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bgv/noise_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace nttforge::bgv {
namespace {

using rlwe::log2_sum;
using rlwe::ProvedNoise;

constexpr double kAssumed = 40;  // each assumption fails with a probability below 2^-40

Noise plus(const Noise& a, const Noise& b) {
  return {log2_sum(a.coefficient, b.coefficient), log2_sum(a.canonical, b.canonical), 0,
          rlwe::plus(a.proved, b.proved)};
}

Noise times(const Noise& a, double factor_log2) {
  return {a.coefficient + factor_log2, a.canonical + factor_log2, 0, rlwe::times(a.proved, factor_log2)};
}

using rlwe::rounded;

Noise log2_of(double coefficient, double canonical, const ProvedNoise& proved) {
  return {std::log2(coefficient), std::log2(canonical), 0, proved};
}

}  // namespace

NoiseModel::NoiseModel(const integer_encoding::IntegerParameters& parameters)
    : IntegerNoiseModel(parameters),
      t_(static_cast<double>(parameters.t)),
      limits_{-1},
      ones_(1 / std::sin(std::numbers::pi / (2 * n_))) {
  const double tail = std::log(n_ / 2 * std::exp2(kAssumed));
  at_roots_ = std::sqrt(tail);
  product_at_roots_ = (tail + std::log(std::numbers::pi * tail) / 2) / 2;
  in_coefficients_ = std::sqrt(2 * std::log(n_ * std::exp2(kAssumed)));
  const auto small = [&](const SecretDistribution& distribution) {
    const SecretDistribution::Facts facts = distribution.facts(parameters.n);
    const double variance = facts.square - facts.mean * facts.mean;
    return Small{
        n_ * facts.square, facts.mean * ones_ + at_roots_ * std::sqrt(n_ * variance),
        at_roots_ * std::sqrt(n_) * facts.mean * ones_ + product_at_roots_ * n_ * std::sqrt(variance)};
  };
  secret_ = small(parameters.secret);
  mask_ = small({parameters.secret.facts(parameters.n).mask, 0});
  for (const std::uint64_t q : parameters.q) {
    moduli_.push_back(std::log2(static_cast<double>(q)));
    limits_.push_back(limits_.back() + moduli_.back());
  }
  for (std::size_t level = 0; level <= moduli_.size(); ++level) {
    const double deviation = at_roots_ * std::sqrt(n_ / 12);
    double coefficients = 0, canonical = 0;
    for (const Digit& digit : digits(level)) {
      // A sum of uniform polynomials in [0, 1): below its terms, and at the roots its mean and deviation.
      coefficients += std::pow(digit.primes * digit.ratio, 2);
      canonical +=
          std::pow(digit.ratio * (digit.primes * ones_ / 2 + std::sqrt(digit.primes) * deviation), 2);
    }
    digits_.push_back({std::sqrt(coefficients), std::sqrt(canonical)});
  }
}

// Any polynomial with coefficients in [-t/2, t/2].
Noise NoiseModel::message() const {
  return log2_of(t_ / 2, t_ / 2 * ones_, rlwe::proved(t_ / 2, t_ / 2 * ones_));
}

ProvedNoise NoiseModel::scaled(const ProvedNoise& a) const { return rlwe::times(a, std::log2(t_)); }

Noise NoiseModel::rounding(std::span<const double> units) const {
  const auto square = [](double x) { return x * x; };
  double coefficients = square(units[0]) + square(units[1]) * secret_.square;
  double canonical = units[0] * at_roots_ * std::sqrt(n_) + units[1] * secret_.product;
  double largest[] = {units[0] / 2, units[1] / 2, 0};
  if (units.size() == 3) {
    coefficients += square(units[2]) * secret_.canonical * secret_.canonical * secret_.square;
    canonical += units[2] * secret_.product * secret_.canonical;
    largest[2] = units[2] / 2;
  }
  return log2_of(t_ * in_coefficients_ * std::sqrt(coefficients / 12), t_ * canonical / std::sqrt(12.0),
                 scaled(samples().parts(std::span(largest).first(units.size()))));
}

Noise NoiseModel::rounding(std::size_t parts) const {
  constexpr double kOnes[] = {1, 1, 1};
  return rounding(std::span(kOnes).first(parts));
}

Noise NoiseModel::round_parts(const Noise& a, std::span<const double> units) const {
  return plus(a, rounding(units));
}

Noise NoiseModel::divided() const {
  const double terms = std::sqrt(division().terms), mean = division().mean * t_;
  Noise divided = times(rounding(), std::log2(terms));
  if (mean != 0)
    divided = plus(divided, log2_of(mean * (1 + secret_sum(in_coefficients_)),
                                    mean * ones_ * (1 + secret_.canonical), {}));
  divided.proved = scaled(samples().division());
  return divided;
}

Noise NoiseModel::fresh_secret() const {
  const double error = t_ * sigma_;
  return plus(message(), log2_of(in_coefficients_ * error, at_roots_ * std::sqrt(n_) * error,
                                 scaled(samples().error())));
}

Noise NoiseModel::fresh_public() const {
  const double error = t_ * sigma_ / (special_ == 0 ? 1 : special_);
  const Noise masked = log2_of(in_coefficients_ * error * std::sqrt(secret_.square + mask_.square + 1),
                               error * (at_roots_ * std::sqrt(n_) + (secret_.product + mask_.product)),
                               scaled(samples().public_error()));
  return plus(special_ == 0 ? masked : plus(masked, divided()), message());
}

Noise NoiseModel::add_plain(const Noise& a) const { return plus(a, message()); }

Noise NoiseModel::scale(const Noise& a, double f) const { return times(a, std::log2(std::abs(f))); }

double NoiseModel::euclidean(const Noise& a) const {
  return std::min(a.canonical, a.coefficient + std::log2(n_) / 2);
}

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

Noise NoiseModel::key_switch(const Noise& a, std::size_t level) const {
  const double error = t_ * sigma_ * std::sqrt(n_);
  return plus(
      plus(a, log2_of(in_coefficients_ * error * digits_[level].coefficients,
                      at_roots_ * error * digits_[level].canonical, scaled(samples().switched(level)))),
      divided());
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
  std::size_t level = moduli_.size();
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
