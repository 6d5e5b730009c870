// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/polynomial.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/ckks/scale.hpp"

namespace nttforge::ckks {
namespace {

constexpr std::size_t kMostDegree = 1023;
constexpr double kLeast = 0x1p-52;  // of the sum of coefficients: smaller ones are left out

std::size_t depth_of_element(std::size_t k) { return static_cast<std::size_t>(std::bit_width(k - 1)); }

/// That every number stays within a bound is known better here than by adding up.
Ciphertext within(Ciphertext x, double bound_log2) {
  Meta meta = x.meta();
  meta.numbers.bound = std::min(meta.numbers.bound, bound_log2);
  x.set_meta(meta);
  return x;
}

class Chebyshev {
 public:
  /// least: coefficients below it are left out.
  Chebyshev(const Evaluator& evaluator, const Ciphertext& x, const RelinearizationKey& key,
            std::size_t degree, double least)
      : evaluator_(evaluator),
        key_(key),
        leaf_(std::size_t{1} << (std::bit_width(degree) + 1) / 2),
        least_(least) {
    elements_.emplace(1, within(x, 0));
  }

  /// The polynomial, of a degree of 1 at least, in at most `levels` levels.
  Ciphertext evaluate(std::vector<double> c, std::size_t levels) {
    poll_interrupt();
    leave_out(c);
    while (c.size() > 2 && c.back() == 0) c.pop_back();
    const std::size_t degree = c.size() - 1;
    if (degree < leaf_ && highest(c) + 1 <= levels) return combination(c);
    const std::size_t at = std::bit_floor(degree);
    if (at == degree && highest(c) + 1 <= levels) return combination(c);
    // T_at T_j = (T_(at + j) + T_(at - j)) / 2.
    std::vector<double> low(c.begin(), c.begin() + static_cast<std::ptrdiff_t>(at)),
        high(c.begin() + static_cast<std::ptrdiff_t>(at), c.end());
    for (std::size_t j = 1; j < high.size(); ++j) {
      low[at - j] -= high[j];
      high[j] *= 2;
    }
    leave_out(low);
    leave_out(high);
    const bool constant = std::all_of(high.begin() + 1, high.end(), [](double v) { return v == 0; });
    if (constant) {
      std::vector<double> lower = low;
      lower.resize(at + 1);
      lower[at] = high[0];
      return combination(lower);
    }
    const Ciphertext product = evaluator_.multiply_relinearize(evaluate(high, levels - 1), element(at), key_);
    const bool nothing = std::all_of(low.begin() + 1, low.end(), [](double v) { return v == 0; });
    if (nothing) return low[0] == 0 ? product : evaluator_.add_constant(product, low[0]);
    return evaluator_.add(product, evaluate(low, levels));
  }

 private:
  void leave_out(std::vector<double>& c) const {
    for (double& value : c)
      if (std::abs(value) < least_) value = 0;
  }

  /// Levels of the deepest element that a combination of all has.
  static std::size_t highest(const std::vector<double>& c) {
    std::size_t most = 0;
    for (std::size_t k = 2; k < c.size(); ++k)
      if (c[k] != 0) most = std::max(most, depth_of_element(k));
    return most;
  }

  Ciphertext combination(const std::vector<double>& c) {
    std::vector<const Ciphertext*> terms;
    std::vector<double> factors;
    for (std::size_t k = 1; k < c.size(); ++k)
      if (c[k] != 0) {
        terms.push_back(&element(k));
        factors.push_back(c[k]);
      }
    double bound = 0;
    for (const double value : c) bound += std::abs(value);
    const Ciphertext sum = evaluator_.weighted_sum(terms, factors);
    return within(c[0] == 0 ? sum : evaluator_.add_constant(sum, c[0]), std::log2(bound));
  }

  const Ciphertext& element(std::size_t k) {
    const auto found = elements_.find(k);
    if (found != elements_.end()) return found->second;
    const std::size_t a = (k + 1) / 2, b = k / 2;
    const Ciphertext product = evaluator_.multiply_relinearize(element(a), element(b), key_);
    const Ciphertext twice = evaluator_.add(product, product);
    Ciphertext result = a == b ? evaluator_.add_constant(twice, -1.0) : evaluator_.sub(twice, element(a - b));
    return elements_.emplace(k, within(std::move(result), 0)).first->second;
  }

  const Evaluator& evaluator_;
  const RelinearizationKey& key_;
  std::size_t leaf_;
  double least_;
  std::map<std::size_t, Ciphertext> elements_;
};

}  // namespace

std::size_t chebyshev_depth(std::size_t degree) { return static_cast<std::size_t>(std::bit_width(degree)); }

Ciphertext evaluate_chebyshev(const Evaluator& evaluator, const Ciphertext& x,
                              std::span<const double> coefficients, const RelinearizationKey& key,
                              double bound) {
  std::vector<double> c(coefficients.begin(), coefficients.end());
  double sum = 0;
  for (const double value : c) sum += std::abs(value);
  const double least = kLeast * sum;
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
  Ciphertext result = within(Chebyshev(evaluator, x, key, degree, least).evaluate(std::move(c), levels),
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
