// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/evaluator.hpp"

#include <algorithm>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/rlwe/evaluation/operands.hpp"

namespace nttforge::rlwe {
namespace {

bool aligned(const Ciphertext& a, const Ciphertext& b) {
  return static_cast<const CiphertextKind&>(a.meta()) == b.meta();
}

}  // namespace

Evaluator::Evaluator(RlweContextPtr context) : context_(std::move(context)) { require_context(context_); }

void Evaluator::align(Ciphertext& a, Ciphertext& b) const {
  const std::size_t level = std::min(a.level(), b.level());
  const Form form = a.form() == b.form() ? a.form() : context_->form();
  for (Ciphertext* x : {&a, &b}) *x = mod_switch_to(*x, level).in(form);
}

Ciphertext Evaluator::divided(const Ciphertext& a) const {
  require_compatible(*context_, a.context(), "a");
  const std::size_t level = a.level();
  if (level == context_->lowest_level())
    throw ParameterError("a is at level " + std::to_string(level) +
                         ", the lowest: there is no prime left to switch down by" +
                         (level == 1 ? "" : ", as messages need those that are left"));
  Meta meta = a.meta().computed(context_->noise_model().switch_modulus(a.noise(), level, a.size()));
  static_cast<CiphertextKind&>(meta) = context_->below(a.meta());
  Ciphertext result(context_, a.size(), meta, a.batch());
  context_->queue().rescale(context_->drop(level), context_->ring_q(level), context_->ring_q(level - 1),
                            a.data(), a.form(), result.data(), a.polynomials());
  return result;
}

Ciphertext Evaluator::mod_switch_to(const Ciphertext& a, std::size_t level) const {
  require_compatible(*context_, a.context(), "a");
  const std::size_t lowest = context_->lowest_level();
  if (level < lowest || level > a.level())
    throw ParameterError(
        "level = " + std::to_string(level) + " is out of range [" + std::to_string(lowest) + ", " +
        std::to_string(a.level()) + "]: a is at level " + std::to_string(a.level()) +
        ", and levels only go down" +
        (level < lowest ? "; messages have no room below level " + std::to_string(lowest) : ""));
  Ciphertext storage;
  const Ciphertext& found = at_level(a, level, a.form(), storage);
  if (&found != &storage) return found;
  return storage;
}

const Ciphertext& Evaluator::at_level(const Ciphertext& a, std::size_t level, Form form,
                                      Ciphertext& storage) const {
  const Ciphertext* x = &a;
  while (x->level() > level) x = &(storage = mod_switch(*x));
  if (x->form() == form) return *x;
  return storage = x == &storage ? std::move(storage).in(form) : x->in(form);
}

const Ciphertext& Evaluator::operand(const Ciphertext& a, std::size_t level, Form form, std::size_t batch,
                                     Ciphertext& storage) const {
  const Ciphertext& found = at_level(a, level, form, storage);
  if (found.batch() == batch) return found;
  return storage = widened(found, found.size(), batch);
}

/// a += b or a -= b where both are aligned, b has at most as many parts, and the batch of a or is single.
void Evaluator::accumulate(Ciphertext& a, const Ciphertext& b, Sign sign) const {
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_q(a.level());
  const Meta meta = a.meta().plus(b.meta(), context_->noise_model());
  context_->require_message(meta);
  const bool whole = a.size() == b.size() && a.batch() == b.batch();
  const std::size_t polynomials = whole ? a.polynomials() : b.size();
  for (std::size_t e = 0; e < (whole ? 1 : a.batch()); ++e) {
    WordPtr x = a.part(0, e);
    ConstWordPtr y = b.part(0, operand_element(b.batch(), e));
    if (sign == Sign::minus)
      queue.sub(ring, x, y, x, polynomials);
    else
      queue.add(ring, x, y, x, polynomials);
  }
  a.set_meta(meta);
}

Ciphertext Evaluator::widened(const Ciphertext& a, std::size_t size, std::size_t batch) const {
  Ciphertext result(context_, size, a.meta().computed(a.noise()), batch);
  const Queue& queue = context_->queue();
  const std::size_t words = a.element_words();
  if (size == a.size() && batch == a.batch()) {
    queue.copy(a.data(), result.data(), a.words());
  } else {
    for (std::size_t e = 0; e < batch; ++e) {
      queue.copy(a.part(0, operand_element(a.batch(), e)), result.part(0, e), words);
      queue.fill_zero(result.part(0, e) + words, result.element_words() - words);
    }
  }
  return result;
}

void Evaluator::combine_in_place(Ciphertext& a, const Ciphertext& b, Sign sign) const {
  require_operands(*context_, a, b);
  if (!aligned(a, b)) {
    a = combine(a, b, sign);
    return;
  }
  const std::size_t batch = common_batch(a.batch(), "a", b.batch(), "b");
  if (a.size() < b.size() || a.batch() < batch) a = widened(a, std::max(a.size(), b.size()), batch);
  accumulate(a, b, sign);
}

Ciphertext Evaluator::combine(const Ciphertext& a, const Ciphertext& b, Sign sign) const {
  require_operands(*context_, a, b);
  if (!aligned(a, b)) {
    Ciphertext x = a, y = b;
    align(x, y);
    combine_in_place(x, y, sign);
    return x;
  }
  const std::size_t batch = common_batch(a.batch(), "a", b.batch(), "b");
  if (a.size() != b.size() || a.batch() != b.batch()) {
    Ciphertext result = widened(a, std::max(a.size(), b.size()), batch);
    accumulate(result, b, sign);
    return result;
  }
  const Meta meta = a.meta().plus(b.meta(), context_->noise_model());
  context_->require_message(meta);
  Ciphertext result(context_, a.size(), meta, batch);
  const Queue& queue = context_->queue();
  if (sign == Sign::minus)
    queue.sub(context_->ring_q(a.level()), a.data(), b.data(), result.data(), a.polynomials());
  else
    queue.add(context_->ring_q(a.level()), a.data(), b.data(), result.data(), a.polynomials());
  return result;
}

void Evaluator::add_in_place(Ciphertext& a, const Ciphertext& b) const { combine_in_place(a, b, Sign::plus); }
void Evaluator::sub_in_place(Ciphertext& a, const Ciphertext& b) const {
  combine_in_place(a, b, Sign::minus);
}
Ciphertext Evaluator::add(const Ciphertext& a, const Ciphertext& b) const {
  return combine(a, b, Sign::plus);
}
Ciphertext Evaluator::sub(const Ciphertext& a, const Ciphertext& b) const {
  return combine(a, b, Sign::minus);
}

void Evaluator::negate_in_place(Ciphertext& a) const {
  require_compatible(*context_, a.context(), "a");
  context_->queue().negate(context_->ring_q(a.level()), a.data(), a.data(), a.polynomials());
  Meta meta = a.meta().without_seed();
  meta.stored_bits = {};
  a.set_meta(meta);
}

Ciphertext Evaluator::negate(const Ciphertext& a) const {
  require_compatible(*context_, a.context(), "a");
  Ciphertext result(context_, a.size(), a.meta().computed(a.noise()), a.batch());
  context_->queue().negate(context_->ring_q(a.level()), a.data(), result.data(), a.polynomials());
  return result;
}

Ciphertext Evaluator::sum(std::span<const Ciphertext* const> terms) const {
  if (terms.empty()) throw SizeError("terms is empty: a sum needs at least one ciphertext");
  std::size_t size = 0, batch = 1;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::string name = "terms[" + std::to_string(i) + "]";
    require_compatible(*context_, context_of(terms[i]), name);
    require_same_encoding(terms[0]->encoding(), "terms[0]", terms[i]->encoding(), name);
    size = std::max(size, terms[i]->size());
    batch = common_batch(batch, "the sum of the terms before " + name, terms[i]->batch(), name);
  }
  Ciphertext result = widened(*terms[0], size, batch);
  for (const Ciphertext* term : terms.subspan(1)) combine_in_place(result, *term, Sign::plus);
  return result;
}

