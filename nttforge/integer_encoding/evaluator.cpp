// SPDX-License-Identifier: Apache-2.0
#include "nttforge/integer_encoding/evaluator.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/rlwe/galois.hpp"

namespace nttforge::integer_encoding {
namespace {

std::string bracketed(std::size_t i) {
  std::string text = "[";  // a sum that begins with a literal is a false alarm of g++ 12 with parsed headers
  text += std::to_string(i);
  return text += ']';
}

template <class Operand>
void require_operands(const IntegerContext& context, const Ciphertext& a, const Operand& b) {
  require_compatible(context, a.context(), "a");
  require_compatible(context, b.context(), "b");
  require_same_encoding(a.encoding(), "a", b.encoding(), "b");
}

std::vector<const Ciphertext*> pointers(std::span<const Ciphertext> values) {
  std::vector<const Ciphertext*> result;
  for (const Ciphertext& value : values) result.push_back(&value);
  return result;
}

void require_lengths(std::size_t a, std::size_t b) {
  if (a == b && a != 0) return;
  throw SizeError("dot_product: a has " + std::to_string(a) + " terms and b has " + std::to_string(b) +
                  "; both need the same number, at least 1");
}

/// A term belongs to the context and has the encoding of the first one.
template <class Operand>
void require_term(const IntegerContext& context, const Operand* term, const Ciphertext& first,
                  const std::string& name) {
  require_compatible(context, context_of(term), name);
  require_same_encoding(first.encoding(), "a[0]", term->encoding(), name);
}

/// The batch of the terms so far and of term `index`, whose operands are a and b.
template <class Operand>
std::size_t common_term_batch(std::size_t batch, const Ciphertext& a, const Operand& b,
                              const std::string& index) {
  const std::string before = "the dot product before term " + index;
  batch = common_batch(batch, before, a.batch(), "a" + index);
  return common_batch(batch, before, b.batch(), "b" + index);
}

}  // namespace

IntegerEvaluator::IntegerEvaluator(IntegerContextPtr context)
    : RlweEvaluator(context), context_(std::move(context)) {}

std::size_t IntegerEvaluator::require_terms(std::span<const Ciphertext* const> a,
                                            std::span<const Ciphertext* const> b) const {
  require_lengths(a.size(), b.size());
  std::size_t batch = 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::string index = bracketed(i);
    require_term(*context_, a[i], *a[0], "a" + index);
    require_term(*context_, b[i], *a[0], "b" + index);
    require_two_parts(*a[i], "a" + index);
    require_two_parts(*b[i], "b" + index);
    batch = common_term_batch(batch, *a[i], *b[i], index);
  }
  return batch;
}

Noise IntegerEvaluator::largest_noise(std::span<const Ciphertext* const> terms) {
  Noise noise = terms[0]->noise();
  for (const Ciphertext* term : terms) noise = rlwe::largest(noise, term->noise());
  return noise;
}

void IntegerEvaluator::combine_plain(Ciphertext& a, const Plaintext& b, Sign sign) const {
  require_operands(*context_, a, b);
  const StackWipe wipe(context_->device().conversion_depth());
  const std::size_t batch = common_batch(a.batch(), "a", b.batch(), "b");
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_q(a.level());
  DeviceArray message = queue.allocate_secret(ring, b.batch());
  context_->embed(b.data(), a.level(), a.factor(), message.data(), b.batch());
  if (a.batch() != batch) a = widened(a, a.size(), batch);
  for (std::size_t e = 0; e < batch; ++e) {
    WordPtr x = a.part(0, e);
    ConstWordPtr y = message.data() + operand_element(b.batch(), e) * ring.words();
    if (sign == Sign::minus)
      queue.sub(ring, x, y, x, 1);
    else
      queue.add(ring, x, y, x, 1);
  }
  a.set_noise(context_->noise_model().add_plain(a.noise()));
}

void IntegerEvaluator::add_plain_in_place(Ciphertext& a, const Plaintext& b) const {
  combine_plain(a, b, Sign::plus);
}

