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

Noise largest(const Noise& a, const Noise& b) {
  return {std::max(a.coefficient, b.coefficient),
          std::max(a.canonical, b.canonical),
          std::max(a.degree, b.degree),
          {std::max(a.proved.coefficient, b.proved.coefficient),
           std::max(a.proved.canonical, b.proved.canonical)}};
}

Noise rounded(const Noise& noise) {
  // The margin of the proved bound is above what rounding errors of the logarithms add up to.
  constexpr double kMargin = 1e-6;
  const auto up = [](double bits) {  // nan becomes the largest
    return bits < kMaxNoiseLog2 ? std::max(std::ceil(bits / kNoiseStep) * kNoiseStep, -kMaxNoiseLog2)
                                : kMaxNoiseLog2;
  };
  const bool known = !std::isinf(noise.coefficient) && !std::isinf(noise.canonical);
  Noise result = known ? Noise{up(noise.coefficient), up(noise.canonical), noise.degree} : Noise::unknown();
  if (noise.proved.known() && noise.proved.coefficient < kMaxNoiseLog2)
    result.proved = {up(noise.proved.coefficient + kMargin), up(noise.proved.canonical + kMargin)};
  return result;
}

bool Noise::within(const Noise& other) const { return largest(*this, other) == other; }

RlweNoiseModel::RlweNoiseModel(const RlweParameters& parameters)
    : n_(static_cast<double>(parameters.n)),
      sigma_(error_sigma(parameters.error)),
      special_(parameters.special.empty() ? 0 : 1),
      moduli_(parameters.q.begin(), parameters.q.end()),
      special_moduli_(parameters.special.begin(), parameters.special.end()),
      digit_primes_(parameters.digit_primes),
      samples_(parameters) {
  windows_.push_back({});
  for (std::size_t level = 1; level <= parameters.top_level(); ++level)
    windows_.push_back(parameters.window(level));
  const double ones = 2 * n_ / std::numbers::pi;  // bound on |1 + X + ... + X^(n-1)| at the roots
  const SecretDistribution::Facts secret = parameters.secret.facts(parameters.n);
  const double variance = secret.square - secret.mean * secret.mean;
  secret_mean_ = secret.mean;
  secret_square_ = secret.square;
  secret_canonical_ = secret.mean * ones + kCanonical * std::sqrt(n_ * variance);
  mask_square_ = SecretDistribution{secret.mask, 0}.facts(parameters.n).square;
  for (const double p : special_moduli_) special_ *= p;
  // One prime divides exactly rounded, and so do several of approximate messages. By a primes x / P - result
  // is a sum of a uniform ones less floor(a / 2) elsewhere.
  const std::size_t a = special_moduli_.size();
  division_ = {static_cast<double>(a), a > 1 && a % 2 == 1 ? 0.5 : 0};
  if (a > 1 && parameters.approximate()) division_ = {1, 0};
}

double RlweNoiseModel::secret_sum(double deviations) const {
  return n_ * secret_mean_ + deviations * std::sqrt(n_ * (secret_square_ - secret_mean_ * secret_mean_));
}

std::vector<RlweNoiseModel::Digit> RlweNoiseModel::digits(std::size_t level) const {
  std::vector<Digit> digits;
  if (special_moduli_.empty()) return digits;
  const Window w = windows_[level];
  for (std::size_t first = w.first, end; first < w.last; first = end) {
    end = std::min((first / digit_primes_ + 1) * digit_primes_, w.last);
    double product = 1;
    for (std::size_t i = first; i < end; ++i) product *= moduli_[i];
    digits.push_back({product / special_, static_cast<double>(end - first)});
  }
  return digits;
}

double RlweNoiseModel::modulus_log2(std::size_t level) const {
  double bits = 0;
  for (std::size_t i = windows_[level].first; i < windows_[level].last; ++i) bits += std::log2(moduli_[i]);
  return bits;
}

double RlweNoiseModel::step_log2(std::size_t level) const {
  const Window from = windows_[level], to = windows_[level - 1];
  double bits = 0;
  for (std::size_t i = 0; i < moduli_.size(); ++i) {
    const bool leaves = i >= from.first && i < from.last && !(i >= to.first && i < to.last);
    const bool joins = i >= to.first && i < to.last && !(i >= from.first && i < from.last);
    if (leaves) bits += std::log2(moduli_[i]);
    if (joins) bits -= std::log2(moduli_[i]);
  }
  return bits;
}

Noise RlweNoiseModel::switch_modulus(const Noise& a, std::size_t level, std::size_t parts) const {
  const double bits = step_log2(level);
  constexpr double kOnes[] = {1, 1, 1};
  const Noise divided{a.coefficient - bits, a.canonical - bits, a.degree, times(a.proved, -bits)};
  // The bound for two parts holds for one, which is not encrypted.
  return round_parts(divided, std::span(kOnes).first(std::max<std::size_t>(parts, 2)));
}

Noise RlweNoiseModel::key_switch(const Noise& a, std::size_t level, std::size_t special) const {
  return special == special_moduli_.size() ? key_switch(a, level) : Noise::unknown();
}

double RlweNoiseModel::special_log2(std::size_t first) const {
  double bits = 0;
  for (std::size_t i = first; i < special_moduli_.size(); ++i) bits += std::log2(special_moduli_[i]);
  return bits;
}

Noise RlweNoiseModel::multiply_polynomial(const Noise& a, double norm) const {
  // The l1 norm bounds the polynomial at the roots and its action on coefficients; no assumption needed.
  const double norm_log2 = std::log2(std::max(norm, 1.0));
  return {a.coefficient + norm_log2, a.canonical + norm_log2, a.degree, times(a.proved, norm_log2)};
}

Noise RlweNoiseModel::add(const Noise& a, const Noise& b) const {
  return {log2_sum(a.coefficient, b.coefficient), log2_sum(a.canonical, b.canonical),
          std::max(a.degree, b.degree), plus(a.proved, b.proved)};
}

}  // namespace nttforge::rlwe
