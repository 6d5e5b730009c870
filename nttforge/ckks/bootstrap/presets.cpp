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
/// sine and coefficients to slots, and the special ones.
struct Shape {
  std::string_view name;
  std::size_t n;
  unsigned lowest, bits;
  std::size_t left;
  std::vector<unsigned> above;
  unsigned special_bits;
  std::size_t special;
  std::vector<std::size_t> to_slots, to_coefficients;
  unsigned ratio_bits;
  std::size_t degree;
};

std::vector<Shape> shapes() {
  const auto repeated = [](std::initializer_list<std::pair<std::size_t, unsigned>> groups) {
    std::vector<unsigned> result;
    for (const auto& [count, bits] : groups) result.insert(result.end(), count, bits);
    return result;
  };
  return {{"boot16_40",
           std::size_t{1} << 16,
           60,
           40,
           11,
           repeated({{3, 39}, {9, 60}, {4, 56}}),
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
           repeated({{3, 42}, {9, 60}, {4, 58}}),
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
           3,
           repeated({{1, 30}, {1, 30}, {8, 55}, {2, 52}}),
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
  sizes.insert(sizes.end(), shape.above.begin(), shape.above.end());
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
    // From the lowest level up, so that scales draw together (presets.cpp of ckks/).
    double scale = std::exp2(shape.bits);
    for (std::size_t i = 1; i < q.size(); ++i) scale = std::sqrt(scale * static_cast<double>(q[i]));
    Bootstrap options;
    options.to_slots = shape.to_slots;
    options.to_coefficients = shape.to_coefficients;
    options.ratio_bits = shape.ratio_bits;
    options.degree = shape.degree;
    return {Parameters::custom(shape.n, scale, q, special), options};
  }
  throw ParameterError("name = '" + std::string(name) + "' is no bootstrapping set: " + names);
}

}  // namespace nttforge::ckks
