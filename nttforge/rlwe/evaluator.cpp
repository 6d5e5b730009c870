// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/evaluator.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"

namespace nttforge::rlwe {
namespace {

bool aligned(const Ciphertext& a, const Ciphertext& b) {
  return a.level() == b.level() && a.factor() == b.factor();
}

void require_operands(const RlweContext& context, const Ciphertext& a, const Ciphertext& b) {
  require_compatible(context, a.context(), "a");
  require_compatible(context, b.context(), "b");
  require_same_encoding(a.encoding(), "a", b.encoding(), "b");
}

/// throws ParameterError if the ciphertext has primes that the key, called `what`, has no rows for.
void require_key_level(const Ciphertext& a, std::size_t level, const std::string& what) {
  if (a.level() > level)
    throw ParameterError(what + ": at level " + std::to_string(level) + ", and a is at level " +
                         std::to_string(a.level()) + ", above it: switch a down to level " +
                         std::to_string(level) + " first (mod_switch), or take a key of level " +
                         std::to_string(a.level()) + " or above");
}

}  // namespace

void require_two_parts(const Ciphertext& a, std::string_view what) {
  if (a.size() != 2)
    throw ParameterError(std::string(what) + " has " + std::to_string(a.size()) +
                         " parts, this operation needs 2: relinearize it first");
}

RlweEvaluator::RlweEvaluator(RlweContextPtr context) : context_(std::move(context)) {
  require_context(context_);
}

void RlweEvaluator::align(Ciphertext& a, Ciphertext& b) const {
  const std::size_t level = std::min(a.level(), b.level());
  a = mod_switch_to(a, level);
  b = mod_switch_to(b, level);
}

Ciphertext RlweEvaluator::mod_switch(const Ciphertext& a) const {
  require_compatible(*context_, a.context(), "a");
  const std::size_t level = a.level();
  if (level == context_->lowest_level())
    throw ParameterError("a is at level " + std::to_string(level) +
                         ", the lowest: there is no prime left to switch down by" +
                         (level == 1 ? "" : ", as t needs those that are left"));
  Ciphertext result(context_, a.size(), a.encoding(), level - 1, a.batch());
  context_->queue().apply_joined(context_->drop(level), a.data(), result.data(), a.polynomials());
  result.set_factor(context_->factor_below(a.factor(), level));
  result.set_noise(context_->noise_model().switch_modulus(a.noise(), level, a.size()));
  return result;
}

Ciphertext RlweEvaluator::mod_switch_to(const Ciphertext& a, std::size_t level) const {
  require_compatible(*context_, a.context(), "a");
  const std::size_t lowest = context_->lowest_level();
  if (level < lowest || level > a.level())
    throw ParameterError("level = " + std::to_string(level) + " is out of range [" + std::to_string(lowest) +
                         ", " + std::to_string(a.level()) + "]: a is at level " + std::to_string(a.level()) +
                         ", and levels only go down" +
                         (level < lowest ? "; t leaves no room below level " + std::to_string(lowest) : ""));
  Ciphertext storage;
  return at_level(a, level, storage);
}

const Ciphertext& RlweEvaluator::at_level(const Ciphertext& a, std::size_t level, Ciphertext& storage) const {
  if (a.level() == level) return a;
  storage = mod_switch(a);
  while (storage.level() > level) storage = mod_switch(storage);
  return storage;
}

const Ciphertext& RlweEvaluator::operand(const Ciphertext& a, std::size_t level, std::size_t batch,
                                         Ciphertext& storage) const {
  const Ciphertext& lowered = at_level(a, level, storage);
  if (lowered.batch() == batch) return lowered;
  return storage = widened(lowered, lowered.size(), batch);
}

/// a += b or a -= b where both are aligned, b has at most as many parts, and the batch of a or is single.
void RlweEvaluator::accumulate(Ciphertext& a, const Ciphertext& b, Sign sign) const {
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_q(a.level());
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
  a.set_noise(context_->noise_model().add(a.noise(), b.noise()));
  a.set_seed(std::nullopt);
}

Ciphertext RlweEvaluator::widened(const Ciphertext& a, std::size_t size, std::size_t batch) const {
  Ciphertext result(context_, size, a.encoding(), a.level(), batch);
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
  result.set_factor(a.factor());
  result.set_noise(a.noise());
  return result;
}

void RlweEvaluator::combine_in_place(Ciphertext& a, const Ciphertext& b, Sign sign) const {
  require_operands(*context_, a, b);
  if (!aligned(a, b)) {
    a = combine(a, b, sign);
    return;
  }
  const std::size_t batch = common_batch(a.batch(), "a", b.batch(), "b");
  if (a.size() < b.size() || a.batch() < batch) a = widened(a, std::max(a.size(), b.size()), batch);
  accumulate(a, b, sign);
}

Ciphertext RlweEvaluator::combine(const Ciphertext& a, const Ciphertext& b, Sign sign) const {
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
  Ciphertext result(context_, a.size(), a.encoding(), a.level(), batch);
  const Queue& queue = context_->queue();
  if (sign == Sign::minus)
    queue.sub(context_->ring_q(a.level()), a.data(), b.data(), result.data(), a.polynomials());
  else
    queue.add(context_->ring_q(a.level()), a.data(), b.data(), result.data(), a.polynomials());
  result.set_factor(a.factor());
  result.set_noise(context_->noise_model().add(a.noise(), b.noise()));
  return result;
}

void RlweEvaluator::add_in_place(Ciphertext& a, const Ciphertext& b) const {
  combine_in_place(a, b, Sign::plus);
}
void RlweEvaluator::sub_in_place(Ciphertext& a, const Ciphertext& b) const {
  combine_in_place(a, b, Sign::minus);
}
Ciphertext RlweEvaluator::add(const Ciphertext& a, const Ciphertext& b) const {
  return combine(a, b, Sign::plus);
}
Ciphertext RlweEvaluator::sub(const Ciphertext& a, const Ciphertext& b) const {
  return combine(a, b, Sign::minus);
}

void RlweEvaluator::negate_in_place(Ciphertext& a) const {
  require_compatible(*context_, a.context(), "a");
  context_->queue().negate(context_->ring_q(a.level()), a.data(), a.data(), a.polynomials());
  a.set_seed(std::nullopt);
}

Ciphertext RlweEvaluator::negate(const Ciphertext& a) const {
  require_compatible(*context_, a.context(), "a");
  Ciphertext result(context_, a.size(), a.encoding(), a.level(), a.batch());
  context_->queue().negate(context_->ring_q(a.level()), a.data(), result.data(), a.polynomials());
  result.set_factor(a.factor());
  result.set_noise(a.noise());
  return result;
}

Ciphertext RlweEvaluator::sum(std::span<const Ciphertext* const> terms) const {
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

/// Each element of out [batch][2][level][n] = part * key / P + the first `parts` parts of addend.
void RlweEvaluator::switch_key(BatchRows part, const KeySwitchKey& key, BatchRows addend, std::size_t parts,
                               Ciphertext& out) const {
  const DeviceArray words = key.words();
  context_->queue().switch_key(context_->key_switching(out.level()), part, key.rows(words, out.level()),
                               addend, parts, Form::coefficients, out.data(), out.batch());
}

Ciphertext RlweEvaluator::relinearize(const Ciphertext& a, const RelinearizationKey& key) const {
  context_->require_evaluation_keys();
  require_compatible(*context_, a.context(), "a");
  require_compatible(*context_, key.context(), "relinearization key");
  if (a.size() == 2) return a;
  require_key_level(a, key.level(), "relinearization key");
  Ciphertext result(context_, 2, a.encoding(), a.level(), a.batch());
  switch_key(a.rows(2), key.key(), a.rows(0), 2, result);
  result.set_factor(a.factor());
  result.set_noise(context_->noise_model().key_switch(a.noise(), a.level()));
  return result;
}

void RlweEvaluator::relinearize_in_place(Ciphertext& a, const RelinearizationKey& key) const {
  if (a.size() == 2 && !a.empty()) {
    require_compatible(*context_, a.context(), "a");
    require_compatible(*context_, key.context(), "relinearization key");
    return;
  }
  a = relinearize(a, key);
}

Ciphertext RlweEvaluator::switch_secret(const Ciphertext& a, const KeySwitchKey& key) const {
  context_->require_evaluation_keys();
  require_compatible(*context_, a.context(), "a");
  require_compatible(*context_, key.context(), "key-switching key");
  require_two_parts(a, "a");
  require_key_level(a, key.level(), "key-switching key");
  Ciphertext result(context_, 2, a.encoding(), a.level(), a.batch());
  switch_key(a.rows(1), key, a.rows(0), 1, result);
  result.set_factor(a.factor());
  result.set_noise(context_->noise_model().key_switch(a.noise(), a.level()));
  return result;
}

void RlweEvaluator::require_galois_operand(const Ciphertext& a, const RotationKeys& keys) const {
  context_->require_evaluation_keys();
  require_compatible(*context_, a.context(), "a");
  if (a.size() != 2)
    throw ParameterError("a has " + std::to_string(a.size()) +
                         " parts, a rotation needs 2: relinearize it first");
  if (keys.context() == nullptr) return;
  require_compatible(*context_, keys.context(), "rotation keys");
}

void RlweEvaluator::require_element(std::uint64_t element) const {
  if (element % 2 == 0 || element >= 2 * context_->n())
    throw ParameterError("element = " + std::to_string(element) +
                         " is not allowed: odd and in [1, 2n = " + std::to_string(2 * context_->n()) + ")");
}

Ciphertext RlweEvaluator::apply_galois(const Ciphertext& a, std::uint64_t element,
                                       const RotationKeys& keys) const {
  require_galois_operand(a, keys);
  require_element(element);
  if (element == 1) return a;
  const KeySwitchKey& key = keys.key(element, a.level());
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_q(a.level());
  const std::size_t words = ring.words();
  DeviceArray image = queue.allocate(ring, a.polynomials());
  Ciphertext result(context_, 2, a.encoding(), a.level(), a.batch());
  const DeviceArray key_words = key.words();
  queue.in_one_piece([&] {
    queue.automorphism(ring, a.data(), element, image.data(), a.polynomials());
    queue.switch_key(context_->key_switching(a.level()), {image.data() + words, 2 * words},
                     key.rows(key_words, a.level()), {image.data(), 2 * words}, 1, Form::coefficients,
                     result.data(), a.batch());
  });
  result.set_factor(a.factor());
  result.set_noise(context_->noise_model().key_switch(a.noise(), a.level()));
  return result;
}

void RlweEvaluator::galois_images(const Ciphertext& a, std::span<const std::uint64_t> elements,
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
                           .addend_parts = 1,
                           .out = out[i] + first * 2 * words,
                           .key_words = keys.key(elements[i]).words(),
                           .addend_words = queue.allocate(*level.ring, count)};
      if (at + 1 < images.size()) keys.fetch_ahead(elements[images[at + 1]]);
      result.key = keys.key(elements[i]).rows(result.key_words, a.level());
      result.addend = {result.addend_words.data(), words};
      for (std::size_t e = 0; e < count; ++e)
        queue.automorphism(*level.ring, a.part(0, first + e), elements[i],
                           result.addend_words.data() + e * words, 1);
      return result;
    };
    const BatchRows parts{a.part(1, first), a.element_words()};
    // Keys that are fetched when they are used are used one by one.
    if (keys.offloaded())
      queue.Queue::switch_images(level, parts, Form::coefficients, images.size(), image, count);
    else
      queue.switch_images(level, parts, Form::coefficients, images.size(), image, count);
    for (std::size_t i = 0; i < elements.size(); ++i)
      if (elements[i] == 1) queue.copy(a.part(0, first), out[i] + first * 2 * words, count * 2 * words);
  }
}

std::vector<Ciphertext> RlweEvaluator::apply_galois_many(const Ciphertext& a,
                                                         std::span<const std::uint64_t> elements,
                                                         const RotationKeys& keys) const {
  require_galois_operand(a, keys);
  for (const std::uint64_t element : elements) require_element(element);
  keys.require(elements, "apply_galois_many", a.level());
  std::vector<Ciphertext> results;
  std::vector<WordPtr> out;
  for (std::size_t i = 0; i < elements.size(); ++i)
    out.push_back(results.emplace_back(context_, 2, a.encoding(), a.level(), a.batch()).data());
  galois_images(a, elements, keys, out);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    results[i].set_factor(a.factor());
    if (elements[i] == 1)
      results[i].restore_noise(a.noise());
    else
      results[i].set_noise(context_->noise_model().key_switch(a.noise(), a.level()));
  }
  return results;
}

}  // namespace nttforge::rlwe