Ciphertext Evaluator::multiply(const Ciphertext& a, const Ciphertext& b) const {
  require_operands(*context_, a, b);
  require_two_parts(a, "a");
  require_two_parts(b, "b");
  const Ciphertext *x = &a, *y = &b;
  return sum_of_products({&x, 1}, {&y, 1}, common_batch(a.batch(), "a", b.batch(), "b"));
}

Ciphertext Evaluator::multiply_relinearize(const Ciphertext& a, const Ciphertext& b,
                                           const RelinearizationKey& key) const {
  context_->require_evaluation_keys();  // before the costly product
  require_compatible(*context_, key.context(), "relinearization key");
  return relinearized(multiply(a, b), key);
}

Ciphertext Evaluator::dot_product(std::span<const Ciphertext* const> a,
                                  std::span<const Ciphertext* const> b) const {
  require_lengths(a.size(), b.size());
  std::size_t batch = 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    require_term(*context_, a[i], *a[0], 'a', i);
    require_term(*context_, b[i], *a[0], 'b', i);
    require_two_parts(*a[i], element_name('a', i));
    require_two_parts(*b[i], element_name('b', i));
    batch = common_term_batch(batch, a[i]->batch(), b[i]->batch(), i);
  }
  return sum_of_products(a, b, batch);
}

