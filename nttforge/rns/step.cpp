// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/step.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/secret.hpp"

namespace nttforge {
namespace {

using Words = std::vector<std::uint64_t>;

std::string entry(const char* name, std::size_t i, std::uint64_t value) {
  return "step." + std::string(name) + "[" + std::to_string(i) + "] = " + std::to_string(value);
}

void require_moduli(const char* name, const Words& moduli) {
  if (moduli.empty()) throw ParameterError("step." + std::string(name) + " is empty: give at least one");
  for (std::size_t i = 0; i < moduli.size(); ++i)
    if (moduli[i] < 2 || moduli[i] >> kMaxModulusBits != 0)
      throw ParameterError(entry(name, i, moduli[i]) + " is out of range: allowed are 2 ... 2^62 - 1");
}

void require_size(const char* name, std::size_t size, std::size_t expected) {
  if (size != expected)
    throw ParameterError("step." + std::string(name) + " has " + std::to_string(size) + " entries: need " +
                         std::to_string(expected));
}

/// Entry i is below limit(i); `expected` entries, or none.
template <class Limit>
void require_reduced(const char* name, const Words& values, std::size_t expected, const Limit& limit) {
  if (values.empty()) return;
  require_size(name, values.size(), expected);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] >= limit(i))
      throw ParameterError(entry(name, i, values[i]) + " is not reduced: allowed is [0, " +
                           std::to_string(limit(i)) + ")");
}

/// sum_i (s_i - 1) fractions_i + 2^(f-1) < 2^128.
bool fits(const Words& sources, const Words& fractions, unsigned fraction_bits) {
  u128 sum = static_cast<u128>(1) << (fraction_bits - 1);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const u128 term = static_cast<u128>(sources[i] - 1) * fractions[i];
    if (sum + term < sum) return false;
    sum += term;
  }
  return true;
}

void validate_fractions(const RnsStep& step) {
  if (step.modulus != 0)
    throw ParameterError("step.modulus = " + std::to_string(step.modulus) +
                         " stands beside fraction_bits = " + std::to_string(step.fraction_bits) +
                         ": a step has one kind of correction");
  if (step.fraction_bits > 127)
    throw ParameterError("step.fraction_bits = " + std::to_string(step.fraction_bits) +
                         " is out of range: allowed are 0 ... 127");
  require_size("fractions", step.fractions.size(), step.sources.size());
  if (!fits(step.sources, step.fractions, step.fraction_bits))
    throw ParameterError(
        "step.fractions are too large: sum (s_i - 1) fractions_i + 2^(f-1) must be below 2^128; take fewer "
        "fraction_bits");
}

/// x times c modulo m.
void scale_words(Words& x, std::size_t per_target, const Words& c, const Words& moduli) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t j = i / per_target;
    x[i] = static_cast<std::uint64_t>(static_cast<u128>(x[i]) * c[j] % moduli[j]);
  }
}

}  // namespace

void RnsStep::validate() const {
  require_moduli("sources", sources);
  require_moduli("targets", targets);
  const auto target = [&](std::size_t j) { return targets[j]; };
  require_reduced("scale", scale, sources.size(), [&](std::size_t i) { return sources[i]; });
  require_reduced("own", own, targets.size(), target);
  require_reduced("factors", factors, targets.size() * sources.size(),
                  [&](std::size_t i) { return targets[i / sources.size()]; });
  require_reduced("offset", offset, targets.size(), target);
  require_reduced("excess", excess, targets.size(), target);
  if (modulus != 0) {
    if (modulus == 1 || modulus >> kMaxModulusBits != 0)
      throw ParameterError("step.modulus = " + std::to_string(modulus) +
                           " is out of range: allowed are 0 and 2 ... 2^62 - 1");
    require_size("weights", weights.size(), sources.size());
    require_reduced("weights", weights, sources.size(), [&](std::size_t) { return modulus; });
  } else {
    require_size("weights", weights.size(), 0);
  }
  if (limit != 0 && (modulus == 0 || limit > (modulus - 1) / 2))
    throw ParameterError("step.limit = " + std::to_string(limit) +
                         " is out of range: allowed are 0 and, with a modulus p, 1 ... (p - 1) / 2 = " +
                         std::to_string(modulus == 0 ? 0 : (modulus - 1) / 2));
  if (fraction_bits != 0)
    validate_fractions(*this);
  else
    require_size("fractions", fractions.size(), 0);
  require_size("excess", excess.size(), modulus != 0 || fraction_bits != 0 ? targets.size() : 0);
}

