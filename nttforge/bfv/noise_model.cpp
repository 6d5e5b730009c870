// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/noise_model.hpp"

#include <cmath>
#include <numbers>

#include "nttforge/rns/big_uint.hpp"

namespace nttforge::bfv {
NoiseModel::NoiseModel(const RlweParameters& parameters)
    : RlweNoiseModel(parameters),
      t_(static_cast<double>(parameters.t)),
      q_log2_(BigUint::product(parameters.q).log2()),
      limbs_(static_cast<double>(parameters.limbs())),
      limit_(q_log2_ - 1 - std::log2(t_)) {
  const double ones = 2 * n_ / std::numbers::pi, deviation = kCanonical * std::sqrt(n_ / 12);
  double squares = 0;
  for (const Digit& digit : digits(parameters.limbs())) {
    // A sum of uniform polynomials in [0, 1): its mean, and its deviation at the roots.
    const double canonical = digit.primes * ones / 2 + std::sqrt(digit.primes) * deviation;
    squares += std::pow(digit.ratio * canonical, 2);
  }
  digits_ = std::sqrt(squares);
}

NoiseModel::Rounding NoiseModel::rounding() const {
  // r_0 + r_1 s: the centred parts of r_i, and their mean, which is m (1 + X + ... + X^(n-1)).
  const double ones = 2 * n_ / std::numbers::pi, mean = division().mean, variance = division().terms / 12;
  return {variance * (1 + n_ * secret_square_), mean * (1 + secret_sum(kCoefficient)),
          kCanonical * std::sqrt(n_ * variance) * (1 + secret_canonical_) +
              mean * ones * (1 + secret_canonical_)};
}

Noise NoiseModel::fresh_secret() const {
  const double deviation = std::sqrt(sigma_ * sigma_ + 1.0 / 12);
  return {std::log2(kCoefficient * deviation), std::log2(kCanonical * std::sqrt(n_) * deviation)};
}

Noise NoiseModel::fresh_public() const {
  // u e + e_0 + e_1 s, divided by P, and the roundings r_0 + r_1 s; and the rounding of Q m / t.
  const double scale = special_ == 0 ? 1 : 1 / special_;
  const Rounding rounds = rounding();
  const double variance =
      std::pow(sigma_ * scale, 2) * (2 * n_ * secret_square_ + 1) + rounds.variance + 1.0 / 12;
  const double error = kCanonical * sigma_ * std::sqrt(n_) * (1 + 2 * secret_canonical_) * scale;
  return {std::log2(kCoefficient * std::sqrt(variance) + rounds.mean),
          std::log2(error + rounds.canonical + kCanonical * std::sqrt(n_ / 12))};
}

Noise NoiseModel::add_plain(const Noise& a) const {
  return {log2_sum(a.coefficient, -1), log2_sum(a.canonical, std::log2(kCanonical * std::sqrt(n_ / 12)))};
}

Noise NoiseModel::multiply(const Noise& a, const Noise& b, std::size_t terms) const {
  // v = t v_a c_b(s)/Q + t v_b c_a(s)/Q - t/Q v_a v_b + (e_0 + e_1 s + e_2 s^2), e in (-limbs, 0] from the
  // floor.
  const double sum =
      log2_sum(a.canonical, b.canonical) + std::log2(t_) + std::log2(static_cast<double>(terms));
  const double product =
      a.canonical + b.canonical + std::log2(t_) - q_log2_ + std::log2(static_cast<double>(terms));
  const double part = kCanonical * std::sqrt(n_ / 12) * (1 + secret_canonical_);  // of c(s)/Q at the roots
  const double part_coefficient = kCoefficient * std::sqrt((1 + n_ * secret_square_) / 12);
  const double floor_error = limbs_ * (n_ / std::numbers::pi + kCanonical * std::sqrt(n_) / 2) *
                             (1 + secret_canonical_ + secret_canonical_ * secret_canonical_);
  const double rest = log2_sum(product, std::log2(floor_error));
  return {log2_sum(sum + std::log2(part_coefficient), rest), log2_sum(sum + std::log2(part), rest)};
}

Noise NoiseModel::key_switch(const Noise& a, std::size_t) const {
  const double error = kCanonical * sigma_ * std::sqrt(n_) * digits_;
  const Rounding rounds = rounding();
  const double rounds_coefficient = kCoefficient * std::sqrt(rounds.variance) + rounds.mean;
  // A coefficient of sum d_i e_i: each d_i has at most n coefficients below D_i times its primes, digits_ is
  // at least that times n / (pi P).
  const double error_coefficient = kCoefficient * sigma_ * digits_ * std::numbers::pi / std::sqrt(n_);
  return {log2_sum(a.coefficient, std::log2(error_coefficient + rounds_coefficient)),
          log2_sum(a.canonical, std::log2(error + rounds.canonical))};
}

Noise NoiseModel::level(const Noise& a) const {
  Noise operand = add_plain(add(a, a));
  if (special_ == 0) return multiply(operand, operand);
  operand = key_switch(operand, 0);
  return key_switch(multiply(operand, operand), 0);
}

}  // namespace nttforge::bfv
