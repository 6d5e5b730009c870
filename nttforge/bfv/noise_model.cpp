// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/noise_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "nttforge/rns/big_uint.hpp"

namespace nttforge::bfv {
namespace {

using rlwe::log2_sum;
using rlwe::ProvedNoise;

/// -log2 of the probability that key and ciphertexts together concentrate the noise beyond what is taken.
constexpr double kConcentrationBits = 16;

double log2_gamma(double x) { return std::lgamma(x) / std::numbers::ln2; }

/// log2 of how far the Euclidean norm of noise may lie above its mean for a random key, after `degree` random
/// factors: Markov's inequality for the moment that gives least.
double concentration(double degree, double n, bool of_secret) {
  if (degree < 1) return 0;
  double least = std::numeric_limits<double>::infinity();
  for (double p = 0.125; p <= 64; p *= 1.0625) {
    const double secret = of_secret ? log2_gamma(1 + degree * p) : 0;
    const double roots = p < 1 ? (1 - p) * std::log2(n / 2) : 0;
    const double moment = secret + (degree - 1) * log2_gamma(1 + p) + roots;
    least = std::min(least, (kConcentrationBits + moment) / (2 * p));
  }
  return least;
}

}  // namespace

NoiseModel::NoiseModel(const integer_encoding::IntegerParameters& parameters)
    : RlweNoiseModel(parameters), t_(std::log2(static_cast<double>(parameters.t))), root_(std::log2(n_) / 2) {
  centred_ = parameters.secret.facts(parameters.n).mean == 0;
  secret_ = centred_ ? std::sqrt(n_ * secret_square_) : secret_canonical_;
  for (std::size_t level = 0; level <= parameters.limbs(); ++level) {
    Level& here = levels_.emplace_back();
    if (level > 0) here.q = BigUint::product(std::span(parameters.q).first(level)).log2();
    here.limbs = static_cast<double>(level);
    for (const Digit& digit : digits(level))
      here.digit_squares += std::pow(digit.ratio, 2) * (digit.primes / 12 + std::pow(digit.primes / 2, 2));
  }
}

// The bound on coefficients that follows from the size at the roots.
Noise NoiseModel::spread(double canonical, double degree) const {
  return {canonical - root_ + std::log2(kCoefficient) + concentration(degree, n_, centred_), canonical,
          degree};
}

// A coefficient of this variance and mean, in noise that has one factor s.
Noise NoiseModel::sampled(double variance, double mean, double degree) const {
  return {std::log2(kCoefficient * std::sqrt(variance) + mean), std::log2(variance + mean * mean) / 2 + root_,
          degree};
}

NoiseModel::Rounding NoiseModel::rounding() const {
  // r_0 + r_1 s: the centred parts of r_i, and their mean, which is m (1 + X + ... + X^(n-1)).
  const double mean = division().mean, variance = division().terms / 12;
  return {variance * (1 + n_ * secret_square_), mean * (1 + secret_sum(kCoefficient))};
}

Noise NoiseModel::fresh_secret() const {
  Noise noise = sampled(sigma_ * sigma_ + 1.0 / 12, 0, 0);
  noise.proved = rlwe::plus(samples().error(), rlwe::proved(0.5, samples().ones() / 2));
  return noise;
}

Noise NoiseModel::fresh_public() const {
  // u e + e_0 + e_1 s, divided by P, and the roundings r_0 + r_1 s; and the rounding of Q m / t.
  const double scale = special_ == 0 ? 1 : 1 / special_;
  const Rounding rounds = rounding();
  const double variance =
      std::pow(sigma_ * scale, 2) * (n_ * (secret_square_ + mask_square_) + 1) + rounds.variance + 1.0 / 12;
  Noise noise = sampled(variance, rounds.mean, 1);
  noise.proved = rlwe::plus(rlwe::plus(samples().public_error(), samples().division()),
                            rlwe::proved(0.5, samples().ones() / 2));
  return noise;
}

Noise NoiseModel::add_plain(const Noise& a) const {
  return {log2_sum(a.coefficient, -1), log2_sum(a.canonical, root_ - std::log2(12) / 2), a.degree,
          rlwe::plus(a.proved, rlwe::proved(0.5, samples().ones() / 2))};
}

Noise NoiseModel::round_parts(const Noise& a, std::span<const double> units) const {
  const auto variance = [](double unit) { return unit * unit / 12; };
  Noise rounds = sampled(variance(units[0]) + variance(units[1]) * n_ * secret_square_, 0, 1);
  double largest[] = {units[0] / 2, units[1] / 2, 0};
  if (units.size() == 3) {  // r_2 s^2
    rounds = add(
        rounds, spread(root_ + std::log2(variance(units[2])) / 2 + 2 * std::log2(secret_), centred_ ? 2 : 0));
    largest[2] = units[2] / 2;
  }
  rounds.proved = samples().parts(std::span(largest).first(units.size()));
  return add(a, rounds);
}

Noise NoiseModel::division_noise(double largest_log2) const {
  Noise noise = sampled((1 + n_ * secret_square_) / 3, 0, 1);
  noise.coefficient += largest_log2;
  noise.canonical += largest_log2;
  noise.proved = rlwe::times(samples().parts(1, 2), largest_log2);
  return noise;
}

// v = t v_a c_b(s)/Q + t v_b c_a(s)/Q - t/Q v_a v_b + (e_0 + e_1 s + e_2 s^2), where the factors' noise
// counts with what their divisions add. BEHZ: an extended part divided by Q is within (1 + 2 k / 2^32) / 2
// (docs/bounds/behz.md), e in (-limbs, 0] from the floor.
Noise NoiseModel::multiply(const Noise& first, const Noise& second, std::size_t terms, std::size_t level,
                           const std::optional<ProductRounding>& given) const {
  const ProductRounding rounding =
      given.value_or(ProductRounding{.extended = (1 + std::exp2(-31) * at(level).limbs) / 2,
                                     .parts = std::log2(at(level).limbs),
                                     .first = {},
                                     .second = {}});
  const Noise a = rounding.first ? add(first, division_noise(*rounding.first)) : first;
  const Noise b = rounding.second ? add(second, division_noise(*rounding.second)) : second;
  const double count = std::log2(static_cast<double>(terms)) + t_;
  // A part divided by Q is uniform in [-1/2, 1/2), so c(s)/Q at a root has the mean square n (1 + |s|^2)
  // / 12.
  const double phase = root_ + std::log2((1 + secret_ * secret_) / 12) / 2;
  const double sum = log2_sum(a.canonical, b.canonical) + count + phase;
  const double product =
      std::min(a.canonical + b.coefficient, a.coefficient + b.canonical) + root_ + count - at(level).q;
  const double degree = std::max(a.degree, b.degree) + 1;
  const Noise main = spread(log2_sum(sum, product), degree);
  const double square = secret_ * secret_;
  const Noise parts =
      spread(root_ + rounding.parts + std::log2(1 + square + square * square) / 2, centred_ ? 2 : 0);
  Noise result = add(main, parts);
  if (!a.known() || !b.known()) result = Noise::unknown();
  result.proved = proved_product(a.proved, b.proved, count, at(level), rounding);
  return result;
}

ProvedNoise NoiseModel::proved_product(const ProvedNoise& a, const ProvedNoise& b, double count,
                                       const Level& level, const ProductRounding& rounding) const {
  const double euclidean = std::log2(samples().parts_euclidean(rounding.extended));
  const double canonical = samples().parts(rounding.extended, 2).canonical;
  const double a2 = rlwe::euclidean_log2(a, n_), b2 = rlwe::euclidean_log2(b, n_);
  const ProvedNoise sum{log2_sum(a2, b2) + euclidean, log2_sum(a.canonical, b.canonical) + canonical};
  const ProvedNoise product{a2 + b2 - level.q, a.canonical + b.canonical - level.q};
  const ProvedNoise main = rlwe::times(rlwe::plus(sum, product), count);
  return rlwe::plus(main, rlwe::times(samples().parts(1, 3), rounding.parts));
}

Noise NoiseModel::key_switch(const Noise& a, std::size_t level) const {
  // A coefficient of sum d_i e_i / P, d_i = D_i times a sum of uniform polynomials in [0, 1).
  const Noise errors = sampled(sigma_ * sigma_ * n_ * at(level).digit_squares, 0, 0);
  const Rounding rounds = rounding();
  Noise switched = add(errors, sampled(rounds.variance, rounds.mean, 1));
  switched.proved =
      rlwe::plus(samples().switched(static_cast<std::size_t>(at(level).limbs)), samples().division());
  return add(a, switched);
}

Noise NoiseModel::level(const Noise& a) const {
  Noise operand = add_plain(add(a, a));
  if (special_ == 0) return multiply(operand, operand);
  operand = key_switch(operand, 0);
  return key_switch(multiply(operand, operand), 0);
}

}  // namespace nttforge::bfv
