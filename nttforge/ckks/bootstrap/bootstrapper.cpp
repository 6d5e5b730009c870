// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/bootstrap/bootstrapper.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <set>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/ckks/bootstrap/fourier.hpp"
#include "nttforge/ckks/decryptor.hpp"
#include "nttforge/ckks/polynomial.hpp"
#include "nttforge/ckks/scale.hpp"
#include "nttforge/rlwe/evaluation/operands.hpp"

namespace nttforge::ckks {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kRatio = 5;  // bits of the lowest modulus above scale times bound
// Indices of KeyGenerator::key_switch_key.
constexpr std::uint32_t kToSparse = (1u << 21), kToDense = (1u << 21) + 1;

const Noise kExact{-100, -100, 0, {-100, -100}};  // log2: no error

/// Bessel's J_k(a) by its series in double-doubles, the same on every machine.
double bessel(unsigned k, double a) {
  const DoubleDouble half{a / 2, 0}, square = multiply(half, half);
  const auto over = [](const DoubleDouble& x, double divisor) {
    return multiply(x, reciprocal({divisor, 0}));
  };
  DoubleDouble term{1, 0};
  for (unsigned i = 1; i <= k; ++i) term = over(multiply(term, half), i);
  DoubleDouble sum = term;
  for (unsigned m = 1; m < 200; ++m) {
    term = over(multiply(term, -square), static_cast<double>(m) * (m + k));
    sum = add(sum, term);
  }
  return sum.hi;
}

/// cos(a x) = J_0(a) + 2 sum_k (-1)^k J_2k(a) T_2k(x), and T_2k(x) = T_k(T_2(x)).
std::vector<double> cosine_coefficients(double a, std::size_t degree) {
  std::vector<double> result{bessel(0, a)};
  for (unsigned k = 1; k <= degree / 2; ++k) result.push_back((k % 2 == 0 ? 2 : -2) * bessel(2 * k, a));
  return result;
}

/// Layers as even as possible, `count` of them that add up to `total`.
std::vector<std::size_t> split(std::size_t total, std::size_t count) {
  std::vector<std::size_t> result;
  for (std::size_t left = total; count > 0; --count) {
    result.push_back((left + count - 1) / count);
    left -= result.back();
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
  if (options_.to_slots.empty()) options_.to_slots = split(layers, std::min<std::size_t>(layers, 4));
  if (options_.to_coefficients.empty())
    options_.to_coefficients = split(layers, std::min<std::size_t>(layers, 3));
  if (options_.degree < 4 || options_.degree > 254 || options_.degree % 2 != 0)
    throw ParameterError("degree = " + std::to_string(options_.degree) + " must be even and in [4, 254]");
  if (options_.double_angles > 8)
    throw ParameterError("double_angles = " + std::to_string(options_.double_angles) +
                         " is out of range [0, 8]");
  if (options_.range < 2 || options_.range > 1024)
    throw ParameterError("range = " + std::to_string(options_.range) + " is out of range [2, 1024]");
  const Parameters& parameters = context_->parameters();
  context_->require_evaluation_keys();
  if (parameters.window(1).size() != 1)
    throw UnsupportedError("bootstrapping needs a set whose lowest level has one prime: use word_bits = 64");
  if (levels_needed() > context_->top_level())
    throw ParameterError("bootstrapping as asked for needs a set of " + std::to_string(levels_needed() - 1) +
                         " levels at least, and this one has " + std::to_string(context_->top_level() - 1) +
                         ": use a larger set, or fewer matrices");
  const auto q0 = static_cast<double>(parameters.moduli(1)[0]);
  const double scale = context_->scale(1).hi * options_.bound;
  if (!(options_.bound > 0) || options_.ratio_bits < 6 || options_.ratio_bits > 30 ||
      std::ldexp(scale, 6) > q0)
    throw ParameterError("ratio_bits = " + std::to_string(options_.ratio_bits) +
                         " and bound = " + std::to_string(options_.bound) +
                         ": in [6, 30] and above 0, and numbers at the lowest " +
                         "level's scale must be 2^ratio_bits below its prime");
  factor_ = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::ldexp(q0 / scale, -static_cast<int>(options_.ratio_bits))));
  ratio_ = q0 / (static_cast<double>(factor_) * context_->scale(1).hi);
  for (std::size_t step = slots; step < context_->slots(); step *= 2)
    trace_.push_back(static_cast<std::int64_t>(step));

