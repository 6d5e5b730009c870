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
const double kToModulus = 1 / std::cos(std::numbers::pi / kDirections);

/// What a bound at the n/2 pairs of roots, in every direction, is worth in nats of probability.
double at_roots(double n) { return kNats + std::log(kDirections * n / 2); }

/// r with P(sum > r) <= e^-nats for a sum of independent centred terms of at most `bound` (Bernstein).
double bernstein(double nats, double bound, double variance) {
  const double linear = bound * nats / 3;
  return linear + std::sqrt(linear * linear + 2 * nats * variance);
}

}  // namespace

SampleBounds::SampleBounds(const RlweParameters& parameters)
    : n_(static_cast<double>(parameters.n)),
      ones_(1 / std::sin(std::numbers::pi / (2 * n_))),
      secret_(small(parameters.secret)),
      mask_(small({parameters.secret.facts(parameters.n).mask, 0})) {
  const double sigma = error_sigma(parameters.error) * 1.0001;  // the table's own moments are below this
  error_ = static_cast<double>(error_bound(parameters.error));
  error_canonical_ =
      std::min(error_ * ones_, bernstein(at_roots(n_), error_, n_ * sigma * sigma / 2) * kToModulus);
  const double squares = n_ * sigma * sigma + bernstein(kNats, error_ * error_, n_ * 3 * std::pow(sigma, 4));
  error_euclidean_ = std::min(error_ * std::sqrt(n_), std::sqrt(squares));

  for (const std::uint64_t p : parameters.special) special_ *= static_cast<double>(p);
  const auto a = static_cast<double>(parameters.special.size());
  if (a == 1) division_ = 0.5;
  if (a > 1) division_ = std::ceil(a / 2);
  if (a > 1 && parameters.approximate()) {
    // Fractions of the least prime have 49 bits at least (set_fractions).
    const auto [least, largest] = std::minmax_element(parameters.special.begin(), parameters.special.end());
    division_ = 0.5 + a * 0x1p-49 * static_cast<double>(*largest) / static_cast<double>(*least);
  }
  const std::size_t digit = parameters.digit_primes;
  for (std::size_t level = 0; level <= parameters.top_level(); ++level) {
    const Window w = level == 0 ? Window{} : parameters.window(level);
    double sum = 0;  // of the digits' largest coefficients
    for (std::size_t first = w.first, end; a > 0 && first < w.last; first = end) {
      end = std::min((first / digit + 1) * digit, w.last);
      double product = static_cast<double>(end - first);
      for (std::size_t i = first; i < end; ++i) product *= static_cast<double>(parameters.q[i]);
      sum += product / special_;
    }
    switched_.push_back(proved(sum * std::sqrt(n_) * error_euclidean_, sum * ones_ * error_canonical_));
  }
}

SampleBounds::Small SampleBounds::small(const SecretDistribution& distribution) const {
  const SecretDistribution::Facts facts = distribution.facts(static_cast<std::size_t>(n_));
  const double mean_sum = n_ * facts.square;  // exact where the weight is fixed; values are -1, 0 and 1
  const double sum =
      facts.fixed_weight ? mean_sum : std::min(n_, mean_sum + std::sqrt(n_ * kNats / 2));  // Hoeffding
  // At the n/2 pairs of roots a direction's part has squared weights of sum n/2, each at most 1.
  const double weights = facts.fixed_weight ? mean_sum : n_ / 2;
  const double spread = std::sqrt(2 * at_roots(n_) * weights * facts.sub_gaussian) * kToModulus;
  return {sum, std::sqrt(sum), std::min({ones_, sum, facts.mean * ones_ + spread})};
}

ProvedNoise SampleBounds::error() const { return proved(error_, error_canonical_); }

ProvedNoise SampleBounds::public_error() const {
  return proved((error_ + (secret_.euclidean + mask_.euclidean) * error_euclidean_) / special_,
                error_canonical_ * (1 + secret_.canonical + mask_.canonical) / special_);
}

ProvedNoise SampleBounds::parts(double largest, std::size_t parts) const {
  const double each[] = {largest, largest, largest};
  return this->parts(std::span(each).first(parts));
}

ProvedNoise SampleBounds::parts(std::span<const double> largest) const {
  double coefficient = largest[0] + largest[1] * secret_.sum;
  double canonical = largest[0] + largest[1] * secret_.canonical;
  if (largest.size() == 3) {
    // |s^2|_2 <= |s(root)| |s|_2
    coefficient += largest[2] * std::sqrt(n_) * secret_.canonical * secret_.euclidean;
    canonical += largest[2] * secret_.canonical * secret_.canonical;
  }
  return proved(coefficient, ones_ * canonical);
}

double SampleBounds::parts_euclidean(double largest) const {
  return largest * std::sqrt(n_) * (1 + secret_.canonical);
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
