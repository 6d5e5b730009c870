// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/noise_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "nttforge/rns/big_uint.hpp"

namespace nttforge::bfv {
namespace {

// Standard deviations: at the n/2 complex roots |a|^2 / (n variance) is exponential with mean 1, so 6.5 fails
// with n/2 exp(-6.5^2) < 2^-44 for n <= 2^17; coefficients are normal, so 9 fails with n erfc(9 / sqrt 2) <
// 2^-44.
constexpr double kCanonical = 6.5;
constexpr double kCoefficient = 9;

double log2_sum(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return std::isinf(low) ? high : high + std::log2(1 + std::exp2(low - high));
}

}  // namespace

NoiseModel::NoiseModel(const Parameters& parameters)
    : n_(static_cast<double>(parameters.n)),
      t_(static_cast<double>(parameters.t)),
      q_log2_(BigUint::product(parameters.q).log2()),
      limbs_(static_cast<double>(parameters.q.size())),
      sigma_(error_sigma(parameters.error)) {
  limit_ = q_log2_ - 1 - std::log2(t_);
  const double ones = 2 * n_ / std::numbers::pi;  // bound on |1 + X + ... + X^(n-1)| at the roots
  if (parameters.secret == SecretDistribution::ternary) {
    secret_square_ = 2.0 / 3.0;
    secret_canonical_ = kCanonical * std::sqrt(n_ * secret_square_);
  } else {
    secret_square_ = 0.5;
    secret_canonical_ = ones / 2 + kCanonical * std::sqrt(n_ / 4);
  }
  if (parameters.p == 0) return;
  special_ = static_cast<double>(parameters.p);
  const double digit = ones / 2 + kCanonical * std::sqrt(n_ / 12);  // of a digit uniform in [0, 1)
  double squares = 0;
  for (std::uint64_t q : parameters.q) squares += std::pow(static_cast<double>(q) / special_ * digit, 2);
  digits_ = std::sqrt(squares);
}

std::int32_t NoiseModel::stored_level(const Noise& noise) const {
  const double level = std::ceil(budget_bits(noise) / kStoredNoiseBits) - 1;
  return std::clamp(static_cast<std::int32_t>(level), lowest_stored_level(), highest_stored_level());
}

std::int32_t NoiseModel::lowest_stored_level() const {
  return static_cast<std::int32_t>(std::ceil((limit_ - kMaxNoiseLog2) / kStoredNoiseBits)) - 1;
}

std::int32_t NoiseModel::highest_stored_level() const {
  return static_cast<std::int32_t>(std::ceil(budget_bits(fresh_secret()) / kStoredNoiseBits)) - 1;
}

Noise NoiseModel::from_stored_level(std::int32_t level) const {
  // The largest multiple of the step below this limit, so that the budget is above that of the level.
  const double limit = limit_ - static_cast<double>(kStoredNoiseBits) * level;
  const double coefficient = (std::ceil(limit / kNoiseStep) - 1) * kNoiseStep;
  return {coefficient, coefficient + std::log2(n_)};
}

Noise NoiseModel::fresh_secret() const {
  const double deviation = std::sqrt(sigma_ * sigma_ + 1.0 / 12);
  return {std::log2(kCoefficient * deviation), std::log2(kCanonical * std::sqrt(n_) * deviation)};
}

Noise NoiseModel::fresh_public() const {
  // u e + e_0 + e_1 s, divided by p, and the roundings r_0 + r_1 s; and the rounding of Q m / t.
  const double scale = special_ == 0 ? 1 : 1 / special_;
  const double rounding = special_ == 0 ? 0 : 1.0 / 12;
  const double variance = std::pow(sigma_ * scale, 2) * (2 * n_ * secret_square_ + 1) +
                          rounding * (1 + n_ * secret_square_) + 1.0 / 12;
  const double error = kCanonical * sigma_ * std::sqrt(n_) * (1 + 2 * secret_canonical_) * scale;
  const double rounds = kCanonical * std::sqrt(n_ * rounding) * (1 + secret_canonical_);
  return {std::log2(kCoefficient * std::sqrt(variance)),
          std::log2(error + rounds + kCanonical * std::sqrt(n_ / 12))};
}

Noise NoiseModel::add(const Noise& a, const Noise& b) const {
  return {log2_sum(a.coefficient, b.coefficient), log2_sum(a.canonical, b.canonical)};
}

Noise NoiseModel::add_plain(const Noise& a) const {
  return {log2_sum(a.coefficient, -1), log2_sum(a.canonical, std::log2(kCanonical * std::sqrt(n_ / 12)))};
}

Noise NoiseModel::multiply_plain(const Noise& a, double norm) const {
  // The l1 norm bounds the plaintext at the roots and its action on coefficients; no assumption needed.
  const double norm_log2 = std::log2(std::max(norm, 1.0));
  return {a.coefficient + norm_log2, a.canonical + norm_log2};
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

Noise NoiseModel::key_switch(const Noise& a) const {
  const double error = kCanonical * sigma_ * std::sqrt(n_) * digits_;
  const double rounds = kCanonical * std::sqrt(n_ / 12) * (1 + secret_canonical_);
  const double rounds_coefficient = kCoefficient * std::sqrt((1 + n_ * secret_square_) / 12);
  // A coefficient of sum d_i e_i: each d_i has at most n coefficients below q_i, digits_ >= q_i / p n / pi.
  const double error_coefficient = kCoefficient * sigma_ * digits_ * std::numbers::pi / std::sqrt(n_);
  return {log2_sum(a.coefficient, std::log2(error_coefficient + rounds_coefficient)),
          log2_sum(a.canonical, std::log2(error + rounds))};
}

Noise NoiseModel::level(const Noise& a) const {
  Noise operand = add_plain(add(a, a));
  if (special_ == 0) return multiply(operand, operand);
  operand = key_switch(operand);
  return key_switch(multiply(operand, operand));
}

}  // namespace nttforge::bfv
