// SPDX-License-Identifier: Apache-2.0
// Key switching: relinearization and automorphisms. The switched part is multiplied with its key modulo Q p
// divided by p and added to the other part(s), all in Queue::switch_key.

#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/bfv/evaluator.hpp"
#include "nttforge/bfv/galois.hpp"

namespace nttforge::bfv {
namespace {

/// out [2][k][n] = round(part * key / p) + the `parts` parts at addend.
void switch_key(const Context& context, ConstWordPtr part, const KeySwitchKey& key, ConstWordPtr addend,
                std::size_t parts, WordPtr out) {
  context.queue().switch_key(context.key_switching(), {part}, {key.data(), context.key_limbs(), 1}, {addend},
                             parts, out, 1);
}

void require_galois_operand(const Context& context, const Ciphertext& a, const RotationKeys& keys) {
  context.mod_down();  // throws without special prime
  require_compatible(context, a.context(), "a");
  if (a.size() != 2)
    throw ParameterError("a has " + std::to_string(a.size()) +
                         " parts, a rotation needs 2: relinearize it first");
  if (keys.context() != nullptr) require_compatible(context, keys.context(), "rotation keys");
}

}  // namespace

Ciphertext Evaluator::relinearize(const Ciphertext& a, const RelinearizationKey& key) const {
  context_->mod_down();
  require_compatible(*context_, a.context(), "a");
  require_compatible(*context_, key.context(), "relinearization key");
  if (a.size() == 2) return a;
  Ciphertext result(context_, 2, a.encoding());
  switch_key(*context_, a.part(2), key.key(), a.data(), 2, result.data());
  result.set_noise(context_->noise_model().key_switch(a.noise()));
  return result;
}

void Evaluator::relinearize_in_place(Ciphertext& a, const RelinearizationKey& key) const {
  if (a.size() == 2 && !a.empty()) {
    require_compatible(*context_, a.context(), "a");
    require_compatible(*context_, key.context(), "relinearization key");
    return;
  }
  a = relinearize(a, key);
}

Ciphertext Evaluator::apply_galois(const Ciphertext& a, std::uint64_t element,
                                   const RotationKeys& keys) const {
  require_galois_operand(*context_, a, keys);
  if (element % 2 == 0 || element >= 2 * context_->n())
    throw ParameterError("element = " + std::to_string(element) +
                         " is not allowed: odd and in [1, 2n = " + std::to_string(2 * context_->n()) + ")");
  if (element == 1) return a;
  const KeySwitchKey& key = keys.key(element);
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_q();
  DeviceArray image = queue.allocate(2 * ring.words());
  queue.automorphism(ring, a.data(), element, image.data(), 2);
  Ciphertext result(context_, 2, a.encoding());
  switch_key(*context_, image.data() + ring.words(), key, image.data(), 1, result.data());
  result.set_noise(context_->noise_model().key_switch(a.noise()));
  return result;
}

Ciphertext Evaluator::rotate_rows(const Ciphertext& a, std::int64_t step, const RotationKeys& keys) const {
  require_compatible(*context_, a.context(), "a");
  require_slots(a.encoding(), "a", "rotate_rows");
  return apply_galois(a, rotation_element(context_->n(), step), keys);
}

Ciphertext Evaluator::swap_columns(const Ciphertext& a, const RotationKeys& keys) const {
  require_compatible(*context_, a.context(), "a");
  require_slots(a.encoding(), "a", "swap_columns");
  return apply_galois(a, column_swap_element(context_->n()), keys);
}

Ciphertext Evaluator::inner_sum(const Ciphertext& a, std::size_t span, const RotationKeys& keys) const {
  const auto steps = inner_sum_steps(context_->n(), span);
  require_galois_operand(*context_, a, keys);
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
  for (std::int64_t step : steps) {
    poll_interrupt();
    add_in_place(result, rotate_rows(result, step, keys));
  }
  if (swap) add_in_place(result, swap_columns(result, keys));
  return result;
}

}  // namespace nttforge::bfv
