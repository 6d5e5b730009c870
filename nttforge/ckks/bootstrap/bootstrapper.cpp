// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/bootstrap/bootstrapper.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/ckks/bootstrap/fourier.hpp"
#include "nttforge/ckks/decryptor.hpp"
#include "nttforge/ckks/polynomial.hpp"
#include "nttforge/ckks/scale.hpp"
#include "nttforge/rlwe/evaluation/operands.hpp"
#include "nttforge/rns/hps.hpp"

namespace nttforge::ckks {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kRatio = 5;  // bits of the lowest modulus above scale times bound
// Indices of KeyGenerator::key_switch_key.
constexpr std::uint32_t kToSparse = (1u << 21), kToDense = (1u << 21) + 1;

const Noise kExact{-100, -100, 0, {-100, -100}};  // log2: no error

/// A factorised map from a level on. Encoded entries are rounded to integers: powers of two that multiply to
/// 1 make the largest ones of all matrices about as large.
std::vector<LinearTransform> encoded(const ContextPtr& context, std::vector<Diagonals> matrices,
                                     std::size_t level, const DoubleDouble& scale) {
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
  std::vector<LinearTransform> result;
  int left = 0;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const bool last = i + 1 == matrices.size();
    const int shift = last ? -left : static_cast<int>(std::floor(mean - bits[i]));
    left += shift;
    const Diagonals matrix = matrices[i].times(std::ldexp(1.0, shift));
    result.emplace_back(context, matrix, level - i, steps_of(matrix), scale_at(i));
  }
  return result;
}

Ciphertext with_bound(Ciphertext x, double bound_log2, std::optional<bool> real = std::nullopt) {
  Meta meta = x.meta();
  meta.numbers.bound = bound_log2;
  if (real.has_value()) meta.numbers.real = *real;
  x.set_meta(meta);
  return x;
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
  to_slots_ = encoded(context_, std::move(matrices), context_->top_level(), raised_scale());
  matrices = slots_to_coefficients(slots, options_.to_coefficients);
  matrices.front() =
      matrices.front().times(first() ? q0 / (ratio_ * context_->scale(1).hi) : ratio_ / (2 * kPi));
  const std::size_t above = first() ? input_level() : lowest_sine;
  to_coefficients_ = encoded(context_, std::move(matrices), above, context_->scale(above));
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
  for (std::size_t i = options_.range; i < overflows_.size(); ++i) sum += 2 * overflows_[i];
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
  std::uint64_t bytes =
      of_level(context_->top_level()) + 2 * of_level(sine_level());  // to dense; the others'
  for (const auto& [step, level] : rotation_levels()) bytes += of_level(level);
  return bytes;
}

BootstrapKeys Bootstrapper::make_keys(const KeyGenerator& generator, const Seed& seed) const {
  const KeyGenerator ephemeral(context_, seed, SecretDistribution::sparse(options_.weight));
  const SecretKey dense = generator.secret_key(), sparse = ephemeral.secret_key();
  // Each key has the rows of the highest level that it is used at.
  RotationKeys rotations(context_);
  const auto insert = [&](const RotationKeys& made, std::size_t level) {
    for (const std::uint64_t element : made.elements()) rotations.insert(made.key(element).at_level(level));
  };
  for (const auto& [step, level] : rotation_levels())
    insert(generator.rotation_keys(std::span(&step, 1)), level);
  insert(generator.rotation_keys({}, true), sine_level());
  // The key to the sparse secret has the lowest level's primes and as few special ones as are as large:
  // security depends on their product.
  std::size_t special = 1;
  double bits = -context_->noise_model().modulus_log2(1);
  for (const std::uint64_t prime : context_->parameters().special)
    if ((bits += std::log2(static_cast<double>(prime))) < 0) ++special;
  return {generator.key_switch_key(dense, sparse, kToSparse, 1, special),
          generator.key_switch_key(sparse, dense, kToDense),
          generator.relinearization_key().at_level(sine_level()), std::move(rotations)};
}

