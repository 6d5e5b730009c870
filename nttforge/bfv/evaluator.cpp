// SPDX-License-Identifier: Apache-2.0
// Linear operations and operations with plaintexts; products are in evaluator_multiply.cpp, automorphisms in
// evaluator_rotate.cpp.

#include "nttforge/bfv/evaluator.hpp"

#include <algorithm>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"

namespace nttforge::bfv {
namespace {

/// Checks that operands belong to one context and have one encoding.
template <class Operand>
void require_operands(const Context& context, const Ciphertext& a, const Operand& b) {
  require_compatible(context, a.context(), "a");
  require_compatible(context, b.context(), "b");
  require_same_encoding(a.encoding(), "a", b.encoding(), "b");
}

/// a += sign b where b has at most as many parts.
void accumulate(const Context& context, Ciphertext& a, const Ciphertext& b, bool subtract) {
  const Queue& queue = context.queue();
  if (subtract)
    queue.sub(context.ring_q(), a.data(), b.data(), a.data(), b.size());
  else
    queue.add(context.ring_q(), a.data(), b.data(), a.data(), b.size());
  a.set_noise(context.noise_model().add(a.noise(), b.noise()));
  a.set_seed(std::nullopt);
}

/// a with zero parts appended up to `size`, in `context`.
Ciphertext widened(const ContextPtr& context, const Ciphertext& a, std::size_t size) {
  Ciphertext result(context, size, a.encoding());
  const std::size_t words = context->ring_q().words();
  context->queue().copy(a.data(), result.data(), a.words());
  context->queue().fill_zero(result.data() + a.words(), (size - a.size()) * words);
  result.set_noise(a.noise());
  return result;
}

}  // namespace

Evaluator::Evaluator(ContextPtr context) : context_(std::move(context)) {
  if (context_ == nullptr) throw ContextError("context is null: make one with Context::create");
}

void Evaluator::add_in_place(Ciphertext& a, const Ciphertext& b) const {
  require_operands(*context_, a, b);
  if (a.size() < b.size()) a = widened(a.context(), a, b.size());
  accumulate(*context_, a, b, false);
}

void Evaluator::sub_in_place(Ciphertext& a, const Ciphertext& b) const {
  require_operands(*context_, a, b);
  if (a.size() < b.size()) a = widened(a.context(), a, b.size());
  accumulate(*context_, a, b, true);
}

void Evaluator::negate_in_place(Ciphertext& a) const {
  require_compatible(*context_, a.context(), "a");
  context_->queue().negate(context_->ring_q(), a.data(), a.data(), a.size());
  a.set_seed(std::nullopt);
}

Ciphertext Evaluator::add(const Ciphertext& a, const Ciphertext& b) const {
  require_operands(*context_, a, b);
  if (a.size() != b.size()) {
    Ciphertext result = widened(context_, a, std::max(a.size(), b.size()));
    accumulate(*context_, result, b, false);
    return result;
  }
  Ciphertext result(context_, a.size(), a.encoding());
  context_->queue().add(context_->ring_q(), a.data(), b.data(), result.data(), a.size());
  result.set_noise(context_->noise_model().add(a.noise(), b.noise()));
  return result;
}

Ciphertext Evaluator::sub(const Ciphertext& a, const Ciphertext& b) const {
  require_operands(*context_, a, b);
  if (a.size() != b.size()) {
    Ciphertext result = widened(context_, a, std::max(a.size(), b.size()));
    accumulate(*context_, result, b, true);
    return result;
  }
  Ciphertext result(context_, a.size(), a.encoding());
  context_->queue().sub(context_->ring_q(), a.data(), b.data(), result.data(), a.size());
  result.set_noise(context_->noise_model().add(a.noise(), b.noise()));
  return result;
}

Ciphertext Evaluator::negate(const Ciphertext& a) const {
  require_compatible(*context_, a.context(), "a");
  Ciphertext result(context_, a.size(), a.encoding());
  context_->queue().negate(context_->ring_q(), a.data(), result.data(), a.size());
  result.set_noise(a.noise());
  return result;
}

Ciphertext Evaluator::sum(std::span<const Ciphertext* const> terms) const {
  if (terms.empty()) throw SizeError("terms is empty: a sum needs at least one ciphertext");
  std::size_t size = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::string name = "terms[" + std::to_string(i) + "]";
    require_compatible(*context_, context_of(terms[i]), name);
    require_same_encoding(terms[0]->encoding(), "terms[0]", terms[i]->encoding(), name);
    size = std::max(size, terms[i]->size());
  }
  Ciphertext result = widened(context_, *terms[0], size);
  for (const Ciphertext* term : terms.subspan(1)) accumulate(*context_, result, *term, false);
  return result;
}

void Evaluator::add_plain_in_place(Ciphertext& a, const Plaintext& b) const {
  require_operands(*context_, a, b);
  const StackWipe wipe(context_->device().conversion_depth());
  const Queue& queue = context_->queue();
  DeviceArray message = queue.allocate_secret(context_->ring_q().words());
  queue.apply(context_->scale_plain(), b.data(), nullptr, message.data(), 1);
  queue.add(context_->ring_q(), a.part(0), message.data(), a.part(0), 1);
  a.set_noise(context_->noise_model().add_plain(a.noise()));
}

void Evaluator::sub_plain_in_place(Ciphertext& a, const Plaintext& b) const {
  require_operands(*context_, a, b);
  const StackWipe wipe(context_->device().conversion_depth());
  const Queue& queue = context_->queue();
  DeviceArray message = queue.allocate_secret(context_->ring_q().words());
  queue.apply(context_->scale_plain(), b.data(), nullptr, message.data(), 1);
  queue.sub(context_->ring_q(), a.part(0), message.data(), a.part(0), 1);
  a.set_noise(context_->noise_model().add_plain(a.noise()));
}

Ciphertext Evaluator::add_plain(const Ciphertext& a, const Plaintext& b) const {
  Ciphertext result = a;
  add_plain_in_place(result, b);
  return result;
}

Ciphertext Evaluator::sub_plain(const Ciphertext& a, const Plaintext& b) const {
  Ciphertext result = a;
  sub_plain_in_place(result, b);
  return result;
}

void Evaluator::multiply_plain_in_place(Ciphertext& a, const PreparedPlaintext& b) const {
  require_operands(*context_, a, b);
  const StackWipe wipe(StackDepth::shallow);
  context_->queue().multiply_transformed(context_->ring_q(), a.data(), b.data(), nullptr, a.data(), a.size());
  a.set_noise(context_->noise_model().multiply_plain(a.noise(), b.norm()));
  a.set_seed(std::nullopt);
}

Ciphertext Evaluator::multiply_plain(const Ciphertext& a, const PreparedPlaintext& b) const {
  require_operands(*context_, a, b);
  Ciphertext result(context_, a.size(), a.encoding());
  const StackWipe wipe(StackDepth::shallow);
  context_->queue().multiply_transformed(context_->ring_q(), a.data(), b.data(), nullptr, result.data(),
                                         a.size());
  result.set_noise(context_->noise_model().multiply_plain(a.noise(), b.norm()));
  return result;
}

Ciphertext Evaluator::multiply_plain(const Ciphertext& a, const Plaintext& b) const {
  require_compatible(*context_, b.context(), "b");
  return multiply_plain(a, PreparedPlaintext(b));
}

}  // namespace nttforge::bfv
