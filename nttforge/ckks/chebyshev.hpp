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

/// A polynomial in Chebyshev's basis by splitting at powers of two [PS73]. Operations says what values are:
/// ciphertexts (polynomial.cpp), or what is predicted of them, by the same operations in the same order
/// (exact_bootstrap/precision.cpp).
template <class Operations>
class Chebyshev {
 public:
  using Value = typename Operations::Value;

  /// least: coefficients below it are left out.
  Chebyshev(const Operations& operations, const Value& x, std::size_t degree, double least)
      : operations_(operations), leaf_(std::size_t{1} << (std::bit_width(degree) + 1) / 2), least_(least) {
    elements_.emplace(1, operations_.within(x, 0));
  }

  /// The polynomial, of a degree of 1 at least, in at most `levels` levels.
  Value evaluate(std::vector<double> c, std::size_t levels) {
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
    Value product = operations_.product(evaluate(high, levels - 1), element(at));
    const bool nothing = std::all_of(low.begin() + 1, low.end(), [](double v) { return v == 0; });
    if (nothing) return low[0] == 0 ? product : operations_.shifted(std::move(product), low[0]);
    return operations_.sum(product, evaluate(low, levels));
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
      if (c[k] != 0) most = std::max(most, static_cast<std::size_t>(std::bit_width(k - 1)));
    return most;
  }

  Value combination(const std::vector<double>& c) {
    std::vector<const Value*> terms;
    std::vector<double> factors;
    for (std::size_t k = 1; k < c.size(); ++k)
      if (c[k] != 0) {
        terms.push_back(&element(k));
        factors.push_back(c[k]);
      }
    double bound = 0;
    for (const double value : c) bound += std::abs(value);
    Value sum = operations_.combination(terms, factors);
    if (c[0] != 0) sum = operations_.shifted(std::move(sum), c[0]);
    return operations_.within(std::move(sum), std::log2(bound));
  }

  const Value& element(std::size_t k) {
    const auto found = elements_.find(k);
    if (found != elements_.end()) return found->second;
    const std::size_t a = (k + 1) / 2, b = k / 2;
    const Value product = operations_.product(element(a), element(b));
    Value twice = operations_.sum(product, product);
    if (a == b)
      twice = operations_.shifted(std::move(twice), -1.0);
    else
      twice = operations_.difference(twice, element(a - b));
    return elements_.emplace(k, operations_.within(std::move(twice), 0)).first->second;
  }

  const Operations& operations_;
  std::size_t leaf_;
  double least_;
  std::map<std::size_t, Value> elements_;
};

}  // namespace nttforge::ckks
