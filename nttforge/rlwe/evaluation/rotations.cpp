// SPDX-License-Identifier: Apache-2.0
// Automorphisms of ciphertexts, one by one and hoisted, and what slots do by them.

#include <algorithm>
#include <string>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/rlwe/evaluation/operands.hpp"
#include "nttforge/rlwe/evaluator.hpp"
#include "nttforge/rlwe/galois.hpp"

namespace nttforge::rlwe {
namespace {

void require_galois_element(std::uint64_t element, std::size_t n) {
  if (element % 2 == 0 || element >= 2 * n)
    throw ParameterError("element = " + std::to_string(element) +
                         " is not allowed: odd and in [1, 2n = " + std::to_string(2 * n) + ")");
}

}  // namespace

Ciphertext Evaluator::multiply_monomial(const Ciphertext& a, std::int64_t power) const {
  require_compatible(*context_, a.context(), "a");
  require_same_encoding(Encoding::coefficients, "multiply_monomial", a.encoding(), "a");
  const auto order = static_cast<std::int64_t>(2 * context_->n());
  if (power <= -order || power >= order)
    throw ParameterError("power = " + std::to_string(power) + " is out of range (-2n, 2n), 2n = " +
                         std::to_string(order) + ": X^2n is 1, reduce it modulo 2n");
  const DeviceArray factor = context_->monomial(static_cast<std::size_t>((power + order) % order));
  const std::size_t first = context_->parameters().window(a.level()).first * context_->n();
  Meta meta = a.meta().computed(a.noise());
  meta.noise = a.noise();
  Ciphertext result(context_, a.size(), meta, a.batch());
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_q(a.level());
  if (a.form() == Form::values)
    queue.multiply_broadcast(ring, a.data(), factor.data() + first, result.data(), a.polynomials());
  else
    queue.multiply_transformed(ring, a.data(), factor.data() + first, nullptr, result.data(),
                               a.polynomials());
  return result;
}

void Evaluator::require_rotatable(const Ciphertext& a, const RotationKeys& keys) const {
  context_->require_evaluation_keys();
  require_compatible(*context_, a.context(), "a");
  if (a.size() != 2)
    throw ParameterError("a has " + std::to_string(a.size()) +
                         " parts, a rotation needs 2: relinearize it first");
  if (keys.context() == nullptr) return;
  require_compatible(*context_, keys.context(), "rotation keys");
}

Ciphertext Evaluator::apply_galois(const Ciphertext& a, std::uint64_t element,
                                   const RotationKeys& keys) const {
  require_rotatable(a, keys);
  require_galois_element(element, context_->n());
  if (element == 1) return a;
  const KeySwitchKey& key = keys.key(element, a.level());
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_q(a.level());
  const std::size_t words = ring.words();
  Ciphertext result(context_, 2, a.meta().computed(context_->noise_model().key_switch(a.noise(), a.level())),
                    a.batch());
  const DeviceArray key_words = key.words();
  const SwitchTables& level = context_->key_switching(a.level());
  const KeyRows rows = key.rows(key_words, a.level());
  queue.in_one_piece([&] {
    if (a.form() == Form::values) {
      const SwitchedImage image{.image = context_->automorphism(element),
                                .key = rows,
                                .addend = a.rows(0),
                                .addend_parts = 1,
                                .moves_addend = true,
                                .out = result.data()};
      return queue.switch_image(level, a.rows(1), image, a.batch());
    }
    DeviceArray image = queue.allocate(ring, a.polynomials());
    queue.automorphism(ring, a.data(), element, image.data(), a.polynomials());
    queue.switch_key(level, {image.data() + words, 2 * words}, rows, {image.data(), 2 * words}, 1, a.form(),
                     result.data(), a.batch());
  });
  return result;
}

void Evaluator::galois_images(const Ciphertext& a, std::span<const std::uint64_t> elements,
                              const RotationKeys& keys, std::span<const WordPtr> out) const {
  const Queue& queue = context_->queue();
  const SwitchTables& level = context_->key_switching(a.level());
  const std::size_t words = level.ring->words(), digit_words = level.digits.size() * level.key_ring->words();
  // So many ciphertexts at a time that their digits take no more than this, but one at least.
  constexpr std::size_t kMostDigitWords = std::size_t{1} << 25;
  const std::size_t group = std::clamp<std::size_t>(kMostDigitWords / digit_words, 1, a.batch());
  std::vector<std::size_t> images;
  for (std::size_t i = 0; i < elements.size(); ++i)
    if (elements[i] != 1) images.push_back(i);
  for (std::size_t first = 0; first < a.batch(); first += group) {
    const std::size_t count = std::min(group, a.batch() - first);
    const auto image = [&](std::size_t at) {
      poll_interrupt();
      const std::size_t i = images[at];
      SwitchedImage result{.image = context_->automorphism(elements[i]),
                           .addend = {a.part(0, first), a.element_words()},
                           .addend_parts = 1,
                           .moves_addend = a.form() == Form::values,
                           .out = out[i] + first * 2 * words,
                           .key_words = keys.key(elements[i]).words()};
      if (at + 1 < images.size()) keys.fetch_ahead(elements[images[at + 1]]);
      result.key = keys.key(elements[i]).rows(result.key_words, a.level());
      if (result.moves_addend) return result;
      result.addend_words = queue.allocate(*level.ring, count);
      result.addend = {result.addend_words.data(), words};
      for (std::size_t e = 0; e < count; ++e)
        queue.automorphism(*level.ring, a.part(0, first + e), elements[i],
                           result.addend_words.data() + e * words, 1);
      return result;
    };
    const BatchRows parts{a.part(1, first), a.element_words()};
    // Keys that are fetched when they are used are used one by one.
    if (keys.offloaded())
      queue.Queue::switch_images(level, parts, a.form(), images.size(), image, count);
    else
      queue.switch_images(level, parts, a.form(), images.size(), image, count);
    for (std::size_t i = 0; i < elements.size(); ++i)
      if (elements[i] == 1) queue.copy(a.part(0, first), out[i] + first * 2 * words, count * 2 * words);
  }
}

std::vector<Ciphertext> Evaluator::apply_galois_many(const Ciphertext& a,
                                                     std::span<const std::uint64_t> elements,
                                                     const RotationKeys& keys) const {
  require_rotatable(a, keys);
  for (const std::uint64_t element : elements) require_galois_element(element, context_->n());
  keys.require(elements, "apply_galois_many", a.level());
  const Meta moved = a.meta().computed(context_->noise_model().key_switch(a.noise(), a.level()));
  Meta still = a.meta().computed(a.noise());
  still.noise = a.noise();  // the very words
  std::vector<Ciphertext> results;
  std::vector<WordPtr> out;
  for (const std::uint64_t element : elements)
    out.push_back(results.emplace_back(context_, 2, element == 1 ? still : moved, a.batch()).data());
  galois_images(a, elements, keys, out);
  return results;
}

Ciphertext Evaluator::rotate_rows(const Ciphertext& a, std::int64_t step, const RotationKeys& keys) const {
  require_compatible(*context_, a.context(), "a");
  require_slots(a.encoding(), "a", "rotate_rows");
  return apply_galois(a, context_->rotation_element(step), keys);
}

Ciphertext Evaluator::rotate_composed(const Ciphertext& a, std::int64_t step,
                                      const RotationKeys& keys) const {
  require_rotatable(a, keys);
  require_slots(a.encoding(), "a", "rotate_composed");
  const std::vector<std::int64_t> steps = keys.composed(step, a.level());
  Ciphertext result = a;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    poll_interrupt();
    if (i + 1 < steps.size()) keys.fetch_ahead(context_->rotation_element(steps[i + 1]));
    result = rotate_rows(result, steps[i], keys);
  }
  return result;
}

