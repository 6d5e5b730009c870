// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/linear_transform.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/ckks/scale.hpp"

namespace nttforge::ckks {
namespace {

using Complex = std::complex<double>;

constexpr double kOffBits = 6;  // that a scale may be off

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

}  // namespace

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

Steps steps_of(const Diagonals& matrix, std::size_t babies, const StepCosts& costs) {
  const Units units = units_of(matrix);
  const std::int64_t end = units.first + units.count;
  // Where 0 is among the diagonals it is among the giant steps, and that one moves nothing.
  const auto first_of = [&](std::int64_t b) {
    return units.first < 0 && end > 0 ? -((b - 1 - units.first) / b * b) : units.first;
  };
  auto baby = std::min(static_cast<std::int64_t>(babies), units.count);
  if (babies == 0) {
    std::int64_t least = 0;
    for (std::int64_t b = 1; b <= std::min(units.count, costs.most); ++b) {
      const std::int64_t giants = (end - first_of(b) + b - 1) / b,
                         passes = (giants + costs.together - 1) / costs.together,
                         cost = b * passes + costs.giant * (giants - 1);
      if (baby != 0 && cost >= least) continue;
      least = cost;
      baby = b;
    }
  }
  Steps steps;
  const auto unit = static_cast<std::int64_t>(units.unit);
  for (std::int64_t j = 0; j < baby; ++j) steps.baby.push_back(j * unit);
  for (std::int64_t g = first_of(baby); g < end; g += baby) steps.giant.push_back(g * unit);
  return steps;
}

Steps chained_steps_of(const Diagonals& matrix) {
  const Units units = units_of(matrix);
  const std::int64_t last = units.first + units.count - 1;
  const auto unit = static_cast<std::int64_t>(units.unit);
  // Giant steps are multiples of `babies` units, as many below and above 0 as there are diagonals.
  Steps best;
  for (std::int64_t babies = 1; babies <= units.count; ++babies) {
    const std::int64_t below = units.first < 0 ? (babies - 1 - units.first) / babies : 0,
                       above = last > 0 ? last / babies : 0;
    const auto rotations = static_cast<std::size_t>(babies + below + above);
    if (!best.baby.empty() && rotations > best.baby.size() + best.giant.size() - 1) continue;
    best = {{}, {}, true};
    for (std::int64_t j = 0; j < babies; ++j) best.baby.push_back(j * unit);
    for (std::int64_t g = -below; g <= above; ++g) best.giant.push_back(g * babies * unit);
  }
  return best;
}

namespace {

/// The factors of a map: diagonal giant + baby, rotated by -giant, transformed modulo all primes.
Polynomial factors_of(const ContextPtr& context, const Diagonals& matrix, const Steps& steps,
                      const DoubleDouble& scale, std::size_t level) {
  const auto slots = static_cast<std::int64_t>(matrix.slots);
  std::set<std::size_t> done;  // the last giant step may reach what the first one has
  std::vector<Complex> values;
  values.reserve(steps.baby.size() * steps.giant.size() * matrix.slots);
  for (const std::int64_t giant : steps.giant)
    for (const std::int64_t baby : steps.baby) {
      const auto d = static_cast<std::size_t>(((giant + baby) % slots + slots) % slots);
      const auto found = done.insert(d).second ? matrix.of_step.find(d) : matrix.of_step.end();
      for (std::int64_t i = 0; i < slots; ++i)
        values.push_back(
            found == matrix.of_step.end()
                ? Complex(0)
                : found->second[static_cast<std::size_t>(((i - giant) % slots + slots) % slots)]);
    }
  return encode_factors(context, values, matrix.slots, scale, level);
}

DoubleDouble scale_of_factors(const Context& context, std::size_t level, const DoubleDouble& scale) {
  if (level < 2 || level > context.top_level())
    throw ParameterError("level = " + std::to_string(level) + " is out of range [2, " +
                         std::to_string(context.top_level()) + "]: a linear transform takes a level");
  return context.factor_scale(level, scale);
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

LinearTransform::LinearTransform(ContextPtr context, const Diagonals& matrix, std::size_t level,
                                 const Steps& steps, std::optional<DoubleDouble> scale)
    : context_(require_context(context)),
      map_(steps.baby, steps.giant,
           factors_of(context_, matrix, steps,
                      scale_of_factors(*context_, level, scale.value_or(context_->scale(level))), level),
           steps.chained),
      level_(level),
      slots_(matrix.slots),
      scale_(scale.value_or(context_->scale(level))),
      factor_scale_(scale_of_factors(*context_, level, scale_)),
      row_sum_log2_(std::log2(largest_row(matrix, false))),
      row_root_log2_(std::log2(largest_row(matrix, true))),
      real_(std::all_of(matrix.of_step.begin(), matrix.of_step.end(), [](const auto& entry) {
        return std::all_of(entry.second.begin(), entry.second.end(),
                           [](const Complex& value) { return value.imag() == 0; });
      })) {}

Noise LinearTransform::image_noise(const Noise& a, double scale, double typical, double most) const {
  const NoiseModel& model = context_->noise_model();
  const double factors = log2_of_scale(factor_scale_),
               diagonals = std::log2(static_cast<double>(map_.factors().batch()));
  // Images of one decomposition are added up before anything is divided, and the last division and the
  // rescaling are one exact rounding; those of a chain are divided step by step.
  Noise rotated = map_.chained() ? a : model.key_products(a, level_);
  if (map_.chained())
    for (std::size_t j = 1; j < map_.baby_steps().size(); ++j) rotated = model.key_switch(rotated, level_);
  Noise sum = model.times(rotated, factors + row_root_log2_),
        proved = model.times(rotated, factors + row_sum_log2_);
  for (const std::int64_t giant : map_.giant_steps())
    if (giant != 0) {
      sum = model.key_switch(sum, level_);
      proved = model.key_switch(proved, level_);
    }
  // Encoded diagonals are off by what encoding rounds, each times a rotation of the message and its error.
  sum = model.sum(sum, model.times(model.independent_encoding(factors + row_root_log2_, factor_scale_),
                                   scale + typical + diagonals / 2));
  proved = model.sum(proved, model.times(model.encoding(factors + row_sum_log2_, factor_scale_),
                                         log2_sum(scale + most, rotated.proved.canonical) + diagonals));
  sum.proved = proved.proved;
  return rlwe::rounded(sum);
}

Ciphertext LinearTransform::apply(const Evaluator& evaluator, const Ciphertext& a, const RotationKeys& keys,
                                  std::optional<double> typical, std::optional<double> bound,
                                  const multi::Meeting::Side* side) const {
  require_compatible(*context_, a.context(), "a");
  if (a.meta().slots != slots_)
    throw ParameterError("a has " + std::to_string(a.meta().slots) + " slots and the matrix is for " +
                         std::to_string(slots_) + ": encode with slots=" + std::to_string(slots_));
  const Ciphertext x = evaluator.mod_switch_to(a, level_);
  const double scale = log2_of_scale(x.meta().scale);
  if (std::abs(scale - log2_of_scale(scale_)) > kOffBits)
    throw ParameterError("a has the scale 2^" + std::to_string(scale) + " at level " +
                         std::to_string(level_) + ", and the transform is for about 2^" +
                         std::to_string(log2_of_scale(scale_)) +
                         ": rescale a product first, or make the transform for a lower level");
  const double most = x.meta().numbers.bound;
  Meta meta = x.meta().computed(image_noise(x.noise(), scale, std::min(typical.value_or(most), most), most));
  meta.scale = scale_of(x.meta().scale, factor_scale_, {}, {});
  meta.numbers = {bound.value_or(x.meta().numbers.bound + row_sum_log2_), x.meta().numbers.real && real_};
  context_->require_message(meta);
  return circuits::apply_divided(evaluator, map_, x, keys, meta, side);
}

}  // namespace nttforge::ckks
