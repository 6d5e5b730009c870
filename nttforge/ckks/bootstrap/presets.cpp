// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/bootstrap/presets.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"

namespace nttforge::ckks {
namespace {

/// Sizes of primes, the lowest first: of level 1, of the levels that are left, of slots to coefficients, the
/// sine and coefficients to slots, and the special ones. Numbers leave the sine at the scale of its primes,
/// of which the matrices of slots to coefficients take as much as their precision allows: `scales` between
/// them.
struct Shape {
  std::string_view name;
  std::size_t n;
  unsigned lowest, bits;
  std::size_t left;
  std::vector<unsigned> last, scales, sine, first;
  unsigned special_bits;
  std::size_t special;
  std::vector<std::size_t> to_slots, to_coefficients;
  unsigned ratio_bits;
  std::size_t degree;
};

std::vector<Shape> shapes() {
  const auto equal = [](std::size_t count, unsigned bits) { return std::vector<unsigned>(count, bits); };
  return {{"boot16_40",
           std::size_t{1} << 16,
           60,
           40,
           11,
           {40, 42, 50},
           {42, 45},
           equal(9, 58),
           equal(4, 56),
           61,
           6,
           {4, 4, 4, 3},
           {5, 5, 5},
           10,
           40},
          {"boot16_45",
           std::size_t{1} << 16,
           60,
           45,
           10,
           {45, 47, 55},
           {47, 50},
           equal(9, 60),
           equal(4, 58),
           61,
           5,
           {4, 4, 4, 3},
           {5, 5, 5},
           10,
           40},
          {"boot15_31",
           std::size_t{1} << 15,
           40,
           31,
           2,
           {40, 45},
           {40},
           equal(8, 55),
           equal(2, 52),
           56,
           2,
           {7, 7},
           {7, 7},
           8,
           30}};
}

std::vector<std::uint64_t> primes_of(const Shape& shape, std::vector<std::uint64_t>& special) {
  std::vector<unsigned> sizes{shape.lowest};
  sizes.insert(sizes.end(), shape.left, shape.bits);
  for (const auto* group : {&shape.last, &shape.sine, &shape.first})
    sizes.insert(sizes.end(), group->begin(), group->end());
  std::vector<std::uint64_t> q;
  for (const unsigned bits : sizes) q.push_back(ntt_primes(shape.n, bits, 1, q).front());
  special = ntt_primes(shape.n, shape.special_bits, shape.special, q);
  return q;
}

}  // namespace

BootstrapSet bootstrap_preset(std::string_view name) {
  std::string names;
  for (const Shape& shape : shapes()) {
    names += (names.empty() ? "" : ", ") + std::string(shape.name);
    if (shape.name != name) continue;
    std::vector<std::uint64_t> special;
    const std::vector<std::uint64_t> q = primes_of(shape, special);
    // Each scale follows from the one above as far up as the sine goes; chosen from below, they draw
    // together.
    const std::size_t base = shape.left + 1, sine = base + shape.last.size();
    std::vector<double> scales(sine, 0.0);
    scales[base - 1] = std::exp2(shape.bits);
    for (std::size_t i = 0; i < shape.scales.size(); ++i) scales[base + i] = std::exp2(shape.scales[i]);
    double scale = std::exp2(shape.sine.front());
    for (std::size_t i = sine; i < q.size(); ++i) scale = std::sqrt(scale * static_cast<double>(q[i]));
    Bootstrap options;
    options.to_slots = shape.to_slots;
    options.to_coefficients = shape.to_coefficients;
    options.ratio_bits = shape.ratio_bits;
    options.degree = shape.degree;
    return {Parameters::custom(shape.n, scale, q, special, SecurityLevel::classical128,
                               SecretDistribution::ternary, ErrorDistribution::sigma_3_2, kStrictestTable, 64,
                               0, {}, scales),
            options};
  }
  throw ParameterError("name = '" + std::string(name) + "' is no bootstrapping set: " + names);
}

}  // namespace nttforge::ckks