std::vector<std::uint64_t> Evaluator::elements_of(std::span<const std::int64_t> steps) const {
  std::vector<std::uint64_t> elements;
  for (const std::int64_t step : steps) elements.push_back(context_->rotation_element(step));
  return elements;
}

std::vector<Ciphertext> Evaluator::rotate_many(const Ciphertext& a, std::span<const std::int64_t> steps,
                                               const RotationKeys& keys) const {
  require_compatible(*context_, a.context(), "a");
  require_slots(a.encoding(), "a", "rotate_many");
  return apply_galois_many(a, elements_of(steps), keys);
}

Ciphertext Evaluator::swap_columns(const Ciphertext& a, const RotationKeys& keys) const {
  require_compatible(*context_, a.context(), "a");
  require_slots(a.encoding(), "a", "swap_columns");
  return apply_galois(a, column_swap_element(context_->n()), keys);
}

Ciphertext Evaluator::inner_sum(const Ciphertext& a, std::size_t span, const RotationKeys& keys) const {
  const auto steps = inner_sum_steps(context_->n(), span);
  require_rotatable(a, keys);
  require_slots(a.encoding(), "a", "inner_sum");
  std::string missing;
  for (std::int64_t step : steps)
    if (!keys.has_step(step)) missing += (missing.empty() ? "" : ", ") + std::to_string(step);
  const bool swap = span == context_->n() && span > 1;
  if (swap && !keys.has_column_swap()) missing += missing.empty() ? "column swap" : ", column swap";
  if (!missing.empty())
    throw MissingKeyError("inner_sum over " + std::to_string(span) +
                          " slots lacks keys for the steps: " + missing +
                          "; make them with KeyGenerator::inner_sum_keys(" + std::to_string(span) + ")");
  Ciphertext result = a;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    poll_interrupt();
    const Ciphertext rotated = rotate_rows(result, steps[i], keys);
    if (i + 1 < steps.size()) keys.fetch_ahead(context_->rotation_element(steps[i + 1]));
    add_in_place(result, rotated);
  }
  if (swap) add_in_place(result, swap_columns(result, keys));
  return result;
}

}  // namespace nttforge::rlwe
