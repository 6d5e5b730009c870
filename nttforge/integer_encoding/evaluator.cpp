// SPDX-License-Identifier: Apache-2.0
#include "nttforge/integer_encoding/evaluator.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/rlwe/evaluation/operands.hpp"

namespace nttforge::integer_encoding {
namespace {

/// Terms of a sum whose transforms stand beside each other.
constexpr std::size_t kTermsTogether = 32;

}  // namespace

IntegerEvaluator::IntegerEvaluator(IntegerContextPtr context)
    : rlwe::Evaluator(context), context_(std::move(context)) {}

void IntegerEvaluator::combine_plain(Ciphertext& a, const Plaintext& b, Sign sign) const {
  require_operands(*context_, a, b);
  const StackWipe wipe(context_->device().conversion_depth());
  const std::size_t batch = common_batch(a.batch(), "a", b.batch(), "b");
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_q(a.level());
  DeviceArray message = queue.allocate_secret(ring, b.batch());
  context_->embed(b.data(), a.level(), a.factor(), message.data(), b.batch());
  if (a.form() == Form::values) queue.forward(ring, message.data(), b.batch());
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
  const Queue& queue = context_->queue();
  for (std::size_t e = 0; e < (whole ? 1 : out.batch()); ++e) {
    const ConstWordPtr x = std::as_const(a).part(0, operand_element(a.batch(), e)),
                       y = b.data(operand_element(b.batch(), e));
    if (a.form() == Form::values)
      queue.multiply_broadcast(ring, x, y, out.part(0, e), polynomials);
    else
      queue.multiply_transformed(ring, x, y, nullptr, out.part(0, e), polynomials);
  }
}

Meta IntegerEvaluator::product_meta(const Ciphertext& a, const PreparedPlaintext& b) const {
  return a.meta().computed(context_->noise_model().multiply_polynomial(a.noise(), b.norm()));
}

void IntegerEvaluator::multiply_plain_in_place(Ciphertext& a, const PreparedPlaintext& b) const {
  require_operands(*context_, a, b);
  if (common_batch(a.batch(), "a", b.batch(), "b") != a.batch()) {
    a = multiply_plain(a, b);
    return;
  }
  multiply_elements(a, b, a);
  a.set_meta(product_meta(a, b));
}

Ciphertext IntegerEvaluator::multiply_plain(const Ciphertext& a, const PreparedPlaintext& b) const {
  require_operands(*context_, a, b);
  Ciphertext result(context_, a.size(), product_meta(a, b), common_batch(a.batch(), "a", b.batch(), "b"));
  multiply_elements(a, b, result);
  return result;
}

Ciphertext IntegerEvaluator::multiply_plain(const Ciphertext& a, const Plaintext& b) const {
  require_operands(*context_, a, b);
  common_batch(a.batch(), "a", b.batch(), "b");
  return multiply_plain(a, PreparedPlaintext(b));
}

Ciphertext IntegerEvaluator::dot_product(std::span<const Ciphertext* const> a,
                                         std::span<const PreparedPlaintext* const> b) const {
  require_lengths(a.size(), b.size());
  std::size_t size = 0, batch = 1;
  bool one_kind = true;
  for (std::size_t i = 0; i < a.size(); ++i) {
    require_term(*context_, a[i], *a[0], 'a', i);
    require_term(*context_, b[i], *a[0], 'b', i);
    size = std::max(size, a[i]->size());
    batch = common_term_batch(batch, a[i]->batch(), b[i]->batch(), i);
    one_kind = one_kind && static_cast<const CiphertextKind&>(a[i]->meta()) == a[0]->meta();
  }
  if (!one_kind) {
    Ciphertext total = multiply_plain(*a[0], *b[0]);
    for (std::size_t i = 1; i < a.size(); ++i) add_in_place(total, multiply_plain(*a[i], *b[i]));
    return total;
  }
  const StackWipe wipe(StackDepth::shallow);
  const IntegerNoiseModel& model = context_->noise_model();
  Ciphertext result(context_, size, product_meta(*a[0], *b[0]), batch);
  for (std::size_t first = 0; first < a.size(); first += kTermsTogether) {
    const std::size_t count = std::min(kTermsTogether, a.size() - first);
    add_terms(a.subspan(first, count), b.subspan(first, count), first != 0, result);
    for (std::size_t i = std::max<std::size_t>(first, 1); i < first + count; ++i)
      result.set_noise(model.add(result.noise(), model.multiply_polynomial(a[i]->noise(), b[i]->norm())));
  }
  if (result.form() == Form::coefficients)
    context_->queue().inverse(context_->ring_q(result.level()), result.data(), result.polynomials());
  return result;
}

/// sum_i a_i b_i, transformed, as the words of `sum` or in addition to them.
void IntegerEvaluator::add_terms(std::span<const Ciphertext* const> a,
                                 std::span<const PreparedPlaintext* const> b, bool accumulate,
                                 Ciphertext& sum) const {
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_q(sum.level());
  const bool transforms = sum.form() == Form::coefficients;
  std::size_t polynomials = 0;
  for (const Ciphertext* x : a) polynomials += x->polynomials();
  DeviceArray transformed;
  if (transforms) transformed = queue.allocate(ring, polynomials);
  std::vector<FactorTerm> terms;
  WordPtr at = transformed.data();
  for (std::size_t i = 0; i < a.size(); ++i, at += transforms ? a[i - 1]->words() : 0) {
    terms.push_back({.factor = b[i]->data(),
                     .factor_stride = b[i]->batch() == 1 ? 0 : context_->ring_q().words(),
                     .x = transforms ? ConstWordPtr(at) : a[i]->data(),
                     .stride = a[i]->batch() == 1 ? 0 : a[i]->element_words(),
                     .parts = a[i]->size()});
  }
  // Those that lie one after the other are transformed together.
  at = transformed.data();
  for (std::size_t i = 0, next = 0; transforms && i < a.size(); i = next) {
    ConstWordPtr end = a[i]->data();
    std::size_t count = 0, words = 0;
    for (; next < a.size() && a[next]->data() == end; ++next) {
      count += a[next]->polynomials();
      words += a[next]->words();
      end += a[next]->words();
    }
    queue.forward_into(ring, a[i]->data(), at, count);
    at += words;
  }
  queue.sum_of_terms(ring, terms, sum.size(), sum.data(), sum.batch(), accumulate);
}

Ciphertext IntegerEvaluator::dot_product(std::span<const Ciphertext> a,
                                         std::span<const PreparedPlaintext> b) const {
  return dot_product(std::span<const Ciphertext* const>(pointers(a)),
                     std::span<const PreparedPlaintext* const>(pointers(b)));
}

}  // namespace nttforge::integer_encoding