void IntegerEvaluator::sub_plain_in_place(Ciphertext& a, const Plaintext& b) const {
  combine_plain(a, b, Sign::minus);
}

Ciphertext IntegerEvaluator::add_plain(const Ciphertext& a, const Plaintext& b) const {
  Ciphertext result = a;
  add_plain_in_place(result, b);
  return result;
}

Ciphertext IntegerEvaluator::sub_plain(const Ciphertext& a, const Plaintext& b) const {
  Ciphertext result = a;
  sub_plain_in_place(result, b);
  return result;
}

/// out = a b, element by element; out has the larger batch and may be a.
void IntegerEvaluator::multiply_elements(const Ciphertext& a, const PreparedPlaintext& b,
                                         Ciphertext& out) const {
  const StackWipe wipe(StackDepth::shallow);
  const RingTables& ring = context_->ring_q(a.level());
  const bool whole = b.batch() == 1 && a.batch() == out.batch();
  const std::size_t polynomials = whole ? a.polynomials() : a.size();
  for (std::size_t e = 0; e < (whole ? 1 : out.batch()); ++e)
    context_->queue().multiply_transformed(ring, a.part(0, operand_element(a.batch(), e)),
                                           b.data(operand_element(b.batch(), e)), nullptr, out.part(0, e),
                                           polynomials);
  out.set_noise(context_->noise_model().multiply_plain(a.noise(), b.norm()));
}

void IntegerEvaluator::multiply_plain_in_place(Ciphertext& a, const PreparedPlaintext& b) const {
  require_operands(*context_, a, b);
  if (common_batch(a.batch(), "a", b.batch(), "b") != a.batch()) {
    a = multiply_plain(a, b);
    return;
  }
  multiply_elements(a, b, a);
  a.set_seed(std::nullopt);
}

Ciphertext IntegerEvaluator::multiply_plain(const Ciphertext& a, const PreparedPlaintext& b) const {
  require_operands(*context_, a, b);
  Ciphertext result(context_, a.size(), a.encoding(), a.level(),
                    common_batch(a.batch(), "a", b.batch(), "b"));
  multiply_elements(a, b, result);
  result.set_factor(a.factor());
  return result;
}

Ciphertext IntegerEvaluator::multiply_plain(const Ciphertext& a, const Plaintext& b) const {
  require_operands(*context_, a, b);
  common_batch(a.batch(), "a", b.batch(), "b");
  return multiply_plain(a, PreparedPlaintext(b));
}

Ciphertext IntegerEvaluator::multiply_relinearize(const Ciphertext& a, const Ciphertext& b,
                                                  const RelinearizationKey& key) const {
  context_->require_evaluation_keys();  // before the costly product
  require_compatible(*context_, key.context(), "relinearization key");
  return relinearize(multiply(a, b), key);
}

Ciphertext IntegerEvaluator::dot_product(std::span<const Ciphertext> a, std::span<const Ciphertext> b) const {
  return dot_product(pointers(a), pointers(b));
}

