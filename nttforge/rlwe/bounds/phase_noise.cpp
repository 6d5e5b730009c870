// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/bounds/phase_noise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace nttforge::rlwe {
namespace {

constexpr double kAssumed = 40;  // each assumption fails with a probability below 2^-40

}  // namespace

Noise plus(const Noise& a, const Noise& b) {
  return {log2_sum(a.coefficient, b.coefficient), log2_sum(a.canonical, b.canonical), 0,
          plus(a.proved, b.proved)};
}

Noise times(const Noise& a, double factor_log2) {
  return {a.coefficient + factor_log2, a.canonical + factor_log2, 0, times(a.proved, factor_log2)};
}

Noise log2_of(double coefficient, double canonical, const ProvedNoise& proved) {
  return {std::log2(coefficient), std::log2(canonical), 0, proved};
}

PhaseNoiseModel::PhaseNoiseModel(const RlweParameters& parameters, double error_factor)
    : factor_(error_factor) {
  ones_ = 1 / std::sin(std::numbers::pi / (2 * n_));  // n_ is of the virtual base
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
  for (std::size_t level = 0; level <= parameters.top_level(); ++level) {
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

ProvedNoise PhaseNoiseModel::scaled(const ProvedNoise& a) const { return times(a, std::log2(factor_)); }

Noise PhaseNoiseModel::rounding(std::span<const double> units) const {
  const auto square = [](double x) { return x * x; };
  double coefficients = square(units[0]) + square(units[1]) * secret_.square;
  double canonical = units[0] * at_roots_ * std::sqrt(n_) + units[1] * secret_.product;
  double largest[] = {units[0] / 2, units[1] / 2, 0};
  if (units.size() == 3) {
    coefficients += square(units[2]) * secret_.canonical * secret_.canonical * secret_.square;
    canonical += units[2] * secret_.product * secret_.canonical;
    largest[2] = units[2] / 2;
  }
  return log2_of(factor_ * in_coefficients_ * std::sqrt(coefficients / 12),
                 factor_ * canonical / std::sqrt(12.0),
                 scaled(samples().parts(std::span(largest).first(units.size()))));
}

Noise PhaseNoiseModel::rounding(std::size_t parts) const {
  constexpr double kOnes[] = {1, 1, 1};
  return rounding(std::span(kOnes).first(parts));
}

Noise PhaseNoiseModel::round_parts(const Noise& a, std::span<const double> units) const {
  return plus(a, rounding(units));
}

Noise PhaseNoiseModel::divided() const {
  const double terms = std::sqrt(division().terms), mean = division().mean * factor_;
  Noise divided = times(rounding(), std::log2(terms));
  if (mean != 0)
    divided = plus(divided, log2_of(mean * (1 + secret_sum(in_coefficients_)),
                                    mean * ones_ * (1 + secret_.canonical), {}));
  divided.proved = scaled(samples().division());
  return divided;
}

Noise PhaseNoiseModel::secret_error() const {
  const double error = factor_ * sigma_;
  return log2_of(in_coefficients_ * error, at_roots_ * std::sqrt(n_) * error, scaled(samples().error()));
}

Noise PhaseNoiseModel::public_error() const {
  const double error = factor_ * sigma_ / (special_ == 0 ? 1 : special_);
  const Noise masked = log2_of(in_coefficients_ * error * std::sqrt(secret_.square + mask_.square + 1),
                               error * (at_roots_ * std::sqrt(n_) + (secret_.product + mask_.product)),
                               scaled(samples().public_error()));
  return special_ == 0 ? masked : plus(masked, divided());
}

Noise PhaseNoiseModel::scale(const Noise& a, double f) const { return times(a, std::log2(std::abs(f))); }

double PhaseNoiseModel::euclidean(const Noise& a) const {
  return std::min(a.canonical, a.coefficient + std::log2(n_) / 2);
}

Noise PhaseNoiseModel::switched(std::size_t level) const {
  const double error = factor_ * sigma_ * std::sqrt(n_);
  return log2_of(in_coefficients_ * error * digits_[level].coefficients,
                 at_roots_ * error * digits_[level].canonical, scaled(samples().switched(level)));
}

Noise PhaseNoiseModel::key_products(const Noise& a, std::size_t level) const {
  return plus(a, switched(level));
}

Noise PhaseNoiseModel::key_switch(const Noise& a, std::size_t level) const {
  return plus(key_products(a, level), divided());
}

// The primes that the key lacks divide nothing; what a division by fewer primes leaves is less.
Noise PhaseNoiseModel::key_switch(const Noise& a, std::size_t level, std::size_t special) const {
  return plus(plus(a, times(switched(level), special_log2(special))), divided());
}

}  // namespace nttforge::rlwe