std::vector<RnsStep> folded(std::span<const RnsStep> chain) {
  if (chain.empty()) throw ParameterError("the chain of steps is empty: give at least one");
  std::vector<RnsStep> steps(chain.begin(), chain.end());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].validate();
    if (i == 0) continue;
    RnsStep &first = steps[i - 1], &next = steps[i];
    if (next.sources != first.targets)
      throw ParameterError("step " + std::to_string(i) +
                           " of the chain does not take the targets of the step before as its sources");
    if (!next.own.empty())
      throw ParameterError("step " + std::to_string(i) +
                           " of the chain has own factors: only the first step may take own words");
    if (next.scale.empty()) continue;
    scale_words(first.own, 1, next.scale, first.targets);
    scale_words(first.offset, 1, next.scale, first.targets);
    scale_words(first.excess, 1, next.scale, first.targets);
    scale_words(first.factors, first.sources.size(), next.scale, first.targets);
    next.scale.clear();
  }
  return steps;
}

StepValue::StepValue(RnsStep step) : step_(std::move(step)) {
  step_.validate();
  for (const std::uint64_t s : step_.sources) sources_.emplace_back(s);
  for (const std::uint64_t q : step_.targets) targets_.emplace_back(q);
  if (step_.modulus != 0) correction_.emplace_back(step_.modulus);
}

bool StepValue::apply(std::span<const std::uint64_t> x, std::span<const std::uint64_t> own,
                      std::span<std::uint64_t> out) const {
  const auto expect = [](const char* name, std::size_t size, std::size_t need) {
    if (size != need)
      throw SizeError(std::string(name) + " has " + std::to_string(size) + " residues: this step needs " +
                      std::to_string(need));
  };
  const std::size_t count = sources_.size();
  expect("x", x.size(), count);
  expect("own", own.size(), step_.own.empty() ? 0 : targets_.size());
  expect("out", out.size(), targets_.size());
  SecretVector<std::uint64_t> y(x.begin(), x.end());
  for (std::size_t i = 0; i < count && !step_.scale.empty(); ++i)
    y[i] = sources_[i].mul(y[i], step_.scale[i]);
  // The correction is `size`, or minus `size` where `negative` is all ones.
  u128 size = 0;
  std::uint64_t negative = 0;
  if (step_.modulus != 0) {
    const std::uint64_t p = step_.modulus, r = inner_product(y, step_.weights.data(), correction_[0]);
    negative = std::uint64_t{0} - (((p - 1) / 2 - r) >> 63);
    size = (r ^ negative) - negative + (p & negative);
  } else if (step_.fraction_bits != 0) {
    u128 sum = step_.nearest ? static_cast<u128>(1) << (step_.fraction_bits - 1) : 0;
    for (std::size_t i = 0; i < count; ++i) sum += static_cast<u128>(y[i]) * step_.fractions[i];
    size = sum >> step_.fraction_bits;
  }
  for (std::size_t j = 0; j < targets_.size(); ++j) {
    const Modulus& q = targets_[j];
    std::uint64_t sum = step_.offset.empty() ? 0 : step_.offset[j];
    if (!step_.own.empty()) sum = q.add(sum, q.mul(q.reduce(own[j]), step_.own[j]));
    if (!step_.factors.empty()) sum = q.add(sum, inner_product(y, step_.factors.data() + j * count, q));
    if (step_.has_correction()) {
      const std::uint64_t term = q.mul(q.reduce128(size), step_.excess[j]);
      sum = q.add(sum, term ^ ((term ^ q.negate(term)) & negative));
    }
    out[j] = sum;
  }
  return step_.limit != 0 && ((step_.limit - static_cast<std::uint64_t>(size)) >> 63) != 0;
}

void set_fractions(RnsStep& step) {
  const std::uint64_t largest = *std::max_element(step.sources.begin(), step.sources.end());
  const unsigned most = largest >> kNarrowFractionBits == 0 ? kNarrowFractionBits : kWideFractionBits;
  step.fraction_bits = 128;
  bool fit = false;
  while (!fit) {  // one bit always fits
    const unsigned f = --step.fraction_bits;
    const u128 power = static_cast<u128>(1) << f;
    step.fractions.clear();
    fit = true;
    for (const std::uint64_t s : step.sources) {
      const u128 fraction = power / s;
      fit = fit && fraction >> most == 0;
      step.fractions.push_back(static_cast<std::uint64_t>(fraction));
    }
    fit = fit && fits(step.sources, step.fractions, f);
  }
}

BigUint fraction_error(const RnsStep& step) {
  BigUint sum;
  for (const std::uint64_t s : step.sources) sum += BigUint(s - 1);
  return sum;
}

std::uint64_t inner_product(std::span<const std::uint64_t> a, const std::uint64_t* b, const Modulus& m) {
  // 16 products of 62-bit words stay below 2^128; the sixteenth is left for the reduced partial sum.
  constexpr std::size_t kTerms = 15;
  u128 sum = 0;
  std::size_t pending = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += static_cast<u128>(a[i]) * b[i];
    if (++pending == kTerms) {
      sum = m.reduce128(sum);
      pending = 0;
    }
  }
  return m.reduce128(sum);
}

}  // namespace nttforge
