// SPDX-License-Identifier: Apache-2.0
#include "nttforge/exact_bootstrap/precision.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "nttforge/ckks/bootstrap/bootstrapper.hpp"
#include "nttforge/ckks/chebyshev.hpp"
#include "nttforge/ckks/polynomial.hpp"
#include "nttforge/ckks/scale.hpp"

namespace nttforge::exact_bootstrap {
namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;

/// What the operations of a chain add.
class Errors {
 public:
  explicit Errors(const ckks::Parameters& chain)
      : chain_(chain), scales_(chain.level_scales()), n_(static_cast<double>(chain.n)) {
    const double square = chain.secret.facts(chain.n).square;
    rounding_ = std::sqrt((1 + n_ * square) / 12);
  }

  double n() const { return n_; }
  double scale(std::size_t level) const { return scales_[level - 1].hi; }
  /// log2 of the scale of factors that lead from a scale at a level to the level below.
  double factor_log2(std::size_t level, double of_argument) const {
    double bits = std::log2(scale(level - 1)) - std::log2(of_argument);
    for (const std::uint64_t prime : chain_.step_from(level).leaving)
      bits += std::log2(static_cast<double>(prime));
    return bits;
  }
  /// Deviation of a coefficient after a rounding of both parts.
  double rounding() const { return rounding_; }
  /// The same of a number in a slot of a level.
  double in_slot(std::size_t level) const { return std::sqrt(n_) * rounding_ / scale(level); }
  /// What a key switch at a level adds to a coefficient: errors of the key by the size of the digits, and the
  /// rounding of the division by the special primes.
  double key_switch(std::size_t level) const { return key_switch(level, chain_.special.size()); }
  double key_switch(std::size_t level, std::size_t special) const {
    const auto squares = [](double count) { return count / 12 + count * count / 4; };
    return std::hypot(digits(level, squares, special), rounding_);
  }
  /// The same of a value at the roots where it is largest, next to 1: digits of `count` primes are sums of as
  /// many uniform numbers in [0, 1), and have a mean.
  double key_switch_at_roots(std::size_t level) const {
    const double ones = n_ / std::numbers::pi;  // half of |1 + X + ... + X^(n-1)| there, by root n
    const auto squares = [&](double count) { return count / 12 + count * count * ones * ones / n_; };
    return std::sqrt(n_) * std::hypot(digits(level, squares, chain_.special.size()), rounding_);
  }

 private:
  /// Errors of a key times digits, divided by so many special primes; squares: of a digit, in units of its
  /// primes' product, by their number.
  template <class Squares>
  double digits(std::size_t level, const Squares& squares, std::size_t count) const {
    double special = 0, sum = 0;
    for (std::size_t i = 0; i < count; ++i) special += std::log2(static_cast<double>(chain_.special[i]));
    const rlwe::Window primes = chain_.window(level);
    for (std::size_t first = primes.first, end; first < primes.last; first = end) {
      end = std::min((first / chain_.digit_primes + 1) * chain_.digit_primes, primes.last);
      double bits = -special;
      for (std::size_t i = first; i < end; ++i) bits += std::log2(static_cast<double>(chain_.q[i]));
      sum += std::exp2(2 * bits) * squares(static_cast<double>(end - first));
    }
    return error_sigma(chain_.error) * std::sqrt(n_ * sum);
  }

  const ckks::Parameters& chain_;
  std::vector<DoubleDouble> scales_;
  double n_, rounding_ = 0;
};

/// A number in a slot, its level, and how errors of operations so far move it: deviations by operation.
struct Tracked {
  double value = 0;
  std::size_t level = 0;
  std::vector<double> errors;
};

/// What ckks::Evaluator does to numbers and their errors. Roundings of constants are far below those of
/// ciphertexts, whose scale the constants have.
class TrackedOperations {
 public:
  using Value = Tracked;
  struct Scale {};
  explicit TrackedOperations(const Errors& errors) : errors_(errors) {}

