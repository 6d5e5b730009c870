// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/bootstrap/presets.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/ckks/bootstrap/fourier.hpp"

namespace nttforge::ckks {
namespace {

/// Primes of a chain that one level has: so many terminals, the last ones, and so many of the others.
struct Part {
  std::size_t terminals, mains;
};

/// boot15w_30, of primes just below 2^20 and 2^21 (terminals), 2^30, 2^27 and 2^30: where the sine's errors
/// count most, at its first products, levels have more bits. All digits have about as many bits.
constexpr Part kPartsOf15[] = {{2, 0},  {2, 1},  {2, 2},  {2, 3},  {2, 4},  {2, 5},  {0, 8},  {1, 9},
                               {2, 10}, {0, 13}, {2, 13}, {0, 16}, {1, 17}, {0, 19}, {1, 20}, {2, 21}};

enum class Chain : std::uint8_t {
  primes,   ///< one for each level, of the sizes that the shape has
  windows,  ///< fill_windows()
  parts     ///< fill_parts()
};

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
  Chain chain = Chain::primes;
};

constexpr unsigned kLeastLogN = 7;  // for a secret of weight 32

constexpr Shape kShapes[] = {
    {"boot16_40", 16, 60, 40, 14, 55, 8, 60, 56, 4, 3, 61, 6, 30, 3},
    {"boot16_45", 16, 60, 45, 13, 51, 8, 60, 60, 4, 3, 61, 5, 30, 3},
    {"boot16_51", 16, 60, 51, 12, 48, 8, 60, 60, 4, 3, 61, 5, 30, 3},
    {"boot16w_40", 16, 0, 40, 13, 55, 8, 0, 0, 4, 3, 0, 13, 30, 3, Chain::windows},
    {"boot16w_45", 16, 0, 45, 10, 45, 8, 0, 0, 4, 3, 0, 15, 30, 3, Chain::windows},
    {"boot16w_54", 16, 0, 55, 10, 45, 8, 0, 0, 4, 3, 0, 13, 30, 3, Chain::windows},
    {"boot16w_fast", 16, 0, 40, 11, 50, 8, 0, 0, 4, 3, 0, 15, 30, 3, Chain::windows},
    {"boot15_31", 15, 41, 31, 5, 48, 8, 48, 50, 2, 2, 55, 2, 30, 3},
    {"boot15w_30", 15, 0, 0, 4, 0, 8, 0, 0, 2, 2, 0, 8, 30, 3, Chain::parts},
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

/// For words of 32 bits at n = 2^15: kPartsOf15. The first special primes are as small as the ephemeral
/// secret's key may be.
void fill_parts(Parameters& parameters, const Shape& shape) {
  constexpr std::size_t kTerminals = 2, kLowest = 5, kOf27 = 9, kHighest = 7, kEphemeral = 2;
  const auto add = [&](std::vector<std::uint64_t>& primes, unsigned bits, std::size_t count) {
    std::vector<std::uint64_t> known = parameters.q;
    known.insert(known.end(), parameters.special.begin(), parameters.special.end());
    const std::vector<std::uint64_t> more = ntt_primes(parameters.n, bits, count, known);
    primes.insert(primes.end(), more.begin(), more.end());
  };
  add(parameters.q, 20, 1);
  add(parameters.q, 21, 1);
  add(parameters.q, 30, kLowest);
  add(parameters.q, 27, kOf27);
  add(parameters.q, 30, kHighest);
  add(parameters.special, 27, kEphemeral);
  add(parameters.special, 28, shape.special - kEphemeral);
  for (const Part& part : kPartsOf15)
    parameters.levels.push_back({kTerminals - part.terminals, kTerminals + part.mains});
  parameters.digit_primes = shape.special;
  parameters.word_bits = 32;
  set_scales(parameters, shape.low + 2, 0x1p30, 0x1p36);
}

Parameters parameters_of(const Shape& shape, unsigned log_n) {
  Parameters parameters;
  parameters.n = std::size_t{1} << log_n;
  parameters.security =
      log_n == shape.log_n ? SecurityLevel::classical128 : SecurityLevel::insecure_by_request;
  if (shape.chain != Chain::primes) {
    (shape.chain == Chain::windows ? fill_windows : fill_parts)(parameters, shape);
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
