// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/polynomial.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
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
  using Scale = DoubleDouble;
  const Evaluator& evaluator;
  const RelinearizationKey& key;

  std::size_t level_of(const Ciphertext& a) const { return a.level(); }
  DoubleDouble scale_at(std::size_t level) const { return evaluator.context()->scale(level); }
  /// The scale of what leads to a scale at a level once it is multiplied with `a`.
  DoubleDouble scale_beside(const Ciphertext& a, std::size_t level, const DoubleDouble& scale) const {
    return quotient_of(evaluator.product_scale_at(level, scale), evaluator.scale_in(a, level + 1));
  }
  template <class Sum>
  Ciphertext product_plus(const Ciphertext& a, const Ciphertext& b, std::uint64_t times, const Sum& sum,
                          std::size_t level, const std::optional<DoubleDouble>& scale = std::nullopt) const {
    return evaluator.product_plus_at(a, b, times, {sum.terms, sum.factors, sum.constant, sum.more}, level,
                                     key, scale);
  }
  template <class Sum>
  Ciphertext product_above(const Ciphertext& a, const Ciphertext& b, const Sum& sum,
                           std::size_t level) const {
    return evaluator.product_above(a, b, 1, {sum.terms, sum.factors, sum.constant, sum.more}, level);
  }
  template <class Sum>
  Ciphertext combination(const Sum& sum, std::size_t level, const DoubleDouble& scale) const {
    return evaluator.weighted_sum_at({sum.terms, sum.factors, sum.constant}, level, scale);
  }
  /// That every number stays within a bound is known better here than by adding up.
  Ciphertext within(Ciphertext x, double bound_log2) const {
    Meta meta = x.meta();
    meta.numbers.bound = std::min(meta.numbers.bound, bound_log2);
    x.set_meta(meta);
    return x;
  }
};

/// At the highest level from which all powers but the last are rescaled to scales of their levels.
Ciphertext where_powers_lead(const Evaluator& evaluator, Ciphertext x, std::size_t levels) {
  const Context& context = *evaluator.context();
  for (std::size_t step = 1; step < levels && x.level() > levels; ++step)
    if (!context.leads_below(x.level() - step + 1)) {
      const std::size_t level = x.level() - step;
      if (level <= levels) break;  // none is left
      x = evaluator.mod_switch_to(x, level).in(Form::values);
      step = 0;
    }
  return x;
}

}  // namespace

std::size_t chebyshev_depth(std::size_t degree) { return static_cast<std::size_t>(std::bit_width(degree)); }

Ciphertext evaluate_chebyshev(const Evaluator& evaluator, const Ciphertext& x,
                              std::span<const double> coefficients, const RelinearizationKey& key,
                              double bound, const std::optional<DoubleDouble>& scale) {
  std::vector<double> c(coefficients.begin(), coefficients.end());
  double sum = 0;
  for (const double value : c) sum += std::abs(value);
  const double least = kLeastCoefficient * sum;
  while (!c.empty() && std::abs(c.back()) <= least) c.pop_back();
  const std::size_t degree = c.empty() ? 0 : c.size() - 1;
  if (degree < 1 || degree > kMostDegree)
    throw ParameterError("coefficients: the degree is " + std::to_string(degree) + ", need 1 ... " +
                         std::to_string(kMostDegree));
  Ciphertext start = evaluator.settled(x).in(Form::values);
  const std::size_t levels = chebyshev_depth(degree), left = start.level() - 1;
  if (levels > left)
    throw ParameterError("a polynomial of degree " + std::to_string(degree) + " needs " +
                         std::to_string(levels) + " levels, " + std::to_string(left) +
                         " left: bootstrap, or use a set with more levels");
  start = where_powers_lead(evaluator, std::move(start), levels);
  const Ciphertexts operations{evaluator, key};
  const std::size_t level = start.level() - levels;
  Chebyshev polynomial(operations, start, degree, least);
  Ciphertext result =
      operations.within(polynomial.evaluate(c, level, scale.value_or(operations.scale_at(level))),
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
