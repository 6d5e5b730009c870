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
/// added to a product are added before it is relinearized and rescaled, products among them. Operations says
/// what values are: ciphertexts (polynomial.cpp), or what is predicted of them, by the same operations in the
/// same order (exact_bootstrap/precision.cpp).
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
  Value evaluate(const std::vector<double>& c, std::size_t level, const Scale& scale) {
    const Split split = split_of(c, level);
    if (split.high.empty()) return combination(split.low, level, scale);
    return product(split, level, scale, true);
  }

 private:
  /// Terms of elements, and their factors.
  struct Sum {
    std::vector<const Value*> terms;
    std::vector<double> factors;
    double constant = 0;
    const Value* more = nullptr;  ///< a product at the level above, not relinearized
  };
  /// high T_at + low, or a combination of elements, low, alone.
  struct Split {
    std::size_t at = 0;
    std::vector<double> low, high;
  };

  Split split_of(std::vector<double> c, std::size_t level) const {
    leave_out(c);
    while (c.size() > 2 && c.back() == 0) c.pop_back();
    const std::size_t degree = c.size() - 1, at = std::bit_floor(degree);
    if (is_sum(c, level) && (degree < leaf_ || at == degree)) return {0, c, {}};
    // T_at T_j = (T_(at + j) + T_(at - j)) / 2.
    std::vector<double> low(c.begin(), c.begin() + static_cast<std::ptrdiff_t>(at)),
        high(c.begin() + static_cast<std::ptrdiff_t>(at), c.end());
    for (std::size_t j = 1; j < high.size(); ++j) {
      low[at - j] -= high[j];
      high[j] *= 2;
    }
    leave_out(low);
    leave_out(high);
    if (!is_constant(high)) return {at, low, high};
    low.resize(at + 1);
    low[at] = high[0];
    return {0, low, {}};
  }
  static bool is_constant(const std::vector<double>& c) {
    return std::all_of(c.begin() + 1, c.end(), [](double value) { return value == 0; });
  }

  /// At the level, or, unless it is `whole`, at the level above before it is relinearized and rescaled.
  Value product(const Split& split, std::size_t level, const Scale& scale, bool whole) {
    poll_interrupt();
    const Value& element_at = element(split.at);
    const Value factor = evaluate(split.high, level + 1, operations_.scale_beside(element_at, level, scale));
    const bool known = is_constant(split.low) || (is_sum(split.low, level) && split.low.size() <= leaf_);
    const Split rest = known ? Split{0, split.low, {}} : split_of(split.low, level);
    Value more;
    Sum sum;
    if (rest.high.empty()) {
      sum = sum_of(rest.low);
    } else {
      more = product(rest, level, scale, false);
      sum.more = &more;
    }
    return whole ? operations_.product_plus(factor, element_at, 1, sum, level, scale)
                 : operations_.product_above(factor, element_at, sum, level);
  }

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
