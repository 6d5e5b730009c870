// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/bootstrap/presets.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/ckks/bootstrap/fourier.hpp"

namespace nttforge::ckks {
namespace {

/// Sizes of primes, the lowest first: of level 1; `low` levels at the scale; the level of results, whose
/// scale is between its own and that; the sine's; those of coefficients to slots; the special ones.
struct Shape {
  std::string_view name;
  unsigned log_n, lowest, bits;
  std::size_t low;
  unsigned result;
  std::size_t sine_levels;
  unsigned sine, to_slots_bits;
  std::size_t to_slots, to_coefficients;
  unsigned special_bits;
  std::size_t special, degree;
  unsigned double_angles;
  bool windows = false;  ///< fill_windows() instead of sizes, from the numbers that are not 0
  bool wide = false;     ///< likewise, with levels of 54 bits for those of 40
};

constexpr unsigned kLeastLogN = 7;  // for a secret of weight 32

constexpr Shape kShapes[] = {
    {"boot16_40", 16, 60, 40, 14, 55, 8, 60, 56, 4, 3, 61, 6, 30, 3},
    {"boot16_45", 16, 60, 45, 13, 51, 8, 60, 60, 4, 3, 61, 5, 30, 3},
    {"boot16_51", 16, 60, 51, 12, 48, 8, 60, 60, 4, 3, 61, 5, 30, 3},
    {"boot16w_40", 16, 0, 0, 13, 55, 8, 0, 0, 4, 3, 0, 13, 30, 3, true},
    {"boot16w_54", 16, 0, 0, 10, 45, 8, 0, 0, 4, 3, 0, 13, 30, 3, true, true},
    {"boot16w_fast", 16, 0, 0, 11, 50, 8, 0, 0, 4, 3, 0, 15, 30, 3, true},
    {"boot15_31", 15, 41, 31, 5, 48, 8, 48, 50, 2, 2, 55, 2, 30, 3},
};

/// The scales of a chain up to its results', and the highest level's, from the lowest level of each part up.
void set_scales(Parameters& parameters, std::size_t results, double lowest, double sine) {
  double scale = lowest;
  for (std::size_t level = 2; level <= parameters.top_level(); ++level) {
    if (level == results + 1) scale = sine;
    scale = parameters.step_from(level).scale_above(scale);
    if (level == results) {
      parameters.scales.assign(results, 0.0);
      parameters.scales.back() = scale;
    }
  }
  parameters.scale = scale;
}

/// For words of 32 bits, of the shape of [Cheddar24]'s: four primes of 25 bits, the others of 30. Levels of
/// 55 bits, then `low` with 40 more each from 90 on, or 55 and every fifth time 50; results', `result` more;
/// the sine's, 60 more each; and those of coefficients to slots, with which the primes of 25 bits come back:
/// 55 more each, then 60.
void fill_windows(Parameters& parameters, const Shape& shape) {
  constexpr std::size_t kTerminals = 4, kOfKind[] = {2, 0, 4}, kWideKinds = kTerminals + 1;
  std::size_t terminals = 1, mains = 1, bits = 50;
  const auto add_level = [&] { parameters.levels.push_back({kTerminals - terminals, kTerminals + mains}); };
  const auto add_bits = [&](std::size_t more, std::size_t of_25) {
    bits += more;
    terminals = of_25;
    mains = (bits - 25 * terminals) / 30;
    add_level();
  };
  add_level();
  for (std::size_t i = 1; i <= shape.low; ++i) {
    const std::size_t kind = shape.wide ? (i - 1) % kWideKinds : kOfKind[i % 3];
    add_bits(!shape.wide || i == 1 ? 40 : kind == 0 ? 50 : 55, kind);
  }
  add_bits(shape.result, (bits + shape.result) % 30 == 0 ? 0 : 1);
  for (std::size_t i = 0; i < shape.sine_levels; ++i) {
    mains += 2;
    add_level();
  }
  for (std::size_t i = 0; i < shape.to_slots; ++i) {
    const bool is_left = terminals < kTerminals;
    terminals += is_left;
    mains += is_left ? 1 : 2;
    add_level();
  }
  parameters.q = ntt_primes(parameters.n, 25, kTerminals);
  const std::vector<std::uint64_t> of_30 = ntt_primes(parameters.n, 30, mains);
  parameters.q.insert(parameters.q.end(), of_30.begin(), of_30.end());
  // Below 2^30 as all others, where key switching on GPUs is fastest; one more than a digit has.
  parameters.special = ntt_primes(parameters.n, 30, shape.special, parameters.q);
  parameters.digit_primes = shape.special - 1;
  parameters.word_bits = 32;
  set_scales(parameters, shape.low + 2, 0x1p45, 0x1p60);
}

Parameters parameters_of(const Shape& shape, unsigned log_n) {
  Parameters parameters;
  parameters.n = std::size_t{1} << log_n;
  parameters.security =
      log_n == shape.log_n ? SecurityLevel::classical128 : SecurityLevel::insecure_by_request;
  if (shape.windows) {
    fill_windows(parameters, shape);
    parameters.validate();
    return parameters;
  }
  std::vector<unsigned> sizes{shape.lowest};
  sizes.insert(sizes.end(), shape.low, shape.bits);
  sizes.push_back(shape.result);
  sizes.insert(sizes.end(), shape.sine_levels, shape.sine);
  sizes.insert(sizes.end(), shape.to_slots, shape.to_slots_bits);
  for (const unsigned bits : sizes)
    parameters.q.push_back(ntt_primes(parameters.n, bits, 1, parameters.q).front());
  parameters.special = ntt_primes(parameters.n, shape.special_bits, shape.special, parameters.q);
  parameters.digit_primes = shape.special;
  set_scales(parameters, shape.low + 2, std::exp2(shape.bits), std::exp2(shape.sine));
  parameters.validate();
  return parameters;
}

}  // namespace

std::vector<std::string> bootstrap_set_names() {
  std::vector<std::string> names;
  for (const Shape& shape : kShapes) names.emplace_back(shape.name);
  return names;
}

BootstrapSet bootstrap_preset(std::string_view name, unsigned log_n) {
  for (const Shape& shape : kShapes) {
    if (shape.name != name) continue;
    if (log_n == 0) log_n = shape.log_n;
    if (log_n < kLeastLogN || log_n > shape.log_n)
      throw ParameterError("log_n = " + std::to_string(log_n) + " is out of range [" +
                           std::to_string(kLeastLogN) + ", " + std::to_string(shape.log_n) + "]");
    Bootstrap options;
    options.to_slots = split_layers(log_n - 1, shape.to_slots);
    options.to_coefficients = split_layers(log_n - 1, shape.to_coefficients);
    options.order = SlotsToCoefficients::first;
    options.degree = shape.degree;
    options.double_angles = shape.double_angles;
    return {parameters_of(shape, log_n), options};
  }
  std::string names;
  for (const std::string& known : bootstrap_set_names()) names += (names.empty() ? "" : ", ") + known;
  throw ParameterError("name = '" + std::string(name) + "' is no bootstrapping set: " + names);
}

}  // namespace nttforge::ckks
