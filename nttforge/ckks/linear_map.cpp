// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/linear_map.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/ckks/evaluator.hpp"
#include "nttforge/ckks/scale.hpp"

namespace nttforge::ckks {
namespace {

using Complex = std::complex<double>;

// Products of complex numbers without a library's call: the same on every machine.
Complex product(const Complex& a, const Complex& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

double size_of(const Complex& a) { return std::sqrt(a.real() * a.real() + a.imag() * a.imag()); }

/// Diagonals in the units of their greatest common divisor, as few negative ones as there may be.
struct Units {
  std::size_t unit = 1;
  std::int64_t first = 0, count = 1;  // consecutive ones that cover all
};

Units units_of(const Diagonals& matrix) {
  std::size_t unit = matrix.slots;
  for (const auto& [d, values] : matrix.of_step) unit = std::gcd(unit, d);
  const auto all = static_cast<std::int64_t>(matrix.slots / unit);
  // The longest run of missing ones is what consecutive ones leave out.
  std::vector<std::int64_t> present;
  for (const auto& [d, values] : matrix.of_step) present.push_back(static_cast<std::int64_t>(d / unit));
  if (present.empty()) return {};
  std::int64_t longest = present.front() + all - present.back(), begin = present.front();
  for (std::size_t i = 1; i < present.size(); ++i)
    if (present[i] - present[i - 1] > longest) {
      longest = present[i] - present[i - 1];
      begin = present[i];
    }
  const std::int64_t count = all - longest + 1;
  if (begin > all / 2) begin -= all;
  return {unit, begin, count};
}

/// The largest sum over a row of the absolute values, or the root of the sum of their squares.
double largest_row(const Diagonals& matrix, bool squares) {
  double largest = 0;
  for (std::size_t i = 0; i < matrix.slots; ++i) {
    double sum = 0;
    for (const auto& [d, values] : matrix.of_step) {
      const double size = size_of(values[i]);
      sum += squares ? size * size : size;
    }
    largest = std::max(largest, squares ? std::sqrt(sum) : sum);
  }
  return largest;
}

}  // namespace

LinearMap::LinearMap(std::vector<std::int64_t> baby_steps, std::vector<std::int64_t> giant_steps,
                     const Factors& factors, Gain gain, std::optional<DoubleDouble> scale)
    : circuit_(std::move(baby_steps), std::move(giant_steps), factors.polynomials),
      meta_(factors.meta),
      gain_(gain),
      scale_(scale) {
  for (const double value : {gain.sum, gain.root})
    if (!(value > 0 && std::isfinite(value)))
      throw ParameterError("gain = " + std::to_string(value) + " must be positive and finite");
}

Ciphertext Evaluator::apply(const LinearMap& map, const Ciphertext& a, const RotationKeys& keys,
                            std::optional<double> typical) const {
  require_compatible(*context_, a.context(), "a");
  require_compatible(*context_, map.circuit().context(), "map");
  const Meta& factor = map.meta();
  if (a.meta().slots != factor.slots)
    throw ParameterError("a has " + std::to_string(a.meta().slots) +
                         " slots, and the map is for messages of " + std::to_string(factor.slots) +
                         ": make it with the same slots=");
  Ciphertext x = settled(a);
  if (x.level() < factor.level)
    throw ParameterError("a is at level " + std::to_string(x.level()) + ", and the map is for level " +
                         std::to_string(factor.level) + ": make it with level=" + std::to_string(x.level()));
  x = mod_switch_to(x, factor.level).in(Form::values);
  if (map.scale().has_value() && !same_scale(x.meta().scale, *map.scale()))
    throw ParameterError("a has the scale 2^" + std::to_string(log2_of_scale(x.meta().scale)) +
                         ", and the map is for 2^" + std::to_string(log2_of_scale(*map.scale())));
  const NoiseModel& model = context_->noise_model();
  Meta at_roots = x.meta();  // bounds there are bounds on coefficients too
  at_roots.noise.coefficient = at_roots.noise.canonical;
  at_roots.noise.proved.coefficient = at_roots.noise.proved.canonical;
  x.set_meta(at_roots);
  Ciphertext result = circuits::apply(*this, map.circuit(), x, keys);
  const double products = std::log2(static_cast<double>(map.circuit().factors().batch())),
               message = message_log2(x.meta());
  Meta meta = result.meta();
  const double proved = model.sum(meta.noise, model.times(factor.noise, message + products)).proved.canonical;
  // Heuristically the errors of slots are independent, so that their squares add up.
  Noise noise = model.times(model.key_switch(x.noise(), x.level()),
                            log2_of_scale(factor.scale) + std::log2(map.gain().root));
  for (const std::int64_t giant : map.circuit().giant_steps())
    if (giant != 0) noise = model.key_switch(noise, x.level());
  const double size = std::min(message, log2_of_scale(x.meta().scale) + typical.value_or(message));
  noise = model.sum(noise, model.times(factor.noise, size + products / 2));
  noise.proved = {proved, proved};
  meta.noise = rlwe::rounded(noise);
  meta.scale = scale_of(x.meta().scale, factor.scale, {}, {});
  meta.numbers = {x.meta().numbers.bound + std::log2(map.gain().sum),
                  x.meta().numbers.real && factor.numbers.real};
  context_->require_message(meta);
  result.set_meta(meta);
  return divided(result);
}

Diagonals Diagonals::after(const Diagonals& first) const {
  if (first.slots != slots)
    throw ParameterError("matrices of " + std::to_string(first.slots) + " and of " + std::to_string(slots) +
                         " slots have no product");
  Diagonals result{slots, {}};
  for (const auto& [d, a] : of_step)
    for (const auto& [e, b] : first.of_step) {
      std::vector<Complex>& sum = result.of_step[(d + e) % slots];
      sum.resize(slots);
      for (std::size_t i = 0; i < slots; ++i) sum[i] += product(a[i], b[(i + d) % slots]);
    }
  return result;
}

Diagonals Diagonals::times(Complex factor) const {
  Diagonals result = *this;
  for (auto& [d, values] : result.of_step)
    for (Complex& value : values) value = product(value, factor);
  return result;
}

Steps steps_of(const Diagonals& matrix, std::size_t babies) {
  const Units units = units_of(matrix);
  const auto count = static_cast<std::size_t>(units.count);
  // A giant step costs as much as some three baby steps, which share a decomposition.
  if (babies == 0) {
    std::size_t best = count;
    double least = static_cast<double>(count);
    for (std::size_t b = 1; b <= count; ++b) {
      const double cost = static_cast<double>(b) + 3 * (static_cast<double>((count + b - 1) / b) - 1);
      if (cost < least) {
        least = cost;
        best = b;
      }
    }
    babies = best;
  }
  Steps steps;
  const auto unit = static_cast<std::int64_t>(units.unit);
  for (std::size_t j = 0; j < std::min(babies, count); ++j)
    steps.baby.push_back(static_cast<std::int64_t>(j) * unit);
  for (std::size_t g = 0; g < count; g += babies)
    steps.giant.push_back((units.first + static_cast<std::int64_t>(g)) * unit);
  return steps;
}

LinearMap linear_map(const ContextPtr& context, const Diagonals& matrix, std::size_t level, const Steps& steps,
                     std::optional<DoubleDouble> scale) {
  if (level < 2 || level > require_context(context)->top_level())
    throw ParameterError("level = " + std::to_string(level) + " is out of range [2, " +
                         std::to_string(context->top_level()) + "]: a linear map takes a level");
  const auto slots = static_cast<std::int64_t>(matrix.slots);
  const auto place = [slots](std::int64_t i) { return static_cast<std::size_t>((i % slots + slots) % slots); };
  std::set<std::size_t> done;  // the last giant step may reach what the first one has
  std::vector<Complex> values;
  values.reserve(steps.baby.size() * steps.giant.size() * matrix.slots);
  Encode options{.slots = matrix.slots, .level = level, .bound = 0, .real = true};
  options.batch = steps.baby.size() * steps.giant.size();
  for (const std::int64_t giant : steps.giant)
    for (const std::int64_t baby : steps.baby) {
      const std::size_t d = place(giant + baby);
      const auto found = done.insert(d).second ? matrix.of_step.find(d) : matrix.of_step.end();
      if (found != matrix.of_step.end() && found->second.size() != matrix.slots)
        throw ParameterError("diagonal " + std::to_string(d) + " has " + std::to_string(found->second.size()) +
                             " numbers, need " + std::to_string(matrix.slots));
      for (std::int64_t i = 0; i < slots; ++i) {
        const Complex value = found == matrix.of_step.end() ? Complex(0) : found->second[place(i - giant)];
        options.bound = std::max({options.bound, std::abs(value.real()), std::abs(value.imag())});
        options.real = options.real && value.imag() == 0;
        values.push_back(value);
      }
    }
  const Parameters::Step step = context->parameters().step_from(level);
  options.scale = quotient_of(scale_of(context->scale(level - 1), {1, 0}, step.leaving, step.joining),
                              scale.value_or(context->scale(level)));
  return LinearMap(steps.baby, steps.giant, prepare_factors(context, values, options),
                   {largest_row(matrix, false), largest_row(matrix, true)}, scale);
}

}  // namespace nttforge::ckks