  static std::size_t level_of(const Tracked& x) { return x.level; }
  static Scale scale_at(std::size_t /*level*/) { return {}; }
  static Scale scale_beside(const Tracked& /*a*/, std::size_t /*level*/, Scale /*scale*/) { return {}; }
  static Tracked within(Tracked x, double /*bound_log2*/) { return x; }
  template <class Sum>
  Tracked product_plus(const Tracked& a, const Tracked& b, double times, const Sum& sum, std::size_t level,
                       Scale /*scale*/ = {}) const {
    Tracked result{times * a.value * b.value, level, {}};
    add(a.errors, times * b.value, result.errors);
    add(b.errors, times * a.value, result.errors);
    return rounded(with(std::move(result), sum));
  }
  template <class Sum>
  Tracked product_above(const Tracked& a, const Tracked& b, const Sum& sum, std::size_t level) const {
    Tracked result{a.value * b.value, level + 1, {}};
    add(a.errors, b.value, result.errors);
    add(b.errors, a.value, result.errors);
    return with(std::move(result), sum);
  }
  template <class Sum>
  Tracked combination(const Sum& sum, std::size_t level, Scale /*scale*/) const {
    return rounded(with({0, level, {}}, sum));
  }

 private:
  /// One more source of errors.
  Tracked rounded(Tracked x) const {
    x.errors.resize(std::max(x.errors.size(), sources_) + 1);
    x.errors.back() = errors_.in_slot(x.level);
    sources_ = x.errors.size();
    return x;
  }
  template <class Sum>
  Tracked with(Tracked total, const Sum& sum) const {
    for (std::size_t i = 0; i < sum.terms.size(); ++i) {
      total.value += sum.factors[i] * sum.terms[i]->value;
      add(sum.terms[i]->errors, sum.factors[i], total.errors);
    }
    if (sum.more != nullptr) {
      total.value += sum.more->value;
      add(sum.more->errors, 1, total.errors);
    }
    total.value += sum.constant;
    return total;
  }
  static void add(const std::vector<double>& errors, double factor, std::vector<double>& total) {
    total.resize(std::max(total.size(), errors.size()));
    for (std::size_t i = 0; i < errors.size(); ++i) total[i] += factor * errors[i];
  }

  const Errors& errors_;
  mutable std::size_t sources_ = 0;
};

double norm(std::span<const double> errors) {
  return std::sqrt(std::inner_product(errors.begin(), errors.end(), errors.begin(), 0.0));
}

/// Deviation of a number in a slot after coefficients to slots, but for what comes before: each layer halves
/// variances, the entries of all matrices are rounded at about one size (Bootstrapper), and so are the baby
/// steps' keys, before the entries that they meet.
double slots_deviation(const Errors& errors, std::size_t top, std::span<const std::size_t> layers,
                       double raised_scale, std::size_t weight, double range) {
  const auto scale = [&](std::size_t i) { return i == 0 ? raised_scale : errors.scale(top - i); };
  double entries = 0;  // log2, the mean of the largest encoded entries
  for (std::size_t i = 0; i < layers.size(); ++i)
    entries += errors.factor_log2(top - i, scale(i)) - static_cast<double>(layers[i]);
  entries = (entries - 1) / static_cast<double>(layers.size());
  // Slots as they are raised are sums of n coefficients, each of weight + 1 uniform ones.
  double number = std::sqrt(errors.n() * static_cast<double>(weight + 1) / 12) / range, variance = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::size_t level = top - i;
    const double halves = std::exp2(-static_cast<double>(layers[i]) - (i == 0 ? 2 : 0));
    const double diagonals = std::exp2(static_cast<double>(layers[i]) + 1);
    const double keys = errors.key_switch_at_roots(level) / scale(i);
    const double rounded = std::sqrt(errors.n() / 12) * std::exp2(-entries) *
                           std::exp2(-static_cast<double>(layers[i])) * std::sqrt(diagonals) * number;
    variance = (variance + (i == 0 ? 0 : keys * keys)) * halves + rounded * rounded +
               std::pow(errors.in_slot(level - 1), 2);
    number *= std::sqrt(halves);
  }
  // The conjugation, and the sum with it.
  const std::size_t level = top - layers.size();
  return std::sqrt(2 * variance + std::pow(errors.key_switch_at_roots(level) / errors.scale(level), 2));
}

