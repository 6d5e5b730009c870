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
};

constexpr Shape kShapes[] = {
    {"boot16_40", 16, 60, 40, 14, 55, 8, 60, 56, 4, 3, 61, 6, 30, 3},
    {"boot16_45", 16, 60, 45, 13, 51, 8, 60, 60, 4, 3, 61, 5, 30, 3},
    {"boot15_31", 15, 41, 31, 5, 48, 8, 48, 50, 2, 2, 55, 2, 30, 3},
};

Parameters parameters_of(const Shape& shape, unsigned log_n) {
  const std::size_t n = std::size_t{1} << log_n;
  std::vector<unsigned> sizes{shape.lowest};
  sizes.insert(sizes.end(), shape.low, shape.bits);
  sizes.push_back(shape.result);
  sizes.insert(sizes.end(), shape.sine_levels, shape.sine);
  sizes.insert(sizes.end(), shape.to_slots, shape.to_slots_bits);
  std::vector<std::uint64_t> q;
  for (const unsigned bits : sizes) q.push_back(ntt_primes(n, bits, 1, q).front());
  // Chosen from below scales draw together, as they do from the lowest level of the sine up.
  const std::size_t results = shape.low + 2;
  std::vector<double> scales(results, 0.0);
  double scale = std::exp2(shape.bits);
  for (std::size_t i = 1; i < results; ++i) scale = std::sqrt(scale * static_cast<double>(q[i]));
  scales.back() = scale;
  scale = std::exp2(shape.sine);
  for (std::size_t i = results; i < q.size(); ++i) scale = std::sqrt(scale * static_cast<double>(q[i]));
  return Parameters::custom(
      n, scale, q, ntt_primes(n, shape.special_bits, shape.special, q),
      log_n == shape.log_n ? SecurityLevel::classical128 : SecurityLevel::insecure_by_request,
      SecretDistribution::ternary, ErrorDistribution::sigma_3_2, kStrictestTable, 64, 0, {}, scales);
}

}  // namespace

BootstrapSet bootstrap_preset(std::string_view name, unsigned log_n) {
  std::string names;
  for (const Shape& shape : kShapes) {
    names += (names.empty() ? "" : ", ") + std::string(shape.name);
    if (shape.name != name) continue;
    if (log_n == 0) log_n = shape.log_n;
    if (log_n <= shape.to_slots || log_n > shape.log_n)
      throw ParameterError("log_n = " + std::to_string(log_n) + " is out of range [" +
                           std::to_string(shape.to_slots + 1) + ", " + std::to_string(shape.log_n) + "]");
    Bootstrap options;
    options.to_slots = split_layers(log_n - 1, shape.to_slots);
    options.to_coefficients = split_layers(log_n - 1, shape.to_coefficients);
    options.order = SlotsToCoefficients::first;
    options.degree = shape.degree;
    options.double_angles = shape.double_angles;
    return {parameters_of(shape, log_n), options};
  }
  throw ParameterError("name = '" + std::string(name) + "' is no bootstrapping set: " + names);
}

}  // namespace nttforge::ckks