  std::size_t level = context_->top_level();
  std::vector<Diagonals> matrices = coefficients_to_slots(slots, options_.to_slots);
  // Half for real and imaginary parts, and the terms of the trace.
  matrices.front() = matrices.front().times(std::ldexp(0.5, -static_cast<int>(trace_.size())));
  const DoubleDouble raised_scale =
      scale_of({static_cast<double>(options_.range), 0}, {1, 0}, parameters.moduli(1), {});
  for (std::size_t i = 0; i < matrices.size(); ++i, --level)
    to_slots_.emplace_back(context_, matrices[i], level, steps_of(matrices[i]),
                           i == 0 ? std::optional(raised_scale) : std::nullopt);
  level -= sine_levels();
  matrices = slots_to_coefficients(slots, options_.to_coefficients);
  matrices.front() = matrices.front().times(ratio_ / (2 * kPi));
  for (const Diagonals& matrix : matrices)
    to_coefficients_.emplace_back(context_, matrix, level--, steps_of(matrix));
  level_ = level;

  const double a = 2 * kPi * options_.range / std::exp2(options_.double_angles);
  cosine_ = cosine_coefficients(a, options_.degree);
  for (auto k = static_cast<unsigned>(options_.degree / 2 + 1); k < options_.degree / 2 + 40; ++k)
    truncated_ += 2 * std::abs(bessel(2 * k, a));
}

std::vector<std::int64_t> Bootstrapper::rotations() const {
  std::set<std::int64_t> steps(trace_.begin(), trace_.end());
  for (const auto* maps : {&to_slots_, &to_coefficients_})
    for (const LinearTransform& map : *maps)
      for (const std::int64_t step : map.rotations()) steps.insert(step);
  return {steps.begin(), steps.end()};
}

BootstrapKeys Bootstrapper::make_keys(const KeyGenerator& generator, const Seed& seed) const {
  const KeyGenerator ephemeral(context_, seed, SecretDistribution::sparse(options_.weight));
  const SecretKey dense = generator.secret_key(), sparse = ephemeral.secret_key();
  // The key to the sparse secret has the lowest level's prime and one special prime: security depends on
  // their product.
  return {generator.key_switch_key(dense, sparse, kToSparse, 1, 1),
          generator.key_switch_key(sparse, dense, kToDense), generator.relinearization_key(),
          generator.rotation_keys(rotations(), true)};
}

Ciphertext Bootstrapper::encapsulated(const Evaluator& evaluator, const Ciphertext& a,
                                      const BootstrapKeys& keys) const {
  const Ciphertext lowest =
      evaluator.multiply_integer(evaluator.mod_switch_to(a, 1), static_cast<std::int64_t>(factor_));
  const double message = message_log2(lowest.meta()), room = context_->noise_model().modulus_log2(1);
  if (log2_sum(message, lowest.noise().canonical) > room - kRatio)
    throw PrecisionError("a: numbers below 2^" + std::to_string(a.meta().numbers.bound) +
                         " are too large to be bootstrapped: they must be below 2^" +
                         std::to_string(std::log2(ratio_) - kRatio) +
                         "; multiply by a constant before and after, or state a smaller bound");
  return evaluator.switch_secret(lowest, keys.to_sparse);
}

Ciphertext Bootstrapper::raised(const Evaluator& evaluator, const Ciphertext& encapsulated,
                                const BootstrapKeys& keys) const {
  const Ciphertext sparse = encapsulated.in(Form::coefficients);
  const std::uint64_t q0 = context_->parameters().moduli(1)[0];
  Meta meta{{context_->top_level(), Form::coefficients, Encoding::slots}};
  meta.scale = scale_of({static_cast<double>(options_.range), 0}, {1, 0}, std::span(&q0, 1), {});
  meta.slots = static_cast<std::uint32_t>(context_->slots());
  // Slots are sums of so many coefficients at most, each in [-1, 1]; no error: the phase is what is meant.
  meta.numbers.bound = std::log2(static_cast<double>(context_->n()));
  meta.noise = kExact;
  meta.source = NoiseSource::computed;
  Ciphertext result(context_, 2, meta, sparse.batch());
  const Queue& queue = context_->queue();
  DeviceArray words = queue.allocate(sparse.words());  // of 64 bits
  queue.copy(sparse.data(), words.data(), sparse.words());
  queue.lift_plain(context_->ring_q(), q0, words.data(), result.data(), result.polynomials());
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
  Ciphertext x = evaluate_chebyshev(evaluator, twice_squared(shifted), cosine_, key, 1);
  meta = x.meta();
  meta.noise = model.off_by(meta.noise, log2_of_scale(meta.scale) + std::log2(truncated_));
  x.set_meta(meta);
  for (unsigned i = 0; i < options_.double_angles; ++i) {
    poll_interrupt();
    x = twice_squared(x);
  }
  meta = x.meta();
  meta.noise = rlwe::rounded(model.sum(meta.noise, model.times(own, log2_of_scale(meta.scale))));
  x.set_meta(meta);
  return x;
}

