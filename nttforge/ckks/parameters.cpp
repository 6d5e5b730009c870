// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/parameters.hpp"

#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/ckks/noise_model.hpp"
#include "nttforge/ckks/scale.hpp"
#include "nttforge/rlwe/serialize.hpp"

namespace nttforge::ckks {
namespace {

constexpr double kLeastScale = 0x1p4, kMostScale = 0x1p100;

std::string text(std::uint64_t value) { return std::to_string(value); }

[[noreturn]] void refuse_scale(double scale, std::size_t level, double bits, double room) {
  throw ParameterError(
      "scale = 2^" + std::to_string(std::log2(scale)) + ": at level " + text(level) + " it is 2^" +
      std::to_string(bits) + ", and the modulus has " + std::to_string(room) +
      " bits: each prime that leaves must be about as large as the scale, and those of level 1 "
      "larger");
}

}  // namespace

Parameters Parameters::custom(std::size_t n, double scale, std::vector<std::uint64_t> q,
                              SpecialPrimes special, SecurityLevel security, SecretDistribution secret,
                              ErrorDistribution error, SecurityTable table, unsigned word_bits,
                              std::size_t digit_primes, std::vector<Window> levels,
                              std::vector<double> scales) {
  Parameters parameters;
  parameters.scale = scale;
  parameters.scales = std::move(scales);
  parameters.levels = std::move(levels);
  parameters.assign(n, std::move(q), std::move(special), security, secret, error, table, word_bits,
                    digit_primes);
  parameters.validate();
  return parameters;
}

void Parameters::validate() const {
  if (scheme != Scheme::ckks)
    throw ParameterError("scheme = " + std::string(scheme_name(scheme)) + ": these are parameters of CKKS");
  check_ring(*this);
  const auto check = [](double value, const std::string& name) {
    if (!(value >= kLeastScale && value <= kMostScale))
      throw ParameterError(
          name + " = " + std::to_string(value) +
          " is out of range [2^4, 2^100]: numbers are multiplied with it; 2^40 leaves some 20 "
          "bits of a number behind the point");
  };
  check(scale, "scale");
  if (scales.size() > top_level())
    throw ParameterError("scales has " + text(scales.size()) + " numbers for " + text(top_level()) +
                         " levels");
  for (std::size_t i = 0; i < scales.size(); ++i)
    if (scales[i] != 0) check(scales[i], "scales[" + text(i) + "]");
  const NoiseModel model(*this);
  const std::vector<DoubleDouble> all = level_scales();
  for (std::size_t level = top_level(); level > 0; --level) {
    const double bits = log2_of_scale(all[level - 1]);
    if (bits + 1 >= model.modulus_log2(level) || bits < 2)
      refuse_scale(scale, level, bits, model.modulus_log2(level));
  }
  check_security(*this);
}

double Parameters::Step::scale_above(double below) const {
  for (const std::uint64_t prime : leaving) below *= static_cast<double>(prime);
  for (const std::uint64_t prime : joining) below /= static_cast<double>(prime);
  return std::sqrt(below);
}

Parameters::Step Parameters::step_from(std::size_t level) const {
  const Window from = window(level), to = window(level - 1);
  const auto inside = [](std::size_t i, Window w) { return i >= w.first && i < w.last; };
  Step step;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (inside(i, from) && !inside(i, to)) step.leaving.push_back(q[i]);
    if (inside(i, to) && !inside(i, from)) step.joining.push_back(q[i]);
  }
  return step;
}

std::uint64_t Parameters::plain_number() const { return std::bit_cast<std::uint64_t>(scale); }

std::vector<std::uint64_t> Parameters::further_numbers() const {
  std::vector<std::uint64_t> result;
  for (const double value : scales) result.push_back(std::bit_cast<std::uint64_t>(value));
  return result;
}

void Parameters::set_further_numbers(std::span<const std::uint64_t> values) {
  scales.clear();
  for (const std::uint64_t value : values) scales.push_back(std::bit_cast<double>(value));
}

std::vector<DoubleDouble> Parameters::level_scales() const {
  std::vector<DoubleDouble> result(top_level());
  result.back() = {scale, 0};
  for (std::size_t level = top_level(); level > 1; --level) {
    if (level - 2 < scales.size() && scales[level - 2] != 0) {
      result[level - 2] = {scales[level - 2], 0};
      continue;
    }
    const Step step = step_from(level);
    result[level - 2] = scale_of(result[level - 1], result[level - 1], step.joining, step.leaving);
  }
  return result;
}

void Parameters::set_plain_number(std::uint64_t value) { scale = std::bit_cast<double>(value); }

std::string Parameters::describe_plain() const {
  const auto tenths = static_cast<std::uint64_t>(std::log2(scale) * 10 + 0.5);
  std::string result = "scale 2^" + text(tenths / 10) + "." + text(tenths % 10);
  return result + ", depth " + text(depth());
}

Parameters parameters_from_bytes(std::span<const std::uint8_t> bytes, bool allow_insecure,
                                 SecurityTable table) {
  return load_parameters<Parameters>(bytes, allow_insecure, table);
}

}  // namespace nttforge::ckks
