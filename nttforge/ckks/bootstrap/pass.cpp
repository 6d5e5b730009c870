// SPDX-License-Identifier: Apache-2.0
// A bootstrap is one pass, or several, each of what the sum of those before leaves. A pass:
//
//   a, at input_level()   [first: slots to coefficients]   level 1   to the sparse secret   raised to Q
//   back to the dense secret   coefficients to slots   sine   [last: slots to coefficients]   level()

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/ckks/bootstrap/bootstrapper.hpp"
#include "nttforge/ckks/decryptor.hpp"
#include "nttforge/ckks/polynomial.hpp"
#include "nttforge/ckks/scale.hpp"
#include "nttforge/rlwe/evaluation/operands.hpp"

namespace nttforge::ckks {
namespace {

constexpr double kPi = std::numbers::pi;
const Noise kExact{-100, -100, 0, {-100, -100}};        // log2: no error
const Noise kNothing{-1000, -1000, 0, {-1000, -1000}};  // the same, of numbers
constexpr std::size_t kMostIterations = 8;
constexpr double kMostShift = 40;  // bits that a remainder is multiplied by

/// log2 of what the root of the mean of so many squares of normal complex numbers of variance 1 stays below
/// but for 2^-56 [LM00].
double largest_mean_log2(std::size_t count) {
  const double share = 56 * std::numbers::ln2 / (2 * static_cast<double>(count));
  return std::log2(1 + 2 * std::sqrt(share) + 2 * share) / 2;
}

Ciphertext with_noise(Ciphertext x, const Noise& noise) {
  Meta meta = x.meta();
  meta.noise = noise;
  x.set_meta(meta);
  return x;
}

Ciphertext with_bound(Ciphertext x, double bound_log2, std::optional<bool> real = std::nullopt) {
  Meta meta = x.meta();
  meta.numbers.bound = bound_log2;
  if (real.has_value()) meta.numbers.real = *real;
  x.set_meta(meta);
  return x;
}

}  // namespace

Ciphertext Bootstrapper::moved(const Evaluator& evaluator, const Ciphertext& a, const RotationKeys& keys,
                               double typical) const {
  // The coefficients are the numbers' parts, q_0 / (ratio scale) times as large. On the way to them layers
  // keep the sum of squares but for a factor of two, and no slot is counted on to have more than 2^6 times
  // its share.
  const double bound = a.meta().numbers.bound + gain_log2();
  double root = 0, factor = 0;
  Ciphertext x = evaluator.mod_switch_to(a, input_level());
  // An error of a number is one of its coefficient. What a map adds is an error of slots, of which
  // coefficients are means by the layers that were applied.
  const NoiseModel& model = context_->noise_model();
  const double unit = log2_of_scale(context_->scale(1)) + gain_log2();
  Noise noise = model.times(x.noise(), unit - log2_of_scale(x.meta().scale));
  for (std::size_t i = 0; i < to_coefficients_.size(); ++i) {
    const LinearTransform& map = to_coefficients_[i];
    const bool last = i + 1 == to_coefficients_.size();
    x = map.apply(evaluator, with_noise(std::move(x), kExact), keys, typical,
                  last ? std::optional(bound) : std::nullopt);
    typical += map.row_root_log2() + (i == 0 ? 3 : 0);
    root += map.row_root_log2();
    factor += map.row_root_log2() - static_cast<double>(options_.to_coefficients[i]) / 2;
    const double own = unit - log2_of_scale(x.meta().scale);
    Noise added = model.times(x.noise(), own - root);
    added.proved = model.times(x.noise(), own - factor).proved;
    noise = model.sum(noise, added);
  }
  return with_noise(std::move(x), rlwe::rounded(noise));
}

Ciphertext Bootstrapper::lowest(const Evaluator& evaluator, const Ciphertext& a, const RotationKeys& keys,
                                double typical) const {
  if (first()) return moved(evaluator, a, keys, typical);
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

Ciphertext Bootstrapper::sine(const Evaluator& evaluator, const Ciphertext& a, const RelinearizationKey& key,
                              const DoubleDouble& off) const {
  const auto twice_squared = [&](const Ciphertext& x) {
    return with_bound(evaluator.product_plus_at(x, x, 2, {.constant = -1}, x.level() - 1, key), 0);
  };
  const NoiseModel& model = context_->noise_model();
  // The error of `a` moves the sine by its slope at most; what the operations add is propagated step by step.
  const double slope = std::log2(2 * kPi * options_.range);
  const Noise own = model.times(a.noise(), slope - log2_of_scale(a.meta().scale));
  const Ciphertext shifted =
      with_noise(with_bound(evaluator.add_constant(a, -0.25 / options_.range), 0), kExact);
  const Ciphertext u = twice_squared(shifted);
  // A scale that is smaller by `off` makes numbers of its level that are: squarings lead to it from its root.
  DoubleDouble meant = context_->scale(u.level() - chebyshev_depth(options_.degree / 2));
  double share = off.hi;
  for (unsigned i = 0; i < options_.double_angles; ++i) share = std::sqrt(share);
  const bool is_off = !(off == DoubleDouble{1, 0});
  const std::optional<DoubleDouble> smaller =
      is_off ? std::optional(scale_of(meant, {1 / share, 0}, {}, {})) : std::nullopt;
  Ciphertext x = evaluate_chebyshev(evaluator, u, cosine_.coefficients, key, 1, smaller);
  for (unsigned i = 0; i < options_.double_angles; ++i) {
    poll_interrupt();
    const Parameters::Step step = context_->parameters().step_from(x.level());
    meant = scale_of(meant, meant, step.joining, step.leaving);
    x = twice_squared(x);
  }
  constexpr double kRoots = -46;  // log2 of what roots in doubles, squared again, are off by
  const double scale = log2_of_scale(x.meta().scale);
  Noise noise = model.sum(model.sum(x.noise(), model.times(own, scale)), model.times(fit_error(), scale));
  if (is_off) {
    Meta meta = x.meta();
    meta.scale = same_scale(meant, context_->scale(x.level())) ? context_->scale(x.level()) : meant;
    x.set_meta(meta);
    noise = model.sum(noise, model.offset(scale + kRoots));
  }
  return with_noise(std::move(x), rlwe::rounded(noise));
}

Ciphertext Bootstrapper::coefficients(const Evaluator& evaluator, Ciphertext x, const RotationKeys& keys,
                                      const multi::Meeting::Side* side) const {
  for (const std::int64_t step : trace_) evaluator.add_in_place(x, evaluator.rotate_rows(x, step, keys));
  Meta meta = x.meta();
  meta.slots = static_cast<std::uint32_t>(options_.slots);
  x.set_meta(meta);
  // Coefficients of the phase are sums of weight + 1 uniform ones, and slots sums of all of them.
  double root = std::log2(std::sqrt((options_.weight + 1) / 12.0) / options_.range) +
                std::log2(static_cast<double>(context_->n())) / 2 + static_cast<double>(trace_.size());
  // After each map they are sums of as many pairs of coefficients as layers are left.
  double bound = 0.5 + static_cast<double>(trace_.size() + std::countr_zero(options_.slots));
  for (std::size_t i = 0; i < to_slots_.size(); ++i) {
    const LinearTransform& map = to_slots_[i];
    bound += map.row_root_log2() - static_cast<double>(options_.to_slots[i]) / 2;
    x = map.apply(evaluator, x, keys, root + largest_mean_log2(map.diagonals()), bound, side);
    root += map.row_root_log2();
  }
  return x;
}

// Half of a coefficient and, times i, of another one, each in [-1, 1].
Ciphertext Bootstrapper::real_parts(const Evaluator& evaluator, const Ciphertext& x,
                                    const Ciphertext& conjugated) const {
  return with_bound(evaluator.add(x, conjugated), 0, true);
}

Ciphertext Bootstrapper::imaginary_parts(const Evaluator& evaluator, const Ciphertext& x,
                                         const Ciphertext& conjugated) const {
  return with_bound(evaluator.multiply_by_i(evaluator.sub(conjugated, x)), 0, true);
}

Ciphertext Bootstrapper::evaluated(const Evaluator& evaluator, const Ciphertext& sparse,
                                   const BootstrapKeys& keys, bool real, const DoubleDouble& off) const {
  const std::size_t batch = sparse.batch();
  const auto sines = [&](const Ciphertext& x) { return sine(evaluator, x, keys.relinearization, off); };
  const Ciphertext x = coefficients(evaluator, raised(evaluator, sparse, keys), keys.rotations);
  const Ciphertext conjugated = evaluator.conjugate(x, keys.rotations);
  const Ciphertext first = real_parts(evaluator, x, conjugated);
  if (real) return sines(first);
  const Ciphertext second = imaginary_parts(evaluator, x, conjugated);
  const Ciphertext* both[] = {&first, &second};
  const Ciphertext y = sines(Ciphertext::stack(both));
  return evaluator.add(y.elements(0, batch, context_),
                       evaluator.multiply_by_i(y.elements(batch, batch, context_)));
}

Noise Bootstrapper::fit_error() const {
  // Heuristically no I is met of which one bootstrap in 2^20 has one, and none at all of which
  // failure_log2() tells.
  double met = 0, all = 0;
  for (std::size_t i = 0; i < options_.range; ++i) {
    all = std::max(all, cosine_.errors[i]);
    const double often = i < overflows_.size() ? overflows_[i] : 0;
    if (2 * often * static_cast<double>(context_->n()) > 0x1p-20) met = std::max(met, cosine_.errors[i]);
  }
  Noise result = context_->noise_model().offset(std::log2(met));
  result.proved = context_->noise_model().offset(std::log2(all)).proved;
  return result;
}

double Bootstrapper::cube_log2(double bound) const {
  // As coefficients of a message this is no more in any slot, since sums of squares of coefficients are means
  // of those of slots.
  return 2 * (std::log2(2 * kPi) - ratio_log2() + bound) + bound - std::log2(6) + (first() ? 0.5 : 0);
}

Bootstrapper::Argument Bootstrapper::argument(const Evaluator& evaluator, const Ciphertext& a) const {
  constexpr double kMostOff = 0.5;  // log2
  Argument result{evaluator.mod_switch_to(a, input_level())};
  const DoubleDouble &own = context_->scale(input_level()), scale = result.x.meta().scale;
  if (same_scale(scale, own)) return result;
  result.off = quotient_of(scale, own);
  const double bits = std::log2(result.off.hi);
  if (!(std::abs(bits) <= kMostOff))
    throw ParameterError("a has the scale 2^" + std::to_string(log2_of_scale(scale)) + " at level " +
                         std::to_string(input_level()) + ", and a bootstrap takes about 2^" +
                         std::to_string(log2_of_scale(own)) + " there: " +
                         (evaluator.is_product(a)
                              ? "rescale the product, which takes a level, and bootstrap it earlier"
                              : "encode at the scale of the level, or bring it there from a level above"));
  Meta meta = result.x.meta().computed(result.x.noise());
  meta.scale = own;
  meta.numbers.bound += bits;
  result.x.set_meta(meta);
  return result;
}

Bootstrapper::Pass Bootstrapper::pass(const Evaluator& evaluator, const Ciphertext& a,
                                      const BootstrapKeys& keys, const Partner* partner, double typical,
                                      const DoubleDouble& off) const {
  Numbers numbers = a.meta().numbers;
  const double off_log2 = std::log2(off.hi);
  const Ciphertext low = lowest(evaluator, a, keys.rotations, typical);
  const Ciphertext sparse = evaluator.switch_secret(low, keys.to_sparse);
  const bool real = first() && numbers.real;
  Ciphertext x = partner == nullptr ? evaluated(evaluator, sparse, keys, real, off)
                                    : evaluated_by_two(evaluator, sparse, keys, *partner, real, off);
  numbers.bound -= off_log2;
  // What a coefficient is at most.
  x = with_bound(std::move(x), std::log2(2 * kPi) - ratio_log2() + numbers.bound + 0.5, real);
  // What comes out stays below the numbers that went in: the sine is below its argument.
  if (!first())
    for (const LinearTransform& map : to_coefficients_)
      x = map.apply(evaluator, x, keys.rotations, std::nullopt,
                    &map == &to_coefficients_.back() ? std::optional(numbers.bound) : std::nullopt);
  const NoiseModel& model = context_->noise_model();
  Meta meta = x.meta();
  meta.numbers = numbers;
  if (first()) meta.scale = context_->scale(level_);
  const double scale = log2_of_scale(meta.scale);
  Noise error = model.offset(scale + cube_log2(typical) - off_log2);
  error.proved = model.offset(scale + cube_log2(a.meta().numbers.bound) - off_log2).proved;
  const double larger = first() ? gain_log2() : std::log2(static_cast<double>(factor_));
  Noise old = sparse.noise();
  if (first()) {  // of coefficients, which are the numbers
    old.canonical = old.coefficient;
    old.proved.canonical = old.proved.coefficient;
  }
  old =
      model.sum(meta.noise, model.times(old, scale - log2_of_scale(context_->scale(1)) - larger - off_log2));
  meta.noise = rlwe::rounded(model.sum(old, error));
  context_->require_message(meta);
  x.set_meta(meta);
  return {std::move(x), old.canonical - scale};
}

/// log2 of the error of numbers, heuristic and proved.
Noise Bootstrapper::relative(const Ciphertext& x) const {
  return context_->noise_model().times(x.noise(), -log2_of_scale(x.meta().scale));
}

Ciphertext Bootstrapper::iterated(const Evaluator& evaluator, const Argument& a, const BootstrapKeys& keys,
                                  const Partner* partner, std::size_t iterations) const {
  const NoiseModel& model = context_->noise_model();
  Numbers numbers = a.x.meta().numbers;
  const Ciphertext& x = a.x;
  const double largest = ratio_log2() - kRatio;
  Pass last = pass(evaluator, x, keys, partner, numbers.bound);
  Ciphertext y = last.result;
  Noise error = relative(y), added = kNothing;
  std::vector<Ciphertext> terms{with_noise(y, kExact)};
  std::vector<double> factors{1};
  for (std::size_t i = 1; i < iterations; ++i) {
    const Ciphertext low = evaluator.mod_switch_to(with_noise(y, kExact), input_level());
    // What no pass takes away: the error of `a`, that of bringing the sum down, and of its rounding.
    const Noise stays = model.sum(model.sum(relative(x), relative(low)), added);
    if (stays.canonical > error.canonical - 1)
      throw PrecisionError("iterations = " + std::to_string(iterations) + ": after " + std::to_string(i) +
                           " the error is 2^" + std::to_string(error.canonical) + ", and at level " +
                           std::to_string(input_level()) + ", of scale 2^" +
                           std::to_string(log2_of_scale(context_->scale(input_level()))) +
                           ", numbers are known to 2^" + std::to_string(stays.canonical) +
                           " only: ask for fewer iterations, or take a set of a larger scale (boot16_51)");
    // The difference is what is meant, as large as the sine is about as far off as all else is.
    const Noise size = model.sum(error, stays);
    // Less where that keeps it proved at no cost.
    const double wanted = std::min((last.own_log2 - cube_log2(0)) / 3, largest - 1) - size.canonical,
                 provable = largest - size.proved.canonical;
    const bool enough = provable >= last.own_log2 - stays.canonical;
    const int shift =
        static_cast<int>(std::floor(std::min({wanted, kMostShift, enough ? provable : kMostShift})));
    if (shift < 1)
      throw PrecisionError("iterations = " + std::to_string(iterations) + ": the error 2^" +
                           std::to_string(error.canonical) + " of " + std::to_string(i) +
                           " is too large to be bootstrapped: ask for fewer");
    const bool proved = shift <= provable;
    Ciphertext rest = with_noise(
        with_bound(evaluator.sub(x, low), proved ? size.proved.canonical : size.canonical, false), kExact);
    rest = evaluator.multiply_integer(rest, std::int64_t{1} << shift);
    last = pass(evaluator, rest, keys, partner, size.canonical + shift);
    terms.push_back(with_noise(last.result, kExact));
    factors.push_back(std::ldexp(1.0, -shift));
    const bool last_sum = i + 1 == iterations;
    std::vector<const Ciphertext*> all;
    for (const Ciphertext& term : terms) all.push_back(&term);
    if (last_sum)
      for (double& factor : factors) factor /= a.off.hi;
    y = evaluator.weighted_sum(all, factors);
    added = relative(y);
    error = model.sum(model.sum(stays, added), model.times(relative(last.result), -shift));
    if (!proved) error.proved = {};
  }
  Meta meta = y.meta();
  numbers.bound -= std::log2(a.off.hi);
  meta.numbers = numbers;
  meta.noise = rlwe::rounded(model.times(error, log2_of_scale(meta.scale) - std::log2(a.off.hi)));
  context_->require_message(meta);
  y.set_meta(meta);
  return y;
}

Ciphertext Bootstrapper::bootstrap(const Evaluator& evaluator, const Ciphertext& a, const BootstrapKeys& keys,
                                   std::size_t level, std::size_t iterations, const Partner* partner) const {
  require_compatible(*context_, a.context(), "a");
  require_two_parts(a, "a");
  require_slots(a.encoding(), "a", "bootstrap");
  if (a.meta().slots != options_.slots)
    throw ParameterError("a has " + std::to_string(a.meta().slots) + " slots, and the bootstrapper is for " +
                         std::to_string(options_.slots) + ": make one for messages of that many");
  if (a.level() < input_level())
    throw ParameterError("a has " + std::to_string(a.level() - 1) +
                         " levels left, and a bootstrap that moves " + "slots first takes " +
                         std::to_string(input_level() - 1) + ": bootstrap earlier");
  if (iterations < 1 || iterations > kMostIterations)
    throw ParameterError("iterations = " + std::to_string(iterations) + " is out of range [1, " +
                         std::to_string(kMostIterations) + "]");
  const std::size_t highest = level_ - (iterations > 1 ? 1 : 0);
  if (level > highest || highest < 1)
    throw ParameterError("level = " + std::to_string(level) + " is out of range [1, " +
                         std::to_string(highest) + "], or 0 for the highest" +
                         (iterations > 1 ? ": several iterations take one more level" : ""));
  const Argument given = argument(evaluator, a);
  const Meta& read = given.x.meta();
  if (log2_sum(message_log2(read), read.noise.canonical) - log2_of_scale(read.scale) > ratio_log2() - kRatio)
    throw PrecisionError("a: numbers below 2^" + std::to_string(a.meta().numbers.bound) +
                         " are too large to be bootstrapped: they must be below 2^" +
                         std::to_string(ratio_log2() - kRatio) +
                         "; multiply by a constant before and after, or state a smaller bound");
  keys.rotations.require(evaluator.elements_of(rotations()), "bootstrap", 0);
  if (partner != nullptr) require_partner(keys, *partner);
  Ciphertext x = iterations == 1
                     ? pass(evaluator, given.x, keys, partner, read.numbers.bound, given.off).result
                     : iterated(evaluator, given, keys, partner, iterations);
  return level == 0 ? x : evaluator.mod_switch_to(x, level);
}

}  // namespace nttforge::ckks