Ciphertext Bootstrapper::moved(const Evaluator& evaluator, const Ciphertext& a,
                               const RotationKeys& keys) const {
  // The coefficients are the numbers' parts, q_0 / (ratio scale) times as large. On the way to them layers
  // keep the sum of squares but for a factor of two, and no slot is counted on to have more than 2^6 times
  // its share.
  const double bound = a.meta().numbers.bound + gain_log2();
  double typical = a.meta().numbers.bound;
  Ciphertext x = a;
  for (std::size_t i = 0; i < to_coefficients_.size(); ++i) {
    const bool last = i + 1 == to_coefficients_.size();
    x = to_coefficients_[i].apply(evaluator, x, keys, typical, last ? std::optional(bound) : std::nullopt);
    typical += static_cast<double>(options_.to_coefficients[i]) / 2 + (i == 0 ? gain_log2() + 3 : 0);
  }
  return x;
}

Ciphertext Bootstrapper::lowest(const Evaluator& evaluator, const Ciphertext& a,
                                const RotationKeys& keys) const {
  if (first()) return moved(evaluator, a, keys);
  return evaluator.multiply_integer(evaluator.mod_switch_to(a, 1), static_cast<std::int64_t>(factor_));
}

Ciphertext Bootstrapper::raised(const Evaluator& evaluator, const Ciphertext& encapsulated,
                                const BootstrapKeys& keys) const {
  const Ciphertext sparse = encapsulated.in(Form::coefficients);
  Meta meta{{context_->top_level(), Form::coefficients, Encoding::slots}};
  meta.scale = raised_scale();
  meta.slots = static_cast<std::uint32_t>(context_->slots());
  // Slots are sums of so many coefficients at most, each in [-1, 1]; no error: the phase is what is meant.
  meta.numbers.bound = std::log2(static_cast<double>(context_->n()));
  meta.noise = kExact;
  meta.source = NoiseSource::computed;
  Ciphertext result(context_, 2, meta, sparse.batch());
  const Queue& queue = context_->queue();
  queue.apply(*raise_, sparse.data(), nullptr, result.data(), result.polynomials());
  return evaluator.switch_secret(result.in(Form::values), keys.to_dense);
}

Ciphertext Bootstrapper::sine(const Evaluator& evaluator, const Ciphertext& a,
                              const RelinearizationKey& key) const {
  const auto twice_squared = [&](const Ciphertext& x) {
    const Ciphertext square = evaluator.multiply_relinearize(x, x, key);
    return with_bound(evaluator.add_constant(evaluator.add(square, square), -1.0), 0);
  };
  const NoiseModel& model = context_->noise_model();
  // The error of `a` moves the sine by its slope at most; what the operations add is propagated step by step.
  const double slope = std::log2(2 * kPi * options_.range);
  const Noise own = model.times(a.noise(), slope - log2_of_scale(a.meta().scale));
  Ciphertext shifted = with_bound(evaluator.add_constant(a, -0.25 / options_.range), 0);
  Meta meta = shifted.meta();
  meta.noise = kExact;
  shifted.set_meta(meta);
  Ciphertext x = evaluate_chebyshev(evaluator, twice_squared(shifted), cosine_.coefficients, key, 1);
  for (unsigned i = 0; i < options_.double_angles; ++i) {
    poll_interrupt();
    x = twice_squared(x);
  }
  meta = x.meta();
  const double scale = log2_of_scale(meta.scale);
  meta.noise = rlwe::rounded(
      model.sum(model.sum(meta.noise, model.times(own, scale)), model.times(fit_error(), scale)));
  x.set_meta(meta);
  return x;
}

Ciphertext Bootstrapper::coefficients(const Evaluator& evaluator, Ciphertext x, const RotationKeys& keys,
                                      bool real) const {
  for (const std::int64_t step : trace_) evaluator.add_in_place(x, evaluator.rotate_rows(x, step, keys));
  Meta meta = x.meta();
  meta.slots = static_cast<std::uint32_t>(options_.slots);
  x.set_meta(meta);
  // Coefficients of the phase are sums of weight + 1 uniform ones, and slots sums of all of them.
  double typical = std::log2(6.5 / options_.range * std::sqrt((options_.weight + 1) / 12.0)) +
                   std::log2(static_cast<double>(context_->n())) / 2 + static_cast<double>(trace_.size());
  for (const LinearTransform& map : to_slots_) {
    x = map.apply(evaluator, x, keys, typical);
    typical = x.meta().numbers.bound;
  }
  // Half of a coefficient and, times i, of another one, each in [-1, 1].
  x = with_bound(std::move(x), -0.5);
  const Ciphertext conjugated = evaluator.conjugate(x, keys);
  const Ciphertext first = with_bound(evaluator.add(x, conjugated), 0, true);
  if (real) return first;
  const Ciphertext second = with_bound(evaluator.multiply_by_i(evaluator.sub(conjugated, x)), 0, true);
  const Ciphertext* both[] = {&first, &second};
  return Ciphertext::stack(both);
}