Ciphertext IntegerEvaluator::dot_product(std::span<const Ciphertext* const> a,
                                         std::span<const PreparedPlaintext* const> b) const {
  require_lengths(a.size(), b.size());
  std::size_t size = 0, batch = 1;
  bool one_level = true;
  for (std::size_t i = 0; i < a.size(); ++i) {
    require_term(*context_, a[i], *a[0], "a[" + std::to_string(i) + "]");
    require_term(*context_, b[i], *a[0], "b[" + std::to_string(i) + "]");
    size = std::max(size, a[i]->size());
    batch = common_term_batch(batch, *a[i], *b[i], bracketed(i));
    one_level = one_level && a[i]->level() == a[0]->level() && a[i]->factor() == a[0]->factor();
  }
  if (!one_level) {
    Ciphertext total = multiply_plain(*a[0], *b[0]);
    for (std::size_t i = 1; i < a.size(); ++i) add_in_place(total, multiply_plain(*a[i], *b[i]));
    return total;
  }
  const StackWipe wipe(StackDepth::shallow);
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_q(a[0]->level());
  const RlweNoiseModel& model = context_->noise_model();
  Ciphertext result(context_, size, a[0]->encoding(), a[0]->level(), batch);
  result.set_factor(a[0]->factor());
  queue.fill_zero(result.data(), result.words());
  DeviceArray term = queue.allocate(ring, result.polynomials());
  for (std::size_t i = 0; i < a.size(); ++i) {
    poll_interrupt();
    queue.copy(a[i]->data(), term.data(), a[i]->words());
    queue.forward(ring, term.data(), a[i]->polynomials());
    for (std::size_t e = 0; e < batch; ++e) {
      ConstWordPtr factor = b[i]->data(operand_element(b[i]->batch(), e));
      const std::size_t first = operand_element(a[i]->batch(), e) * a[i]->element_words();
      for (std::size_t part = 0; part < a[i]->size(); ++part)
        queue.multiply_accumulate(ring, term.data() + first + part * ring.words(), factor,
                                  result.part(part, e), 1);
    }
    const Noise noise = model.multiply_plain(a[i]->noise(), b[i]->norm());
    result.set_noise(i == 0 ? noise : model.add(result.noise(), noise));
  }
  queue.inverse(ring, result.data(), result.polynomials());
  return result;
}

Ciphertext IntegerEvaluator::dot_product(std::span<const Ciphertext> a,
                                         std::span<const PreparedPlaintext> b) const {
  std::vector<const PreparedPlaintext*> plain;
  for (const PreparedPlaintext& value : b) plain.push_back(&value);
  return dot_product(pointers(a), std::span<const PreparedPlaintext* const>(plain));
}

Ciphertext IntegerEvaluator::rotate_rows(const Ciphertext& a, std::int64_t step,
                                         const RotationKeys& keys) const {
  require_compatible(*context_, a.context(), "a");
  require_slots(a.encoding(), "a", "rotate_rows");
  return apply_galois(a, rotation_element(context_->n(), step), keys);
}

Ciphertext IntegerEvaluator::rotate_composed(const Ciphertext& a, std::int64_t step,
                                             const RotationKeys& keys) const {
  require_galois_operand(a, keys);
  require_slots(a.encoding(), "a", "rotate_composed");
  const std::vector<std::int64_t> steps = keys.composed(step, a.level());
  Ciphertext result = a;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    poll_interrupt();
    if (i + 1 < steps.size()) keys.fetch_ahead(rotation_element(context_->n(), steps[i + 1]));
    result = rotate_rows(result, steps[i], keys);
  }
  return result;
}

std::vector<std::uint64_t> IntegerEvaluator::elements_of(std::span<const std::int64_t> steps) const {
  std::vector<std::uint64_t> elements;
  for (const std::int64_t step : steps) elements.push_back(rotation_element(context_->n(), step));
  return elements;
}

std::vector<Ciphertext> IntegerEvaluator::rotate_many(const Ciphertext& a,
                                                      std::span<const std::int64_t> steps,
                                                      const RotationKeys& keys) const {
  require_compatible(*context_, a.context(), "a");
  require_slots(a.encoding(), "a", "rotate_many");
  return apply_galois_many(a, elements_of(steps), keys);
}

Ciphertext IntegerEvaluator::swap_columns(const Ciphertext& a, const RotationKeys& keys) const {
  require_compatible(*context_, a.context(), "a");
  require_slots(a.encoding(), "a", "swap_columns");
  return apply_galois(a, column_swap_element(context_->n()), keys);
}

Ciphertext IntegerEvaluator::inner_sum(const Ciphertext& a, std::size_t span,
                                       const RotationKeys& keys) const {
  const auto steps = inner_sum_steps(context_->n(), span);
  require_galois_operand(a, keys);
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
    if (i + 1 < steps.size()) keys.fetch_ahead(rotation_element(context_->n(), steps[i + 1]));
    add_in_place(result, rotated);
  }
  if (swap) add_in_place(result, swap_columns(result, keys));
  return result;
}

}  // namespace nttforge::integer_encoding
