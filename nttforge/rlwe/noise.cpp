// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/noise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace nttforge::rlwe {

double log2_sum(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return std::isinf(low) ? high : high + std::log2(1 + std::exp2(low - high));
}

RlweNoiseModel::RlweNoiseModel(const RlweParameters& parameters)
    : n_(static_cast<double>(parameters.n)),
      sigma_(error_sigma(parameters.error)),
      special_(static_cast<double>(parameters.p)),
      digits_(parameters.limbs() + 1, 0) {
  const double ones = 2 * n_ / std::numbers::pi;  // bound on |1 + X + ... + X^(n-1)| at the roots
  if (parameters.secret == SecretDistribution::ternary) {
    secret_square_ = 2.0 / 3.0;
    secret_canonical_ = kCanonical * std::sqrt(n_ * secret_square_);
  } else {
    secret_square_ = 0.5;
    secret_canonical_ = ones / 2 + kCanonical * std::sqrt(n_ / 4);
  }
  if (parameters.p == 0) return;
  const double digit = ones / 2 + kCanonical * std::sqrt(n_ / 12);  // of a digit uniform in [0, 1)
  double squares = 0;
  for (std::size_t i = 0; i < parameters.limbs(); ++i) {
    squares += std::pow(static_cast<double>(parameters.q[i]) / special_ * digit, 2);
    digits_[i + 1] = std::sqrt(squares);
  }
}

Noise RlweNoiseModel::add(const Noise& a, const Noise& b) const {
  return {log2_sum(a.coefficient, b.coefficient), log2_sum(a.canonical, b.canonical)};
}

Noise RlweNoiseModel::multiply_plain(const Noise& a, double norm) const {
  // The l1 norm bounds the plaintext at the roots and its action on coefficients; no assumption needed.
  const double norm_log2 = std::log2(std::max(norm, 1.0));
  return {a.coefficient + norm_log2, a.canonical + norm_log2};
}

std::int32_t RlweNoiseModel::stored_level(const Noise& noise, std::size_t level) const {
  const double stored = std::ceil(budget_bits(noise, level) / kStoredNoiseBits) - 1;
  return std::clamp(static_cast<std::int32_t>(stored), lowest_stored_level(level),
                    highest_stored_level(level));
}

std::int32_t RlweNoiseModel::lowest_stored_level(std::size_t level) const {
  return static_cast<std::int32_t>(std::ceil((limit_log2(level) - kMaxNoiseLog2) / kStoredNoiseBits)) - 1;
}

std::int32_t RlweNoiseModel::highest_stored_level(std::size_t level) const {
  return static_cast<std::int32_t>(std::ceil(budget_bits(fresh_secret(), level) / kStoredNoiseBits)) - 1;
}

Noise RlweNoiseModel::from_stored_level(std::int32_t stored, std::size_t level) const {
  // The largest multiple of the step below this limit, so that the budget is above that of the level.
  const double limit = limit_log2(level) - static_cast<double>(kStoredNoiseBits) * stored;
  const double coefficient = (std::ceil(limit / kNoiseStep) - 1) * kNoiseStep;
  return {coefficient, coefficient + std::log2(n_)};
}

}  // namespace nttforge::rlwe