Noise Bootstrapper::fit_error() const {
  // Heuristically no I is met of which one bootstrap in 2^20 has one.
  double met = 0, all = 0;
  for (std::size_t i = 0; i < cosine_.errors.size(); ++i) {
    all = std::max(all, cosine_.errors[i]);
    const double often = i < overflows_.size() ? overflows_[i] : 0;
    if (2 * often * static_cast<double>(context_->n()) > 0x1p-20) met = std::max(met, cosine_.errors[i]);
  }
  Noise result = context_->noise_model().offset(std::log2(met));
  result.proved = context_->noise_model().offset(std::log2(all)).proved;
  return result;
}

Ciphertext Bootstrapper::bootstrap(const Evaluator& evaluator, const Ciphertext& a, const BootstrapKeys& keys,
                                   std::size_t level) const {
  require_compatible(*context_, a.context(), "a");
  require_two_parts(a, "a");
  require_slots(a.encoding(), "a", "bootstrap");
  const Numbers numbers = a.meta().numbers;
  if (a.meta().slots != options_.slots)
    throw ParameterError("a has " + std::to_string(a.meta().slots) + " slots, and the bootstrapper is for " +
                         std::to_string(options_.slots) + ": make one for messages of that many");
  if (a.level() < input_level())
    throw ParameterError("a has " + std::to_string(a.level() - 1) +
                         " levels left, and a bootstrap that moves " + "slots first takes " +
                         std::to_string(input_level() - 1) + ": bootstrap earlier");
  if (level > level_)
    throw ParameterError("level = " + std::to_string(level) + " is out of range [1, " +
                         std::to_string(level_) + "], or 0 for the highest");
  if (log2_sum(message_log2(a.meta()), a.noise().canonical) - log2_of_scale(a.meta().scale) >
      ratio_log2() - kRatio)
    throw PrecisionError("a: numbers below 2^" + std::to_string(numbers.bound) +
                         " are too large to be bootstrapped: they must be below 2^" +
                         std::to_string(ratio_log2() - kRatio) +
                         "; multiply by a constant before and after, or state a smaller bound");
  keys.rotations.require(evaluator.elements_of(rotations()), "bootstrap", 0);
  const Ciphertext low = lowest(evaluator, a, keys.rotations);
  const Ciphertext sparse = evaluator.switch_secret(low, keys.to_sparse);
  const bool real = first() && numbers.real;
  Ciphertext x = coefficients(evaluator, raised(evaluator, sparse, keys), keys.rotations, real);
  x = sine(evaluator, x, keys.relinearization);
  if (!real)
    x = evaluator.add(x.elements(0, a.batch(), context_),
                      evaluator.multiply_by_i(x.elements(a.batch(), a.batch(), context_)));
  const double angle = std::log2(2 * kPi) - ratio_log2() + numbers.bound;  // of a coefficient
  x = with_bound(std::move(x), angle + 0.5, real);
  // What comes out stays below the numbers that went in: the sine is below its argument.
  if (!first())
    for (const LinearTransform& map : to_coefficients_)
      x = map.apply(evaluator, x, keys.rotations, std::nullopt,
                    &map == &to_coefficients_.back() ? std::optional(numbers.bound) : std::nullopt);
  const NoiseModel& model = context_->noise_model();
  Meta meta = x.meta();
  meta.numbers = numbers;
  if (first()) meta.scale = context_->scale(level_);
  // The sine is off by a sixth of the cube. As coefficients of a message this is no more in any slot, since
  // sums of squares of coefficients are means of those of slots.
  const double scale = log2_of_scale(meta.scale);
  const Noise error = model.offset(scale + 2 * angle + numbers.bound - std::log2(6) + (first() ? 0.5 : 0));
  const double larger = first() ? gain_log2() : std::log2(static_cast<double>(factor_));
  const Noise old = model.times(sparse.noise(), scale - log2_of_scale(context_->scale(1)) - larger);
  meta.noise = rlwe::rounded(model.sum(meta.noise, model.sum(error, old)));
  context_->require_message(meta);
  x.set_meta(meta);
  return level == 0 ? x : evaluator.mod_switch_to(x, level);
}

}  // namespace nttforge::ckks
