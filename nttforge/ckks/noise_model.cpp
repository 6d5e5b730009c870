// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/noise_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nttforge/ckks/scale.hpp"
#include "nttforge/embedding/embedding.hpp"

namespace nttforge::ckks {
namespace {

constexpr double kStored = 64;  // steps of a bit
constexpr std::int32_t kLowest = -(1 << 20);

/// log2 of what floating point rounds numbers of this scale by.
double unit(const DoubleDouble& scale) { return scale.hi < kDoubleDoubleScale ? -53 : -98; }

}  // namespace

NoiseModel::NoiseModel(const Parameters& parameters)
    : RlweNoiseModel(parameters), PhaseNoiseModel(parameters, 1) {}

// An element of a transform is a sum of n/2 terms through log2 n layers, each of which rounds six times: the
// Euclidean norm changes by at most 6 log2(n) 2^-53 of it, and one value by that of all.
double NoiseModel::lost(const DoubleDouble& scale) const {
  return unit(scale) + std::log2(6 * std::log2(n_)) + std::log2(n_) / 2;
}

Noise NoiseModel::encoding(double message, const DoubleDouble& scale) const {
  constexpr double kFirst[] = {1, 0};
  return plus(PhaseNoiseModel::rounding(kFirst), offset(message + lost(scale)));
}

Noise NoiseModel::independent_encoding(double message, const DoubleDouble& scale) const {
  constexpr double kFirst[] = {1, 0};
  const double roundings = unit(scale) + std::log2(6 * std::log2(n_)) / 2;
  return plus(PhaseNoiseModel::rounding(kFirst), offset(message + roundings + std::log2(at_roots_)));
}

double NoiseModel::decoding(double message, const DoubleDouble& scale) const { return message + lost(scale); }

Noise NoiseModel::multiply(const Noise& a, double message_a, const Noise& b, double message_b) const {
  const auto product = [&](double x, double y) {
    return log2_sum(log2_sum(x + message_b, y + message_a), x + y);
  };
  // Coefficients are means of the values at the roots.
  const double canonical = product(a.canonical, b.canonical),
               proved = product(a.proved.canonical, b.proved.canonical);
  return {canonical, canonical, 0, {proved, proved}};
}

Noise NoiseModel::offset(double error) const { return {error, error, 0, {error, error}}; }

std::int32_t NoiseModel::stored_level(const Noise& noise, std::size_t level) const {
  // Bounds that are read are whole steps, so that they are written as they were.
  const double highest = highest_stored_level(level);
  return static_cast<std::int32_t>(
      std::clamp(highest - std::ceil(noise.canonical * kStored), static_cast<double>(kLowest), highest));
}

std::int32_t NoiseModel::lowest_stored_level(std::size_t /*level*/) const { return kLowest; }

std::int32_t NoiseModel::highest_stored_level(std::size_t level) const {
  return static_cast<std::int32_t>(std::floor((modulus_log2(level) - 1) * kStored));
}

Noise NoiseModel::from_stored_level(std::int32_t stored, std::size_t level) const {
  const double bound = (highest_stored_level(level) - stored) / kStored;
  return {bound, bound, 0, {}};
}

double message_log2(const Meta& meta) { return log2_of_scale(meta.scale) + meta.numbers.bound; }

std::vector<double> predicted_errors(const Parameters& parameters) {
  const NoiseModel model(parameters);
  const std::vector<DoubleDouble> scales = parameters.level_scales();
  DoubleDouble scale = scales.back();
  Noise noise = model.sum(model.fresh_public(), model.encoding(log2_of_scale(scale), scale));
  std::vector<double> errors;
  for (std::size_t level = parameters.top_level();; --level) {
    const double message = log2_of_scale(scale);
    errors.push_back(log2_sum(noise.canonical, model.decoding(message, scale)) - message);
    if (level == 1) return errors;
    noise = model.multiply(noise, message, noise, message);
    if (parameters.has_evaluation_keys()) noise = model.key_switch(noise, level);
    noise = model.switch_modulus(noise, level, parameters.has_evaluation_keys() ? 2 : 3);
    const Parameters::Step step = parameters.step_from(level);
    const DoubleDouble product = scale_of(scale, scale, step.joining, step.leaving);
    scale = scales[level - 2];  // that of a product, or another that was stated
    noise = model.times(noise, log2_of_scale(scale) - log2_of_scale(product));
  }
}

}  // namespace nttforge::ckks
