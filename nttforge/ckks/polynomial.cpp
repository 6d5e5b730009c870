// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/polynomial.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/ckks/chebyshev.hpp"
#include "nttforge/ckks/scale.hpp"

namespace nttforge::ckks {
namespace {

constexpr std::size_t kMostDegree = 1023;

/// Ciphertexts as what polynomials are made of.
struct Ciphertexts {
  using Value = Ciphertext;
  const Evaluator& evaluator;
  const RelinearizationKey& key;

  Ciphertext product(const Ciphertext& a, const Ciphertext& b) const {
    return evaluator.multiply_relinearize(a, b, key);
  }
  Ciphertext sum(const Ciphertext& a, const Ciphertext& b) const { return evaluator.add(a, b); }
  Ciphertext difference(const Ciphertext& a, const Ciphertext& b) const { return evaluator.sub(a, b); }
  Ciphertext shifted(Ciphertext a, double c) const { return evaluator.add_constant(std::move(a), c); }
  Ciphertext combination(std::span<const Ciphertext* const> a, std::span<const double> c) const {
    return evaluator.weighted_sum(a, c);
  }
  /// That every number stays within a bound is known better here than by adding up.
  Ciphertext within(Ciphertext x, double bound_log2) const {
    Meta meta = x.meta();
    meta.numbers.bound = std::min(meta.numbers.bound, bound_log2);
    x.set_meta(meta);
    return x;
  }
};

}  // namespace

std::size_t chebyshev_depth(std::size_t degree) { return static_cast<std::size_t>(std::bit_width(degree)); }

Ciphertext evaluate_chebyshev(const Evaluator& evaluator, const Ciphertext& x,
                              std::span<const double> coefficients, const RelinearizationKey& key,
                              double bound) {
  std::vector<double> c(coefficients.begin(), coefficients.end());
  double sum = 0;
  for (const double value : c) sum += std::abs(value);
  const double least = kLeastCoefficient * sum;
  while (!c.empty() && std::abs(c.back()) <= least) c.pop_back();
  const std::size_t degree = c.empty() ? 0 : c.size() - 1;
  if (degree < 1 || degree > kMostDegree)
    throw ParameterError("coefficients: the degree is " + std::to_string(degree) + ", need 1 ... " +
                         std::to_string(kMostDegree));
  const std::size_t levels = chebyshev_depth(degree), left = x.level() - 1;
  if (levels > left)
    throw ParameterError("a polynomial of degree " + std::to_string(degree) + " needs " +
                         std::to_string(levels) + " levels, " + std::to_string(left) +
                         " left: bootstrap, or use a set with more levels");
  const Ciphertexts operations{evaluator, key};
  Ciphertext result =
      operations.within(Chebyshev(operations, x, degree, least).evaluate(std::move(c), levels),
                        std::log2(bound > 0 ? std::min(bound, sum) : sum));
  // Each of as many coefficients as there are may be left out in each of so many splits.
  const double left_out = least * static_cast<double>(2 * (degree + 1) * levels);
  const NoiseModel& model = evaluator.context()->noise_model();
  Meta meta = result.meta();
  meta.noise = model.off_by(meta.noise, log2_of_scale(meta.scale) + std::log2(left_out));
  result.set_meta(meta);
  return result;
}

}  // namespace nttforge::ckks