constexpr double kExit = 0.25;  // of the sine's error

/// Deviations that a coefficient passes once in 2^bits: of a normal one,
double normal_deviations(double bits) { return std::sqrt(2 * bits * std::numbers::ln2); }
/// and of one that is normal in a slot whose variance is proportional to |s|^2 there, which is exponential.
double slot_deviations(double bits) { return bits * std::numbers::ln2 / std::numbers::sqrt2; }

}  // namespace

double Precision::most_exit(double failure_bits) const {
  return kExit * slot_deviations(failure_bits) / normal_deviations(failure_bits) * sine;
}

double Precision::deviation() const { return std::sqrt(entry * entry + 4 * sine * sine); }

double Precision::error_log2(double failure_bits) const {
  return std::log2((1 + kExit) * slot_deviations(failure_bits) * sine +
                   normal_deviations(failure_bits) * entry + fit);
}

Precision predicted_precision(const ckks::Parameters& chain, const ckks::Cosine& cosine,
                              unsigned double_angles, std::span<const std::size_t> to_slots,
                              std::span<const std::size_t> to_coefficients, std::size_t exit_level,
                              std::size_t weight, double ratio) {
  const Errors errors(chain);
  const double range = static_cast<double>(cosine.errors.size() - 1);
  const double q0 = ckks::scale_of({1, 0}, {1, 0}, chain.moduli(1), {}).hi;
  Precision result;

  // To q_0, to the sparse secret, whose key divides by less than all special primes, back at the top, and the
  // first rotations, which are as near to coefficients.
  const double raised = errors.key_switch(chain.top_level());
  const double sparse = errors.key_switch(1, ckks::ephemeral_special(chain));
  result.entry = std::sqrt(std::pow(errors.rounding(), 2) + sparse * sparse + 2 * raised * raised) / q0;

  const std::size_t level = chain.top_level() - to_slots.size();
  const double entering = slots_deviation(errors, chain.top_level(), to_slots, range * q0, weight, range);
  std::vector<double> c = cosine.coefficients;
  const double sum = std::accumulate(c.begin(), c.end(), 0.0,
                                     [](double total, double value) { return total + std::abs(value); });
  const auto reach = static_cast<int>(range);
  const std::vector<double> overflows = ckks::overflow_probabilities(weight);
  for (int i = -reach; i <= reach; ++i) {
    const auto size = static_cast<std::size_t>(std::abs(i));
    if (size >= overflows.size() || overflows[size] == 0) continue;  // never
    result.fit = std::max(result.fit, cosine.errors[size] / kTwoPi);
    const TrackedOperations operations(errors);
    const auto twice_squared = [&](const Tracked& x) {
      struct {
        std::vector<const Tracked*> terms;
        std::vector<double> factors;
        double constant = -1;
        const Tracked* more = nullptr;
      } rest;
      return operations.product_plus(x, x, 2, rest, x.level - 1);
    };
    const Tracked entry{(i - 0.25) / range, level, {entering}};
    const Tracked u = twice_squared(entry);
    ckks::Chebyshev<TrackedOperations> polynomial(operations, u, c.size() - 1, ckks::kLeastCoefficient * sum);
    Tracked x = polynomial.evaluate(c, u.level - ckks::chebyshev_depth(c.size() - 1), {});
    for (unsigned step = 0; step < double_angles; ++step) x = twice_squared(x);
    result.sine = std::max(result.sine, norm(x.errors) / kTwoPi);
  }

  // Each layer of slots to coefficients doubles variances; in coefficients each result is divided by root n.
  double variance = 0;
  for (std::size_t i = 0; i < to_coefficients.size(); ++i) {
    const std::size_t to = exit_level + to_coefficients.size() - 1 - i;
    const double keys = errors.key_switch(to + 1) / errors.scale(to + 1) * (i == 0 ? ratio / kTwoPi : 1);
    variance = (variance + keys * keys) * std::exp2(static_cast<double>(to_coefficients[i])) +
               std::pow(errors.rounding() / errors.scale(to), 2);
  }
  result.exit = std::sqrt(variance) * errors.scale(exit_level);
  return result;
}

}  // namespace nttforge::exact_bootstrap
