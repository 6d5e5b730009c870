// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "nttforge/base/interrupt.hpp"

namespace nttforge::ckks {

/// Coefficients below this part of the sum of all are left out.
inline constexpr double kLeastCoefficient = 0x1p-52;

/// A polynomial in Chebyshev's basis by splitting at powers of two [PS73]. Elements are used at the levels
/// below their own by leaving primes out, at the scales that they have: what they are combined or multiplied
/// with is made at the scale that leads to the wanted one, from the result back [BMTH21, 5]. Sums that are
/// added to a product are added before it is rescaled. Operations says what values are: ciphertexts
/// (polynomial.cpp), or what is predicted of them, by the same operations in the same order
/// (exact_bootstrap/precision.cpp).
template <class Operations>
class Chebyshev {
 public:
  using Value = typename Operations::Value;
  using Scale = typename Operations::Scale;

  /// least: coefficients below it are left out.
  Chebyshev(const Operations& operations, const Value& x, std::size_t degree, double least)
      : operations_(operations),
        top_(operations.level_of(x)),
        leaf_(std::size_t{1} << (std::bit_width(degree) + 1) / 2),
        least_(least) {
    elements_.emplace(1, operations_.within(x, 0));
  }

  /// The polynomial, of a degree of 1 at least, at a level and a scale.
  Value evaluate(std::vector<double> c, std::size_t level, const Scale& scale) {
    poll_interrupt();
    leave_out(c);
    while (c.size() > 2 && c.back() == 0) c.pop_back();
    const std::size_t degree = c.size() - 1, at = std::bit_floor(degree);
    if (is_sum(c, level) && (degree < leaf_ || at == degree)) return combination(c, level, scale);
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
      return combination(lower, level, scale);
    }
    const Value& element_at = element(at);
    const Value factor = evaluate(high, level + 1, operations_.scale_beside(element_at, level, scale));
    const std::size_t low_degree = low.size() - 1;
    const bool nothing = std::all_of(low.begin() + 1, low.end(), [](double v) { return v == 0; });
    if (nothing || (is_sum(low, level) && low_degree < leaf_))
      return operations_.product_plus(factor, element_at, 1, sum_of(low), level, scale);
    return operations_.sum(operations_.product_plus(factor, element_at, 1, Sum{}, level, scale),
                           evaluate(low, level, scale));
  }

 private:
  /// Terms of elements, and their factors.
  struct Sum {
    std::vector<const Value*> terms;
    std::vector<double> factors;
    double constant = 0;
  };

  void leave_out(std::vector<double>& c) const {
    for (double& value : c)
      if (std::abs(value) < least_) value = 0;
  }

  /// Whether the level above has all elements that the polynomial has.
  bool is_sum(const std::vector<double>& c, std::size_t level) const {
    std::size_t most = 0;
    for (std::size_t k = 2; k < c.size(); ++k)
      if (c[k] != 0) most = std::max(most, static_cast<std::size_t>(std::bit_width(k - 1)));
    return top_ - most > level;
  }

  Sum sum_of(const std::vector<double>& c) {
    Sum sum;
    sum.constant = c[0];
    for (std::size_t k = 1; k < c.size(); ++k)
      if (c[k] != 0) {
        sum.terms.push_back(&element(k));
        sum.factors.push_back(c[k]);
      }
    return sum;
  }

  Value combination(const std::vector<double>& c, std::size_t level, const Scale& scale) {
    double bound = 0;
    for (const double value : c) bound += std::abs(value);
    return operations_.within(operations_.combination(sum_of(c), level, scale), std::log2(bound));
  }

  const Value& element(std::size_t k) {
    const auto found = elements_.find(k);
    if (found != elements_.end()) return found->second;
    const Value &a = element((k + 1) / 2), &b = element(k / 2);
    const std::size_t level = std::min(operations_.level_of(a), operations_.level_of(b)) - 1;
    Sum rest;
    if (k % 2 == 0) {
      rest.constant = -1;
    } else {
      rest.terms.push_back(&element(1));
      rest.factors.push_back(-1);
    }
    Value result = operations_.product_plus(a, b, 2, rest, level);
    return elements_.emplace(k, operations_.within(std::move(result), 0)).first->second;
  }

  const Operations& operations_;
  std::size_t top_, leaf_;
  double least_;
  std::map<std::size_t, Value> elements_;
};

}  // namespace nttforge::ckks
