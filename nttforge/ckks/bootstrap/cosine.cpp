// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/bootstrap/cosine.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "nttforge/arith/complex_roots.hpp"
#include "nttforge/arith/double_double.hpp"

namespace nttforge::ckks {
namespace {

constexpr int kUnits = 256;          // that a period of the sine is divided into
constexpr double kRarest = 0x1p-40;  // least weight, but for
constexpr double kLast = 0x1p-60;    // |i| = range, which nobody meets
// Between the messages the fit is not needed, but stays near the cosine where points there have some weight.
constexpr double kBetween = 0x1p-70;
constexpr double kIndependent = 0x1p-90;  // of a squared norm: what is left is no direction of its own

DoubleDouble sub(const DoubleDouble& a, const DoubleDouble& b) { return add(a, -b); }
DoubleDouble twice(const DoubleDouble& a) { return {2 * a.hi, 2 * a.lo}; }
DoubleDouble doubled_angle(const DoubleDouble& y) { return sub(twice(multiply(y, y)), {1, 0}); }

/// Points in units of a period, their weights, cosines, and Chebyshev polynomials of T_2.
struct Samples {
  std::vector<std::int64_t> units;
  std::vector<double> weights;
  std::vector<DoubleDouble> cosines;
  std::vector<std::vector<DoubleDouble>> elements;  // by degree

  DoubleDouble product(std::span<const DoubleDouble> a, std::span<const DoubleDouble> b) const {
    DoubleDouble sum{0, 0};
    for (std::size_t i = 0; i < a.size(); ++i)
      sum = add(sum, multiply(multiply(a[i], b[i]), {weights[i], 0}));
    return sum;
  }
};

std::vector<DoubleDouble> cosines_of(std::span<const std::int64_t> units, unsigned double_angles) {
  const std::int64_t period = std::int64_t{kUnits} << double_angles;
  std::vector<std::uint64_t> exponents;
  for (const std::int64_t unit : units)
    exponents.push_back(static_cast<std::uint64_t>((unit % period + period) % period));
  std::vector<DoubleDouble> result;
  for (const ComplexRoot& root : complex_roots(exponents, 8 + double_angles)) result.push_back(root.re);
  return result;
}

void fill(Samples& samples, unsigned range, unsigned double_angles, std::size_t half) {
  samples.cosines = cosines_of(samples.units, double_angles);
  const DoubleDouble inverse = reciprocal({static_cast<double>(range) * kUnits, 0});
  const std::size_t count = samples.units.size();
  samples.elements.assign(half + 1, std::vector<DoubleDouble>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const DoubleDouble u = doubled_angle(multiply({static_cast<double>(samples.units[i]), 0}, inverse));
    samples.elements[0][i] = {1, 0};
    samples.elements[1][i] = u;
    for (std::size_t k = 2; k <= half; ++k)
      samples.elements[k][i] =
          sub(twice(multiply(u, samples.elements[k - 1][i])), samples.elements[k - 2][i]);
  }
}

/// Least squares by an orthogonal basis, each vector of it written by the elements.
std::vector<DoubleDouble> solve(const Samples& samples) {
  const std::size_t size = samples.elements.size();
  std::vector<std::vector<DoubleDouble>> basis, written;
  std::vector<DoubleDouble> norms, result(size), left = samples.cosines;
  for (std::size_t k = 0; k < size; ++k) {
    std::vector<DoubleDouble> vector = samples.elements[k], form(size);
    form[k] = {1, 0};
    const double before = samples.product(vector, vector).hi;
    const auto subtract = [](std::vector<DoubleDouble>& a, const DoubleDouble& factor,
                             const std::vector<DoubleDouble>& b) {
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = sub(a[i], multiply(factor, b[i]));
    };
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t j = 0; j < basis.size(); ++j) {
        const DoubleDouble factor = multiply(samples.product(vector, basis[j]), reciprocal(norms[j]));
        subtract(vector, factor, basis[j]);
        subtract(form, factor, written[j]);
      }
    const DoubleDouble norm = samples.product(vector, vector);
    if (!(norm.hi > before * kIndependent)) continue;
    const DoubleDouble factor = multiply(samples.product(left, vector), reciprocal(norm));
    subtract(left, factor, vector);
    subtract(result, -factor, form);
    norms.push_back(norm);
    basis.push_back(std::move(vector));
    written.push_back(std::move(form));
  }
  return result;
}

}  // namespace

std::vector<double> overflow_probabilities(std::size_t weight, double message) {
  const std::size_t order = weight + 1;
  // At i + shift, on the side of the smaller numbers; N_m(x) = (x N_(m-1)(x) + (m - x) N_(m-1)(x - 1)) / (m -
  // 1).
  const double shift = (order % 2 == 0 ? 0 : 0.5) + message;
  std::vector<double> spline(order + 1, 0.0);
  spline[0] = 1;
  for (std::size_t m = 2; m <= order; ++m)
    for (std::size_t i = m + 1; i-- > 0;) {
      const double x = static_cast<double>(i) + shift, rest = std::max(static_cast<double>(m) - x, 0.0);
      spline[i] = (x * spline[i] + (i == 0 ? 0 : rest * spline[i - 1])) / static_cast<double>(m - 1);
    }
  spline.resize(order / 2 + 1);
  std::reverse(spline.begin(), spline.end());
  return spline;
}

Cosine fit_cosine(unsigned range, unsigned double_angles, std::size_t degree, std::size_t weight) {
  const std::vector<double> often = overflow_probabilities(weight);
  Samples samples;
  const auto reach = static_cast<std::int64_t>(range);
  for (std::int64_t i = -reach; i <= reach; ++i) {
    const auto at = static_cast<std::size_t>(std::abs(i));
    const double own = at < range ? std::max(at < often.size() ? std::sqrt(often[at]) : 0, kRarest) : kLast;
    for (int d = -kUnits / 2; d < kUnits / 2; d += 4) {
      if (std::abs(d) > 4 && d % 16 != 0) continue;
      samples.units.push_back(i * kUnits - kUnits / 4 + d);
      samples.weights.push_back(std::abs(d) <= 4 ? own : kBetween);
    }
  }
  fill(samples, range, double_angles, degree / 2);
  Cosine result;
  for (const DoubleDouble& c : solve(samples)) result.coefficients.push_back(c.hi);

  result.errors.assign(range + 1, 0.0);
  Samples tested;
  for (std::int64_t i = -reach; i <= reach; ++i)
    for (int d = -8; d <= 8; d += 2) tested.units.push_back(i * kUnits - kUnits / 4 + d);
  fill(tested, range, double_angles, degree / 2);
  const std::vector<DoubleDouble> sines = cosines_of(tested.units, 0);
  for (std::size_t i = 0; i < sines.size(); ++i) {
    DoubleDouble value{0, 0};
    for (std::size_t k = 0; k < result.coefficients.size(); ++k)
      value = add(value, multiply({result.coefficients[k], 0}, tested.elements[k][i]));
    for (unsigned step = 0; step < double_angles; ++step) value = doubled_angle(value);
    double& error =
        result.errors[static_cast<std::size_t>(std::abs(static_cast<std::int64_t>(i / 9) - reach))];
    error = std::max(error, std::abs(sub(value, sines[i]).hi));
  }
  return result;
}

}  // namespace nttforge::ckks