Ciphertext Bootstrapper::bootstrap(const Evaluator& evaluator, const Ciphertext& a,
                                   const BootstrapKeys& keys) const {
  require_compatible(*context_, a.context(), "a");
  require_two_parts(a, "a");
  require_slots(a.encoding(), "a", "bootstrap");
  const Numbers numbers = a.meta().numbers;
  if (a.meta().slots != options_.slots)
    throw ParameterError("a has " + std::to_string(a.meta().slots) + " slots, and the bootstrapper is for " +
                         std::to_string(options_.slots) + ": make one for messages of that many");
  keys.rotations.require(evaluator.elements_of(rotations()), "bootstrap", 0);
  const Ciphertext lowest = encapsulated(evaluator, a, keys);
  Ciphertext x = raised(evaluator, lowest, keys);
  for (const std::int64_t step : trace_)
    evaluator.add_in_place(x, evaluator.rotate_rows(x, step, keys.rotations));
  {
    Meta meta = x.meta();
    meta.slots = static_cast<std::uint32_t>(options_.slots);
    x.set_meta(meta);
  }
  // Coefficients of the phase are sums of weight + 1 uniform ones, and slots sums of all of them.
  double typical = std::log2(6.5 / options_.range * std::sqrt((options_.weight + 1) / 12.0)) +
                   std::log2(static_cast<double>(context_->n())) / 2 + static_cast<double>(trace_.size());
  for (const LinearTransform& map : to_slots_) {
    x = map.apply(evaluator, x, keys.rotations, typical);
    typical = x.meta().numbers.bound;
  }
  // Half of a coefficient and, times i, of another one, each in [-1, 1].
  x = with_bound(std::move(x), -0.5);
  const Ciphertext conjugated = evaluator.conjugate(x, keys.rotations);
  const Ciphertext parts[] = {with_bound(evaluator.add(x, conjugated), 0, true),
                              with_bound(evaluator.multiply_by_i(evaluator.sub(conjugated, x)), 0, true)};
  const Ciphertext* both[] = {&parts[0], &parts[1]};
  const Ciphertext reduced = sine(evaluator, Ciphertext::stack(both), keys.relinearization);
  const Ciphertext real = reduced.elements(0, a.batch(), context_),
                   imaginary = reduced.elements(a.batch(), a.batch(), context_);
  x = evaluator.add(real, evaluator.multiply_by_i(imaginary));
  const double angle = std::log2(2 * kPi / ratio_) + numbers.bound;  // of a coefficient
  x = with_bound(std::move(x), angle + 0.5, false);
  for (const LinearTransform& map : to_coefficients_) x = map.apply(evaluator, x, keys.rotations);
  // The sine is off by a sixth of the cube, and sums of squares of coefficients are means of those of slots.
  const NoiseModel& model = context_->noise_model();
  Meta meta = x.meta();
  meta.numbers = numbers;
  const double scale = log2_of_scale(meta.scale);
  Noise error = model.offset(scale + 2 * angle + numbers.bound - std::log2(6));
  const Noise old = model.times(
      lowest.noise(), scale - log2_of_scale(lowest.meta().scale) - std::log2(static_cast<double>(factor_)));
  meta.noise = rlwe::rounded(model.sum(meta.noise, model.sum(error, old)));
  context_->require_message(meta);
  x.set_meta(meta);
  return x;
}

}  // namespace nttforge::ckks