Ciphertext Evaluator::dot_product(std::span<const Ciphertext> a, std::span<const Ciphertext> b) const {
  return dot_product(pointers(a), pointers(b));
}

/// Each element of out [batch][2][level][n] = part * key / P + the first `parts` parts of addend.
void Evaluator::switch_key(BatchRows part, const KeySwitchKey& key, BatchRows addend, std::size_t parts,
                           Ciphertext& out) const {
  const DeviceArray words = key.words();
  context_->queue().switch_key(context_->chain().key_switching(out.level(), key.special()), part,
                               key.rows(words, out.level()), addend, parts, out.form(), out.data(),
                               out.batch());
}

Ciphertext Evaluator::relinearize(const Ciphertext& a, const RelinearizationKey& key) const {
  context_->require_evaluation_keys();
  require_compatible(*context_, a.context(), "a");
  require_compatible(*context_, key.context(), "relinearization key");
  if (a.size() < 3) return a;
  require_key_level(a, key.level(), "relinearization key");
  Ciphertext result(context_, 2, a.meta().computed(context_->noise_model().key_switch(a.noise(), a.level())),
                    a.batch());
  switch_key(a.rows(2), key.key(), a.rows(0), 2, result);
  return result;
}

Ciphertext Evaluator::relinearize_divided(const Ciphertext& a, const RelinearizationKey& key) const {
  require_key_level(a, key.level(), "relinearization key");
  const std::size_t level = a.level();
  const RlweNoiseModel& model = context_->noise_model();
  Meta meta = a.meta().computed(model.switch_modulus(model.key_switch(a.noise(), level), level, 2));
  static_cast<CiphertextKind&>(meta) = context_->below(a.meta());
  Ciphertext result(context_, 2, meta, a.batch());
  const DeviceArray words = key.key().words();
  const std::size_t special = key.key().special();
  context_->queue().switch_key_rescaled(
      context_->chain().key_switching(level, special), context_->chain().key_rescaling(level, special),
      a.rows(2), key.key().rows(words, level), a.rows(0), 2, a.form(), result.data(), a.batch());
  return result;
}

void Evaluator::relinearize_in_place(Ciphertext& a, const RelinearizationKey& key) const {
  if (a.size() < 3 && !a.empty()) {
    require_compatible(*context_, a.context(), "a");
    require_compatible(*context_, key.context(), "relinearization key");
    return;
  }
  a = relinearize(a, key);
}

Ciphertext Evaluator::switch_secret(const Ciphertext& a, const KeySwitchKey& key) const {
  context_->require_evaluation_keys();
  require_compatible(*context_, a.context(), "a");
  require_compatible(*context_, key.context(), "key-switching key");
  require_two_parts(a, "a");
  require_key_level(a, key.level(), "key-switching key");
  const Noise noise = context_->noise_model().key_switch(a.noise(), a.level(), key.special());
  Ciphertext result(context_, 2, a.meta().computed(noise), a.batch());
  switch_key(a.rows(1), key, a.rows(0), 1, result);
  return result;
}

}  // namespace nttforge::rlwe
