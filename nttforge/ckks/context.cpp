// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/context.hpp"

#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/ckks/scale.hpp"

namespace nttforge::ckks {
namespace {

constexpr double kMostBound = 1000;       // log2
constexpr double kMostProduct = 0x1p210;  // of scales

std::string text(double value) {
  const auto tenths = std::llround(value * 10);
  const auto size = std::llabs(tenths);
  return (tenths < 0 ? "-" : "") + std::to_string(size / 10) + "." + std::to_string(size % 10);
}

}  // namespace

ContextPtr Context::create(Parameters parameters, std::shared_ptr<const Device> device,
                           std::shared_ptr<const Queue> queue) {
  if (device == nullptr) throw ParameterError("device is null: pass make_cpu_device()");
  parameters.validate();
  return ContextPtr(new Context(std::make_shared<const Parameters>(std::move(parameters)), std::move(device),
                                std::move(queue)));
}

ContextPtr Context::create(Parameters parameters) { return create(std::move(parameters), make_cpu_device()); }

Context::Context(const std::shared_ptr<const Parameters>& parameters, std::shared_ptr<const Device> device,
                 std::shared_ptr<const Queue> queue)
    : RlweContext(parameters, std::move(device), 1, 1, 0, std::move(queue)),
      noise_model_(*parameters),
      scales_(parameters->level_scales()),
      leads_below_(scales_.size(), true) {
  for (std::size_t level = 2; level <= scales_.size(); ++level) {
    const Parameters::Step step = parameters->step_from(level);
    leads_below_[level - 1] =
        same_scale(scale_of(scale(level), scale(level), step.joining, step.leaving), scale(level - 1));
  }
}

CiphertextKind Context::below(CiphertextKind kind) const {
  const Parameters::Step step = parameters().step_from(kind.level);
  --kind.level;
  kind.scale = scale_of(kind.scale, {1, 0}, step.joining, step.leaving);
  if (same_scale(kind.scale, scale(kind.level))) kind.scale = scale(kind.level);
  return kind;
}

void Context::require_message(const Meta& meta) const {
  const auto& [hi, lo] = meta.scale;
  if (meta.factor != 1)
    throw ParameterError("correction factor = " + std::to_string(meta.factor) + " must be 1");
  const bool lower = lo == 0 || (std::abs(lo) <= hi * 0x1p-53 && std::abs(lo) > hi * 0x1p-400);
  if (!(hi >= 1 && hi <= kMostProduct) || !std::isfinite(lo) || !lower)
    throw ParameterError("scale = " + std::to_string(hi) +
                         " is not allowed: in [1, 2^210], and its lower part " +
                         "below half of its last bit");
  if (!std::has_single_bit(std::size_t{meta.slots}) || meta.slots > slots())
    throw ParameterError("slots = " + std::to_string(meta.slots) +
                         " must be a power of two in [1, n/2 = " + std::to_string(slots()) + "]");
  if (!(std::abs(meta.numbers.bound) <= kMostBound))
    throw ParameterError("bound = 2^" + std::to_string(meta.numbers.bound) +
                         " is out of range [2^-1000, 2^1000]");
  const double bits = message_log2(meta), room = noise_model_.modulus_log2(meta.level) - 1;
  if (bits < room) return;
  throw PrecisionError("numbers below 2^" + text(meta.numbers.bound) + " at scale 2^" +
                       text(log2_of_scale(meta.scale)) + " need " + text(bits + 1) + " bits, and level " +
                       std::to_string(meta.level) + " has " + text(room + 1) +
                       (meta.level == 1 ? ": levels are exhausted; use a set with more levels, or bootstrap"
                                        : ": state a smaller bound, rescale first, or use larger primes"));
}

DoubleDouble Context::factor_scale(std::size_t level, const DoubleDouble& of_ciphertext) const {
  const Parameters::Step step = parameters().step_from(level);
  return quotient_of(scale_of(scale(level - 1), {1, 0}, step.leaving, step.joining), of_ciphertext);
}

const EmbeddingTables& Context::embedding(std::size_t slots) const {
  if (slots > this->slots())
    throw ParameterError("slots = " + std::to_string(slots) +
                         " is out of range: n/2 = " + std::to_string(this->slots()) + " at most");
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const EmbeddingTables>& embedding = embeddings_[slots];
  if (embedding == nullptr) embedding = device().make_embedding(slots);
  return *embedding;
}

ConstWordPtr Context::imaginary_unit() const {
  const std::lock_guard lock(mutex_);
  if (imaginary_unit_.size() == 0) imaginary_unit_ = monomial(n() / 2);
  return imaginary_unit_.data();
}

}  // namespace nttforge::ckks
