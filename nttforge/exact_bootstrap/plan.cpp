// SPDX-License-Identifier: Apache-2.0
#include "nttforge/exact_bootstrap/plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <numbers>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/ckks/bootstrap/fourier.hpp"
#include "nttforge/ckks/polynomial.hpp"
#include "nttforge/ckks/scale.hpp"
#include "nttforge/rlwe/noise.hpp"
#include "nttforge/rns/big_uint.hpp"

namespace nttforge::exact_bootstrap {
namespace {

constexpr unsigned kMostPasses = 8;
constexpr double kFailureBits = 128;  // of a bootstrap; half of that each for I and for errors
constexpr double kSpareBits = 2;      // that results have more than they need, where Q is larger
constexpr double kAtRoots = 6.5;      // deviations that values at the roots stay within
constexpr double kTypicalScale = 0x1p36;
// x - sin(2 pi x) / (2 pi) is below (2 pi)^2 / 6 |x|^3.
const double kCubic = std::log2(2 * std::numbers::pi * std::numbers::pi / 3);

std::string text(std::floating_point auto bits) {
  const auto tenths = std::llround(bits * 10);
  const auto size = std::llabs(tenths);
  return (tenths < 0 ? "-" : "") + std::to_string(size / 10) + "." + std::to_string(size % 10);
}
std::string text(std::integral auto value) { return std::to_string(value); }

double log2_of(std::uint64_t value) { return std::log2(static_cast<double>(value)); }

}  // namespace

Plan::Plan(const rlwe::RlweParameters& own, std::uint64_t t, Options options)
    : t_(t), options_(std::move(options)), q_log2_(BigUint::product(own.q).log2()), t_log2_(log2_of(t)) {
  own_.assign(own.n, own.q, own.special, own.security, own.secret, own.error, own.security_table,
              own.word_bits, own.digit_primes);
  check();
  bits_ = kFailureBits + 1 + std::log2(static_cast<double>(own_.n) * options_.passes);
  const std::size_t layers = static_cast<std::size_t>(std::countr_zero(own_.n)) - 1;
  if (options_.to_slots.empty())
    options_.to_slots = ckks::split_layers(layers, std::min<std::size_t>(layers, 4));
  if (options_.to_coefficients.empty())
    options_.to_coefficients = ckks::split_layers(layers, std::min<std::size_t>(layers, 3));
  const std::size_t needed =
      primes_of_level() * (options_.to_slots.size() + 1 + ckks::chebyshev_depth(options_.degree / 2) +
                           options_.double_angles + options_.to_coefficients.size());
  if (options_.primes.size() != needed)
    throw ParameterError("primes has " + text(options_.primes.size()) + ", and " +
                         text(options_.to_coefficients.size()) + " and " + text(options_.to_slots.size()) +
                         " matrices and a sine of degree " + text(options_.degree) + " with " +
                         text(options_.double_angles) + " double angles take " + text(needed));
  // The scale of results follows from the last gain, which follows from the precision, which hardly depends
  // on that scale.
  const ckks::Cosine cosine =
      ckks::fit_cosine(options_.range, options_.double_angles, options_.degree, options_.weight);
  predict(cosine, kTypicalScale);
  if (ratio_bits_ < kLeastRatio)
    throw ParameterError("primes: a pass would leave 2^" + text(error_log2()) +
                         " of Q, which is too much for another one: use larger primes, or a smaller n");
  if (q_log2_ >= needed_q_log2()) predict(cosine, last_scale());
}

void Plan::check() const {
  if (own_.n < 4) throw ParameterError("n = " + text(own_.n) + ": bootstraps need n = 4 at least");
  if (own_.q.size() <= primes_of_level())
    throw ParameterError("q has " + text(own_.q.size()) + (own_.q.size() == 1 ? " prime" : " primes") +
                         ", and a bootstrap needs " + text(primes_of_level() + 1) +
                         " at least: its circuit begins at the first" +
                         (primes_of_level() == 1 ? "" : " two, in words of 32 bits"));
  if (options_.passes < 1 || options_.passes > kMostPasses)
    throw ParameterError("passes = " + text(options_.passes) + " is out of range [1, " + text(kMostPasses) +
                         "]");
  if (options_.degree < 4 || options_.degree > 254 || options_.degree % 2 != 0)
    throw ParameterError("degree = " + text(options_.degree) + " must be even and in [4, 254]");
  if (options_.double_angles > 8)
    throw ParameterError("double_angles = " + text(options_.double_angles) + " is out of range [0, 8]");
  if (options_.weight < 1 || options_.weight > 1024)
    throw ParameterError("weight = " + text(options_.weight) + " is out of range [1, 1024]");
  if (options_.range < 2 || options_.range > 1024)
    throw ParameterError("range = " + text(options_.range) + " is out of range [2, 1024]");
  if (failure_log2() > -kFailureBits)
    throw ParameterError("range = " + text(options_.range) + ": one bootstrap in 2^" + text(-failure_log2()) +
                         " would lose a plaintext, with an ephemeral secret of weight " +
                         text(options_.weight) + ": need 2^128; use a larger range or a smaller weight");
}

/// last_scale: of results, whose numbers are those that the circuit names x by.
ckks::Parameters Plan::chain(double last_scale) const {
  const std::size_t matrices = options_.to_coefficients.size(), exit = exit_level();
  std::vector<std::uint64_t> q = own_.q;
  q.insert(q.end(), options_.primes.begin(), options_.primes.end());
  ckks::Parameters result;
  result.assign(own_.n, std::move(q), options_.special, own_.security, own_.secret, own_.error,
                own_.security_table, own_.word_bits, options_.digit_primes);
  for (std::size_t end = primes_of_level(); end <= result.q.size() && primes_of_level() != 1;
       end += end < own_.q.size() ? 1 : primes_of_level())
    result.levels.push_back({0, end});
  const auto product = [](std::span<const std::uint64_t> primes) {
    return ckks::scale_of({1, 0}, {1, 0}, primes, {}).hi;
  };
  result.scales.assign(exit, std::ldexp(product(result.moduli(1)), -static_cast<int>(kUnitBits)));
  result.scales.back() = last_scale;
  // The sine's scale is about its own primes. From there it comes down in about equal steps, so that all
  // matrices have entries of one size; the first has a factor, 2^-kUnitBits of 2 pi, that makes numbers of
  // sines. Powers of two are the same on every machine.
  double scale = product(result.step_from(exit + matrices + 1).leaving);
  const int last = std::ilogb(last_scale), first = std::ilogb(scale) - static_cast<int>(kUnitBits) + 3;
  const auto steps = static_cast<int>(matrices);
  for (int i = 1; i < steps; ++i) result.scales.push_back(std::ldexp(last_scale, (first - last) * i / steps));
  for (std::size_t level = exit + matrices + 1; level <= result.top_level(); ++level)
    scale = result.step_from(level).scale_above(scale);
  result.scale = scale;
  result.validate();
  return result;
}

ckks::Bootstrap Plan::circuit() const {
  ckks::Bootstrap result;
  result.to_slots = options_.to_slots;
  result.to_coefficients = options_.to_coefficients;
  result.weight = options_.weight;
  result.range = options_.range;
  result.double_angles = options_.double_angles;
  result.degree = options_.degree;
  result.ratio_bits = kUnitBits;
  return result;
}

void Plan::predict(const ckks::Cosine& cosine, double last_scale) {
  precision_ =
      predicted_precision(chain(last_scale), cosine, options_.double_angles, options_.to_slots,
                          options_.to_coefficients, exit_level(), options_.weight, std::exp2(kUnitBits));
  ratio_bits_ = (kCubic + 2 - error_log2()) / 3;
  last_gain_ = 0;
  double ratio = ratio_after(ratio_bits_, 0);
  for (unsigned pass = 1; pass < options_.passes; ++pass) {
    last_gain_ = static_cast<unsigned>(std::max(0.0, std::floor(ratio - ratio_bits_)));
    ratio = ratio_after(ratio, last_gain_);
  }
  const double spare = q_log2_ - needed_q_log2() - kSpareBits;
  shift_ = static_cast<unsigned>(std::max(0.0, std::floor(spare)));
}

double Plan::least_result_log2() const { return std::log2(precision_.exit / precision_.most_exit(bits_)); }

double Plan::needed_q_log2() const { return t_log2_ + last_gain_ + least_result_log2(); }

double Plan::first_log2() const {
  double bits = 0;
  for (std::size_t i = 0; i < primes_of_level(); ++i) bits += log2_of(own_.q[i]);
  return bits;
}

double Plan::needed_first_log2() const {
  return first_log2() + std::log2(precision_.entry / (2 * precision_.most_exit(bits_)));
}

double Plan::last_scale() const {
  const DoubleDouble q = ckks::scale_of({1, 0}, {1, 0}, own_.q, {});
  const auto powers = static_cast<int>(last_gain_ + shift_ + kUnitBits);
  return std::ldexp(q.hi / static_cast<double>(t_), -powers);
}

void Plan::require_primes() const {
  if (first_log2() < needed_first_log2())
    throw ParameterError((primes_of_level() == 1 ? "q[0] has " : "q[0] q[1] has ") + text(first_log2()) +
                         " bits, and its rounding would be a large part of the error: need " +
                         text(needed_first_log2()) + " at least");
  if (q_log2_ < needed_q_log2())
    throw ParameterError("log2 Q = " + text(q_log2_) + " is too small for t = " + text(t_) + " and " +
                         text(options_.passes) + (options_.passes == 1 ? " pass" : " passes") + ": need " +
                         text(needed_q_log2()) + " at least; use larger primes q, or fewer passes");
}

double Plan::curvature_log2(double ratio) { return kCubic - 3 * ratio; }

double Plan::ratio_after(double ratio, unsigned gain) const {
  return gain - rlwe::log2_sum(error_log2(), curvature_log2(ratio - gain));
}

rlwe::Noise Plan::noise_after(double ratio, unsigned gain, std::uint64_t budget_scale,
                              const rlwe::ProvedNoise& proved) const {
  const double unit = q_log2_ - gain - log2_of(budget_scale);  // of x
  const double root = log2_of(own_.n) / 2, curvature = curvature_log2(ratio - gain);
  const double deviation = std::hypot(precision_.deviation(), std::exp2(curvature) + precision_.fit);
  return {unit + rlwe::log2_sum(error_log2(), curvature),
          unit + root + std::log2(deviation) + (budget_scale == 1 ? std::log2(kAtRoots) : 0), 1, proved};
}

std::vector<Pass> Plan::passes(double budget_bits) const {
  double ratio = budget_bits + 1;
  if (!(ratio >= kLeastRatio))
    throw NoiseError("a has a budget of " + text(budget_bits) + " bits, and a bootstrap needs " +
                     text(kLeastRatio - 1) + " at least, " + text(ratio_bits_ - 1) +
                     " for all that it can leave: bootstrap earlier");
  std::vector<Pass> result;
  for (unsigned i = 0; i < options_.passes; ++i) {
    const double room = std::floor(ratio - ratio_bits_);
    const unsigned gain =
        i == 0 ? 0 : static_cast<unsigned>(std::clamp(room, 0.0, static_cast<double>(last_gain_)));
    ratio = ratio_after(ratio, gain);
    result.push_back({gain, ratio - 1});
  }
  return result;
}

double Plan::failure_log2() const {
  const std::vector<double> overflows =
      ckks::overflow_probabilities(options_.weight, std::exp2(-kLeastRatio));
  double each = 0;
  for (std::size_t i = options_.range + 1; i < overflows.size(); ++i) each += 2 * overflows[i];
  return std::log2(each * static_cast<double>(own_.n) * options_.passes + std::exp2(-kFailureBits - 1));
}

}  // namespace nttforge::exact_bootstrap
