// SPDX-License-Identifier: Apache-2.0
// Products of ciphertexts by BEHZ [Bad18b, section 5.3]:
//
//   a, b modulo Q  --extend-->  modulo B_sk          (once per operand)
//        |                          |
//     forward                    forward
//        +--- tensor ---+           +--- tensor ---+   sums of products add up here
//     inverse                    inverse
//        +------------ floor -------+                  round(t x / Q) modulo Q, three parts

#include "nttforge/bfv/evaluator.hpp"

#include <algorithm>

#include "nttforge/base/interrupt.hpp"

namespace nttforge::bfv {
namespace {

/// Workspace of products: one extended operand or two, and the three-part sum modulo Q and modulo B_sk.
class Product {
 public:
  explicit Product(const Context& context)
      : context_(context),
        extended_a_(context.queue().allocate(context.ring_bsk(), 2)),
        extended_b_(context.queue().allocate(context.ring_bsk(), 2)),
        sum_q_(context.queue().allocate(context.ring_q(), 3)),
        sum_bsk_(context.queue().allocate(context.ring_bsk(), 3)) {}

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

}  // namespace

Evaluator::Evaluator(ContextPtr context) : IntegerEvaluator(context), context_(std::move(context)) {}

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

Ciphertext Evaluator::dot_product(std::span<const Ciphertext* const> a,
                                  std::span<const Ciphertext* const> b) const {
  require_terms(a, b);
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
    part.set_noise(context_->noise_model().multiply(largest_noise(a.subspan(first, count)),
                                                    largest_noise(b.subspan(first, count)), count));
    if (total.empty())
      total = std::move(part);
    else
      add_in_place(total, part);
  }
  return total;
}

}  // namespace nttforge::bfv
