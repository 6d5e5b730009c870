// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/bootstrap/presets.hpp"

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/ckks/bootstrap/fourier.hpp"

namespace nttforge::ckks {
namespace {

/// The largest primes of so many bits.
struct Primes {
  unsigned bits;
  std::size_t count;
};
/// Primes of a level: so many of the first, terminal ones, the last of them, and so many of the others.
struct Part {
  std::size_t terminals, mains;
};
/// A chain of words of 32 bits, level by level. Where the sine's errors count most, at its first products,
/// levels have more bits.
struct Parts {
  std::size_t terminals;
  std::span<const Primes> q, special;
  std::span<const Part> levels;
  std::size_t digit_primes;
  double lowest, sine;  ///< scales that set_scales() begins with
};

constexpr Primes kPrimesOfFast[] = {{25, 4}, {30, 35}}, kSpecialOfFast[] = {{30, 14}};
constexpr Part kLevelsOfFast[] = {{1, 1},  {0, 3},  {4, 1},  {2, 4},  {0, 7},  {4, 5},  {2, 8},
                                  {0, 11}, {4, 9},  {2, 12}, {0, 15}, {4, 13}, {2, 16}, {4, 16},
                                  {4, 18}, {1, 22}, {2, 23}, {4, 23}, {4, 25}, {4, 27}, {0, 32},
                                  {3, 31}, {4, 32}, {4, 34}, {4, 35}};
constexpr Parts kFast{4, kPrimesOfFast, kSpecialOfFast, kLevelsOfFast, 13, 0x1p45, 0x1.ap49};

/// Digits of about as many bits; the first special primes are as small as the ephemeral secret's key may be.
constexpr Primes kPrimesOf15[] = {{20, 1}, {21, 1}, {30, 5}, {27, 9}, {30, 7}},
                 kSpecialOf15[] = {{27, 2}, {28, 6}};
constexpr Part kLevelsOf15[] = {{2, 0},  {2, 1},  {2, 2},  {2, 3},  {2, 4},  {2, 5},  {0, 8},  {1, 9},
                                {2, 10}, {0, 13}, {2, 13}, {0, 16}, {1, 17}, {0, 19}, {1, 20}, {2, 21}};
constexpr Parts kOf15{2, kPrimesOf15, kSpecialOf15, kLevelsOf15, 8, 0x1p30, 0x1p36};

/// Sizes of primes, the lowest first: of level 1; `low` levels at the scale; the level of results, whose
/// scale is between its own and that; the sine's; those of coefficients to slots; the special ones. Windows
/// have the sizes of low levels and of results, and the numbers that are not 0.
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
  bool windows = false;          ///< fill_windows() instead of sizes
  const Parts* parts = nullptr;  ///< fill_parts() instead
};

constexpr unsigned kLeastLogN = 7;  // for a secret of weight 32

constexpr Shape kShapes[] = {
    {"boot16_40", 16, 60, 40, 14, 55, 8, 60, 56, 4, 3, 61, 6, 30, 3},
    {"boot16_45", 16, 60, 45, 13, 51, 8, 60, 60, 4, 3, 61, 5, 30, 3},
    {"boot16_51", 16, 60, 51, 12, 48, 8, 60, 60, 4, 3, 61, 5, 30, 3},
    {"boot16w_40", 16, 0, 40, 13, 55, 8, 0, 0, 4, 3, 0, 13, 30, 3, true},
    {"boot16w_45", 16, 0, 45, 10, 45, 8, 0, 0, 4, 3, 0, 15, 30, 3, true},
    {"boot16w_54", 16, 0, 55, 10, 45, 8, 0, 0, 4, 3, 0, 13, 30, 3, true},
    {"boot16w_fast", 16, 0, 0, 11, 0, 8, 0, 0, 4, 3, 0, 0, 30, 3, false, &kFast},
    {"boot15_31", 15, 41, 31, 5, 48, 8, 48, 50, 2, 2, 55, 2, 30, 3},
    {"boot15w_30", 15, 0, 0, 4, 0, 8, 0, 0, 2, 2, 0, 0, 30, 3, false, &kOf15},
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
/// 50 bits, 90, and then `low` - 1 with shape.bits more each, or 5 less where no primes have so many;
/// results', `result` more; the sine's, 60 more each; and those of coefficients to slots, with which the
/// primes of 25 bits come back: 55 more each, then 60.
void fill_windows(Parameters& parameters, const Shape& shape) {
  constexpr std::size_t kTerminals = 4;
  std::size_t terminals = 1, mains = 1, bits = 50;
  const auto add_level = [&] { parameters.levels.push_back({kTerminals - terminals, kTerminals + mains}); };
  const auto add_bits = [&](std::size_t more) {
    bits += more;
    if (bits % 30 == 5) bits -= 5;
    terminals = (30 - bits % 30) % 30 / 5;  // 25 t is 30 t less 5 t
    mains = (bits - 25 * terminals) / 30;
    add_level();
  };
  add_level();
  for (std::size_t i = 1; i <= shape.low; ++i) add_bits(i == 1 ? 40 : shape.bits);
  add_bits(shape.result);
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

void fill_parts(Parameters& parameters, const Shape& shape) {
  const Parts& parts = *shape.parts;
  const auto add = [&](std::vector<std::uint64_t>& primes, std::span<const Primes> sizes) {
    for (const Primes& size : sizes) {
      std::vector<std::uint64_t> known = parameters.q;
      known.insert(known.end(), parameters.special.begin(), parameters.special.end());
      const std::vector<std::uint64_t> more = ntt_primes(parameters.n, size.bits, size.count, known);
      primes.insert(primes.end(), more.begin(), more.end());
    }
  };
  add(parameters.q, parts.q);
  add(parameters.special, parts.special);
  for (const Part& part : parts.levels)
    parameters.levels.push_back({parts.terminals - part.terminals, parts.terminals + part.mains});
  parameters.digit_primes = parts.digit_primes;
  parameters.word_bits = 32;
  set_scales(parameters, shape.low + 2, parts.lowest, parts.sine);
}

Parameters parameters_of(const Shape& shape, unsigned log_n) {
  Parameters parameters;
  parameters.n = std::size_t{1} << log_n;
  parameters.security =
      log_n == shape.log_n ? SecurityLevel::classical128 : SecurityLevel::insecure_by_request;
  if (shape.windows || shape.parts != nullptr) {
    (shape.windows ? fill_windows : fill_parts)(parameters, shape);
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
