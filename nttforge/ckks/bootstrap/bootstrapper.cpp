// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/bootstrap/bootstrapper.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/ckks/bootstrap/fourier.hpp"
#include "nttforge/ckks/polynomial.hpp"
#include "nttforge/ckks/scale.hpp"
#include "nttforge/rns/hps.hpp"

namespace nttforge::ckks {
namespace {

constexpr double kPi = std::numbers::pi;

/// A factorised map from a level on. Encoded entries are rounded to integers: powers of two that multiply to
/// 1 make the largest ones of all matrices about as large.
std::vector<LinearTransform> encoded(const ContextPtr& context, std::vector<Diagonals> matrices,
                                     std::size_t level, const DoubleDouble& scale, bool small_keys) {
  const auto scale_at = [&](std::size_t i) { return i == 0 ? scale : context->scale(level - i); };
  std::vector<double> bits;
  double mean = 0;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    double largest = 0;
    for (const auto& [d, values] : matrices[i].of_step)
      for (const auto& value : values)
        largest = std::max({largest, std::abs(value.real()), std::abs(value.imag())});
    bits.push_back(std::log2(largest) + log2_of_scale(context->factor_scale(level - i, scale_at(i))));
    mean += bits.back() / static_cast<double>(matrices.size());
  }
  // More keys for fewer giant steps where keys are of short words, on cards in particular, whose kernel has
  // the sums of four giant steps in registers.
  const StepCosts costs =
      context->parameters().word_bits == 32 ? StepCosts{.giant = 5, .together = 4, .most = 32} : StepCosts{};
  std::vector<LinearTransform> result;
  int left = 0;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const bool last = i + 1 == matrices.size();
    const int shift = last ? -left : static_cast<int>(std::floor(mean - bits[i]));
    left += shift;
    const Diagonals matrix = matrices[i].times(std::ldexp(1.0, shift));
    result.emplace_back(context, matrix, level - i,
                        small_keys ? chained_steps_of(matrix) : steps_of(matrix, 0, costs), scale_at(i));
  }
  return result;
}

}  // namespace

std::size_t Bootstrapper::sine_levels() const {
  return 1 + chebyshev_depth(options_.degree / 2) + options_.double_angles;
}

std::size_t Bootstrapper::levels_needed() const {
  return options_.to_slots.size() + sine_levels() + options_.to_coefficients.size() + 1;
}

Bootstrapper::Bootstrapper(ContextPtr context, Bootstrap options)
    : context_(require_context(context)), options_(std::move(options)) {
  if (options_.slots == 0) options_.slots = context_->slots();
  const std::size_t slots = options_.slots;
  context_->embedding(slots);  // throws unless it is a number of slots
  if (slots < 2) throw ParameterError("slots = 1: bootstrap messages of 2 slots at least");
  const auto layers = static_cast<std::size_t>(std::countr_zero(slots));
  if (options_.to_slots.empty()) options_.to_slots = split_layers(layers, std::min<std::size_t>(layers, 4));
  if (options_.weight < 1 || options_.weight > 1024)
    throw ParameterError("weight = " + std::to_string(options_.weight) + " is out of range [1, 1024]");
  if (options_.to_coefficients.empty())
    options_.to_coefficients = split_layers(layers, std::min<std::size_t>(layers, 3));
  if (options_.degree < 4 || options_.degree > 254 || options_.degree % 2 != 0)
    throw ParameterError("degree = " + std::to_string(options_.degree) + " must be even and in [4, 254]");
  if (options_.double_angles > 8)
    throw ParameterError("double_angles = " + std::to_string(options_.double_angles) +
                         " is out of range [0, 8]");
  if (options_.range < 2 || options_.range > 1024)
    throw ParameterError("range = " + std::to_string(options_.range) + " is out of range [2, 1024]");
  const Parameters& parameters = context_->parameters();
  context_->require_evaluation_keys();
  if (levels_needed() > context_->top_level())
    throw ParameterError("bootstrapping as asked for needs a set of " + std::to_string(levels_needed() - 1) +
                         " levels at least, and this one has " + std::to_string(context_->top_level() - 1) +
                         ": use a larger set, or fewer matrices");
  const std::size_t lowest_sine = sine_level() - sine_levels();
  level_ = first() ? lowest_sine : lowest_sine - options_.to_coefficients.size();
  const std::span<const std::uint64_t> lowest = parameters.moduli(1);
  // [-q_0 / 2, q_0 / 2), but for what is as near to an end as 2^-60 q_0, which may be at the other one.
  raise_ = context_->device().make_step(hps_extend(RnsBase({lowest.begin(), lowest.end()}), parameters.q),
                                        context_->n());
  const double q0 = scale_of({1, 0}, {1, 0}, parameters.moduli(1), {}).hi;
  const double scale = context_->scale(1).hi * options_.bound;
  if (!(options_.bound > 0) || options_.ratio_bits < 6 || options_.ratio_bits > 30 ||
      (!first() && std::ldexp(scale, 6) > q0))
    throw ParameterError("ratio_bits = " + std::to_string(options_.ratio_bits) +
                         " and bound = " + std::to_string(options_.bound) +
                         ": in [6, 30] and above 0, and numbers at the lowest " +
                         "level's scale must be 2^ratio_bits below its prime");
  if (first()) {
    // The sine's slope makes 2 pi of a period one, at the scale at which its last product leaves it.
    const DoubleDouble& above = context_->scale(level_ + 1);
    const Parameters::Step step = parameters.step_from(level_ + 1);
    ratio_ =
        2 * kPi * quotient_of(scale_of(above, above, step.joining, step.leaving), context_->scale(level_)).hi;
    if (!(ratio_ >= 0x1p6 && ratio_ <= 0x1p30))
      throw ParameterError(
          "scales[" + std::to_string(level_ - 1) + "] = 2^" +
          std::to_string(log2_of_scale(context_->scale(level_))) +
          ", the result's: must be 2^3.4 to 2^27.3 below that of the sine's products, 2^" +
          std::to_string(std::log2(ratio_ / (2 * kPi)) + log2_of_scale(context_->scale(level_))));
  } else {
    factor_ = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::ldexp(q0 / scale, -static_cast<int>(options_.ratio_bits))));
    ratio_ = q0 / (static_cast<double>(factor_) * context_->scale(1).hi);
  }
  for (std::size_t step = slots; step < context_->slots(); step *= 2)
    trace_.push_back(static_cast<std::int64_t>(step));

  std::vector<Diagonals> matrices = coefficients_to_slots(slots, options_.to_slots);
  // Half for real and imaginary parts, and the terms of the trace.
  matrices.front() = matrices.front().times(std::ldexp(0.5, -static_cast<int>(trace_.size())));
  to_slots_ =
      encoded(context_, std::move(matrices), context_->top_level(), raised_scale(), options_.small_keys);
  matrices = slots_to_coefficients(slots, options_.to_coefficients);
  matrices.front() =
      matrices.front().times(first() ? q0 / (ratio_ * context_->scale(1).hi) : ratio_ / (2 * kPi));
  const std::size_t above = first() ? input_level() : lowest_sine;
  to_coefficients_ =
      encoded(context_, std::move(matrices), above, context_->scale(above), options_.small_keys);
  cosine_ = fit_cosine(options_.range, options_.double_angles, options_.degree, options_.weight);
  overflows_ = overflow_probabilities(options_.weight);
}

