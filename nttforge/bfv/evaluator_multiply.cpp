// SPDX-License-Identifier: Apache-2.0
// Products of ciphertexts by BEHZ [Bad18b, section 5.3]:
//
//   a, b modulo Q  --extend-->  modulo B_sk          (once per operand)
//        |                          |
//     forward                    forward
//        +--- tensor ---+           +--- tensor ---+   sums of products add up here
//     inverse                    inverse
//        +------------ floor -------+                  round(t x / Q) modulo Q, three parts

#include <algorithm>
#include <string>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/bfv/evaluator.hpp"

namespace nttforge::bfv {
namespace {

void require_two_parts(const Ciphertext& a, std::string_view what) {
  if (a.size() != 2)
    throw ParameterError(std::string(what) + " has " + std::to_string(a.size()) +
                         " parts, this operation needs 2: relinearize it first");
}

/// Workspace of products: one extended operand or two, and the three-part sum modulo Q and modulo B_sk.
class Product {
 public:
  explicit Product(const Context& context)
      : context_(context),
        extended_a_(context.queue().allocate(2 * context.ring_bsk().words())),
        extended_b_(context.queue().allocate(2 * context.ring_bsk().words())),
        sum_q_(context.queue().allocate(3 * context.ring_q().words())),
        sum_bsk_(context.queue().allocate(3 * context.ring_bsk().words())) {}

  /// Adds a b to the sum, or begins it; the last one returns it to coefficient form. a may be b.
  void add(const Ciphertext& a, const Ciphertext& b, bool first, bool last) {
    const Queue& queue = context_.queue();
    const bool square = a.data() == b.data();
    queue.apply(context_.extend(), a.data(), nullptr, extended_a_.data(), 2);
    if (!square) queue.apply(context_.extend(), b.data(), nullptr, extended_b_.data(), 2);
    queue.tensor_product(context_.ring_q(), a.data(), b.data(), sum_q_.data(), !first, last, 1);
    queue.tensor_product(context_.ring_bsk(), extended_a_.data(),
                         square ? extended_a_.data() : extended_b_.data(), sum_bsk_.data(), !first, last, 1);
  }

  /// round(t sum / Q) modulo Q.
  void finish(WordPtr out) {
    context_.queue().apply(context_.floor(), sum_q_.data(), sum_bsk_.data(), out, 3);
  }

 private:
  const Context& context_;
  DeviceArray extended_a_, extended_b_, sum_q_, sum_bsk_;
};

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
void require_term(const Context& context, const Operand* term, const Ciphertext& first,
                  const std::string& name) {
  require_compatible(context, context_of(term), name);
  require_same_encoding(first.encoding(), "a[0]", term->encoding(), name);
}

Noise largest(std::span<const Ciphertext* const> terms) {
  Noise noise = terms[0]->noise();
  for (const Ciphertext* term : terms) {
    noise.coefficient = std::max(noise.coefficient, term->noise().coefficient);
    noise.canonical = std::max(noise.canonical, term->noise().canonical);
  }
  return noise;
}

}  // namespace

Ciphertext Evaluator::multiply(const Ciphertext& a, const Ciphertext& b) const {
  require_compatible(*context_, a.context(), "a");
  require_compatible(*context_, b.context(), "b");
  require_same_encoding(a.encoding(), "a", b.encoding(), "b");
  require_two_parts(a, "a");
  require_two_parts(b, "b");
  Product product(*context_);
  product.add(a, b, true, true);
  Ciphertext result(context_, 3, a.encoding());
  product.finish(result.data());
  result.set_noise(context_->noise_model().multiply(a.noise(), b.noise()));
  return result;
}

Ciphertext Evaluator::square(const Ciphertext& a) const { return multiply(a, a); }

Ciphertext Evaluator::multiply_relinearize(const Ciphertext& a, const Ciphertext& b,
                                           const RelinearizationKey& key) const {
  context_->mod_down();  // before the costly product: throws without special prime
  require_compatible(*context_, key.context(), "relinearization key");
  return relinearize(multiply(a, b), key);
}

Ciphertext Evaluator::square_relinearize(const Ciphertext& a, const RelinearizationKey& key) const {
  context_->mod_down();
  require_compatible(*context_, key.context(), "relinearization key");
  return relinearize(square(a), key);
}

Ciphertext Evaluator::dot_product(std::span<const Ciphertext* const> a,
                                  std::span<const Ciphertext* const> b) const {
  require_lengths(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::string index = "[" + std::to_string(i) + "]";
    require_term(*context_, a[i], *a[0], "a" + index);
    require_term(*context_, b[i], *a[0], "b" + index);
    require_two_parts(*a[i], "a" + index);
    require_two_parts(*b[i], "b" + index);
  }
  const std::size_t group = context_->behz().max_terms();
  Product product(*context_);
  Ciphertext total;
  for (std::size_t first = 0; first < a.size(); first += group) {
    const std::size_t count = std::min(group, a.size() - first);
    for (std::size_t i = first; i < first + count; ++i) {
      poll_interrupt();
      product.add(*a[i], *b[i], i == first, i + 1 == first + count);
    }
    Ciphertext part(context_, 3, a[0]->encoding());
    product.finish(part.data());
    part.set_noise(context_->noise_model().multiply(largest(a.subspan(first, count)),
                                                    largest(b.subspan(first, count)), count));
    if (total.empty())
      total = std::move(part);
    else
      add_in_place(total, part);
  }
  return total;
}

Ciphertext Evaluator::dot_product(std::span<const Ciphertext> a, std::span<const Ciphertext> b) const {
  return dot_product(pointers(a), pointers(b));
}

Ciphertext Evaluator::dot_product(std::span<const Ciphertext* const> a,
                                  std::span<const PreparedPlaintext* const> b) const {
  require_lengths(a.size(), b.size());
  std::size_t size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    require_term(*context_, a[i], *a[0], "a[" + std::to_string(i) + "]");
    require_term(*context_, b[i], *a[0], "b[" + std::to_string(i) + "]");
    size = std::max(size, a[i]->size());
  }
  const StackWipe wipe(StackDepth::shallow);
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_q();
  const NoiseModel& model = context_->noise_model();
  Ciphertext result(context_, size, a[0]->encoding());
  queue.fill_zero(result.data(), result.words());
  DeviceArray term = queue.allocate(result.words());
  for (std::size_t i = 0; i < a.size(); ++i) {
    poll_interrupt();
    queue.copy(a[i]->data(), term.data(), a[i]->words());
    queue.forward(ring, term.data(), a[i]->size());
    for (std::size_t part = 0; part < a[i]->size(); ++part)
      queue.multiply_accumulate(ring, term.data() + part * ring.words(), b[i]->data(), result.part(part), 1);
    const Noise noise = model.multiply_plain(a[i]->noise(), b[i]->norm());
    result.set_noise(i == 0 ? noise : model.add(result.noise(), noise));
  }
  queue.inverse(ring, result.data(), size);
  return result;
}

Ciphertext Evaluator::dot_product(std::span<const Ciphertext> a, std::span<const PreparedPlaintext> b) const {
  std::vector<const PreparedPlaintext*> plain;
  for (const PreparedPlaintext& value : b) plain.push_back(&value);
  return dot_product(pointers(a), std::span<const PreparedPlaintext* const>(plain));
}

}  // namespace nttforge::bfv
