// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/proved_noise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "nttforge/rlwe/noise.hpp"

namespace nttforge::rlwe {
namespace {

constexpr double kNats = kProvedBits * std::numbers::ln2;
constexpr double kDirections = 16;  // one of them is within pi/16 of any complex number

/// r with P(sum > r) <= e^-nats for a sum of independent centred terms of at most `bound` (Bernstein).
double bernstein(double nats, double bound, double variance) {
  const double linear = bound * nats / 3;
  return linear + std::sqrt(linear * linear + 2 * nats * variance);
}

}  // namespace

SampleBounds::SampleBounds(const RlweParameters& parameters)
    : n_(static_cast<double>(parameters.n)), ones_(1 / std::sin(std::numbers::pi / (2 * n_))) {
  const bool ternary = parameters.secret == SecretDistribution::ternary;
  // At the n/2 pairs of roots a direction's part has squared weights of sum n/2.
  const double at_roots = kNats + std::log(kDirections * n_ / 2);
  const double to_modulus = 1 / std::cos(std::numbers::pi / kDirections);
  const double mean_sum = ternary ? 2 * n_ / 3 : n_ / 2;
  secret_sum_ = std::min(n_, mean_sum + std::sqrt(n_ * kNats / 2));  // Hoeffding
  secret_euclidean_ = std::sqrt(secret_sum_);
  const double spread = std::sqrt(2 * at_roots * n_ / 2 * (ternary ? 2.0 / 3 : 0.25)) * to_modulus;
  secret_canonical_ = std::min(ones_, (ternary ? 0 : ones_ / 2) + spread);

  const double sigma = error_sigma(parameters.error) * 1.0001;  // the table's own moments are below this
  error_ = static_cast<double>(error_bound(parameters.error));
  error_canonical_ =
      std::min(error_ * ones_, bernstein(at_roots, error_, n_ * sigma * sigma / 2) * to_modulus);
  const double squares = n_ * sigma * sigma + bernstein(kNats, error_ * error_, n_ * 3 * std::pow(sigma, 4));
  error_euclidean_ = std::min(error_ * std::sqrt(n_), std::sqrt(squares));

  for (const std::uint64_t p : parameters.special) special_ *= static_cast<double>(p);
  const auto a = static_cast<double>(parameters.special.size());
  if (a == 1) division_ = 0.5;
  if (a > 1) division_ = std::ceil(a / 2);
  for (std::size_t level = 0; level <= parameters.limbs(); ++level) {
    double sum = 0;  // of the digits' largest coefficients
    for (std::size_t first = 0; a > 0 && first < level; first += parameters.digit_primes) {
      const std::size_t count = std::min(parameters.digit_primes, level - first);
      double product = static_cast<double>(count);
      for (std::size_t i = 0; i < count; ++i) product *= static_cast<double>(parameters.q[first + i]);
      sum += product / special_;
    }
    switched_.push_back(proved(sum * std::sqrt(n_) * error_euclidean_, sum * ones_ * error_canonical_));
  }
}

ProvedNoise SampleBounds::error() const { return proved(error_, error_canonical_); }

ProvedNoise SampleBounds::public_error() const {
  return proved((error_ + 2 * secret_euclidean_ * error_euclidean_) / special_,
                error_canonical_ * (1 + 2 * secret_canonical_) / special_);
}

ProvedNoise SampleBounds::parts(double largest, std::size_t parts) const {
  const double each[] = {largest, largest, largest};
  return this->parts(std::span(each).first(parts));
}

ProvedNoise SampleBounds::parts(std::span<const double> largest) const {
  double coefficient = largest[0] + largest[1] * secret_sum_;
  double canonical = largest[0] + largest[1] * secret_canonical_;
  if (largest.size() == 3) {
    // |s^2|_2 <= |s(root)| |s|_2
    coefficient += largest[2] * std::sqrt(n_) * secret_canonical_ * secret_euclidean_;
    canonical += largest[2] * secret_canonical_ * secret_canonical_;
  }
  return proved(coefficient, ones_ * canonical);
}

double SampleBounds::parts_euclidean(double largest) const {
  return largest * std::sqrt(n_) * (1 + secret_canonical_);
}

ProvedNoise plus(const ProvedNoise& a, const ProvedNoise& b) {
  return {log2_sum(a.coefficient, b.coefficient), log2_sum(a.canonical, b.canonical)};
}

ProvedNoise times(const ProvedNoise& a, double factor_log2) {
  return {a.coefficient + factor_log2, a.canonical + factor_log2};
}

double euclidean_log2(const ProvedNoise& a, double n) {
  return std::min(a.canonical, a.coefficient + std::log2(n) / 2);
}

ProvedNoise proved(double coefficient, double canonical) {
  return {std::log2(coefficient), std::log2(canonical)};
}

}  // namespace nttforge::rlwe
