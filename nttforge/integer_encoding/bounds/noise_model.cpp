// SPDX-License-Identifier: Apache-2.0
#include "nttforge/integer_encoding/noise_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "nttforge/integer_encoding/budget.hpp"

namespace nttforge::integer_encoding {

std::int32_t IntegerNoiseModel::stored_level(const Noise& noise, std::size_t level) const {
  const double stored = std::ceil(budget_bits(noise, level) / kStoredNoiseBits) - 1;
  return std::clamp(static_cast<std::int32_t>(stored), lowest_stored_level(level),
                    highest_stored_level(level));
}

std::int32_t IntegerNoiseModel::lowest_stored_level(std::size_t level) const {
  return static_cast<std::int32_t>(std::ceil((limit_log2(level) - kMaxNoiseLog2) / kStoredNoiseBits)) - 1;
}

std::int32_t IntegerNoiseModel::highest_stored_level(std::size_t level) const {
  const double fresh = std::ceil(budget_bits(fresh_secret(), level) / kStoredNoiseBits) - 1;
  return std::max(static_cast<std::int32_t>(fresh), 0);  // every budget above 0 can be said
}

Noise IntegerNoiseModel::from_stored_level(std::int32_t stored, std::size_t level) const {
  // The largest multiple of the step below this limit, so that the budget is above that of the level.
  const double limit = limit_log2(level) - static_cast<double>(kStoredNoiseBits) * stored;
  const double coefficient = (std::ceil(limit / kNoiseStep) - 1) * kNoiseStep;
  return {coefficient, coefficient + std::log2(n_)};
}

std::optional<double> predicted_noise_budget_bits(const Ciphertext& ciphertext) {
  const auto context = context_as<IntegerContext>(ciphertext.context(), "ciphertext");
  if (!ciphertext.noise().known()) return std::nullopt;
  return context->noise_model().budget_bits(ciphertext.noise(), ciphertext.level());
}

std::optional<double> proved_noise_budget_bits(const Ciphertext& ciphertext) {
  const auto context = context_as<IntegerContext>(ciphertext.context(), "ciphertext");
  if (!ciphertext.noise().proved.known()) return std::nullopt;
  return context->noise_model().proved_budget_bits(ciphertext.noise(), ciphertext.level());
}

}  // namespace nttforge::integer_encoding