std::size_t Bootstrapper::input_level() const { return first() ? options_.to_coefficients.size() + 1 : 1; }

DoubleDouble Bootstrapper::raised_scale() const {
  return scale_of({static_cast<double>(options_.range), 0}, {1, 0}, context_->parameters().moduli(1), {});
}

double Bootstrapper::ratio_log2() const { return std::log2(ratio_); }

double Bootstrapper::gain_log2() const {
  return context_->noise_model().modulus_log2(1) - log2_of_scale(context_->scale(1)) - ratio_log2();
}

double Bootstrapper::failure_log2() const {
  double sum = 0;
  const std::vector<double> often =
      overflow_probabilities(options_.weight, std::ldexp(1.0, -static_cast<int>(kRatio)));
  for (std::size_t i = options_.range; i < often.size(); ++i) sum += 2 * often[i];
  return std::log2(sum) + std::log2(static_cast<double>(context_->n()));
}

std::map<std::int64_t, std::size_t> Bootstrapper::rotation_levels() const {
  std::map<std::int64_t, std::size_t> levels;
  for (const std::int64_t step : trace_) levels[step] = context_->top_level();
  for (const auto* maps : {&to_slots_, &to_coefficients_})
    for (const LinearTransform& map : *maps)
      for (const std::int64_t step : map.rotations()) levels[step] = std::max(levels[step], map.level());
  return levels;
}

std::vector<std::int64_t> Bootstrapper::rotations() const {
  std::vector<std::int64_t> steps;
  for (const auto& [step, level] : rotation_levels()) steps.push_back(step);
  return steps;
}

std::uint64_t Bootstrapper::keys_bytes() const {
  const Parameters& parameters = context_->parameters();
  const auto of_level = [&](std::size_t level) { return parameters.memory_sizes(1, level).rotation_key; };
  const std::uint64_t rows = parameters.window(1).size() + ephemeral_special();
  std::uint64_t bytes = parameters.digits(1) * 2 * rows * context_->n() * parameters.word_bits / 8 +
                        of_level(context_->top_level()) + 2 * of_level(sine_level());
  for (const auto& [step, level] : rotation_levels()) bytes += of_level(level);
  return bytes;
}

std::size_t ephemeral_special(const Parameters& parameters) {
  std::size_t special = 1;
  double bits = 0;
  for (const std::uint64_t q : parameters.moduli(1)) bits -= std::log2(static_cast<double>(q));
  for (const std::uint64_t prime : parameters.special)
    if ((bits += std::log2(static_cast<double>(prime))) < 0) ++special;
  return special;
}

BootstrapKeys Bootstrapper::make_keys(const KeyGenerator& generator, const Seed& seed,
                                      std::optional<std::size_t> offload) const {
  require_compatible(*context_, generator.context(), "generator");
  require_memory_of_keys(*this, offload);
  const KeyGenerator ephemeral(context_, seed, SecretDistribution::sparse(options_.weight));
  const SecretKey dense = generator.secret_key(), sparse = ephemeral.secret_key();
  BootstrapKeys keys{generator.key_switch_key(dense, sparse, kToSparse, 1, ephemeral_special()),
                     generator.key_switch_key(sparse, dense, kToDense),
                     generator.relinearization_key(sine_level()), RotationKeys(context_)};
  if (offload.has_value()) keys.offload(*offload);
  // Each key is for the highest level that it is used at.
  const auto make = [&](std::span<const std::int64_t> steps, bool conjugation, std::size_t level) {
    const RotationKeys made = generator.rotation_keys(steps, conjugation, std::nullopt, level);
    for (const std::uint64_t element : made.elements()) keys.rotations.insert(made.key(element));
  };
  for (const auto& [step, level] : rotation_levels()) make(std::span(&step, 1), false, level);
  make({}, true, sine_level());
  return keys;
}

}  // namespace nttforge::ckks
