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

/// Words that the products of several elements of a batch take together, if one does not take more.
constexpr std::size_t kWorkWords = std::size_t{1} << 21;

/// Products of elements `first` ... of batches, as many at a time as the workspace holds: extended operands
/// and the three-part sum modulo Q and modulo B_sk.
class Product {
 public:
  Product(const Context& context, std::size_t batch)
      : context_(context),
        queue_(context.queue()),
        q_(context.ring_q().words()),
        bsk_(context.ring_bsk().words()),
        batch_(batch),
        group_(std::clamp<std::size_t>(kWorkWords / (3 * q_ + 7 * bsk_), 1, batch)),
        extended_a_(queue_.allocate(context.ring_bsk(), 2 * group_)),
        extended_b_(queue_.allocate(context.ring_bsk(), 2 * group_)),
        sum_q_(queue_.allocate(context.ring_q(), 3 * group_)),
        sum_bsk_(queue_.allocate(context.ring_bsk(), 3 * group_)) {}

  /// Elements of one turn; the last may have fewer.
  std::size_t group() const { return group_; }

  /// Begins a turn with elements `first` ... of every operand.
  void begin(std::size_t first) {
    first_ = first;
    count_ = std::min(group_, batch_ - first);
  }

  /// Adds a b to the sum, or begins it; the last one returns it to coefficient form. a may be b.
  void add(const Ciphertext& a, const Ciphertext& b, bool first, bool last) {
    const bool square = &a == &b || a.data() == b.data();
    const ConstWordPtr x = elements(a, repeated_a_);
    const ConstWordPtr y = square ? x : elements(b, repeated_b_);
    queue_.apply(context_.extend(), x, nullptr, extended_a_.data(), 2 * count_);
    if (!square) queue_.apply(context_.extend(), y, nullptr, extended_b_.data(), 2 * count_);
    queue_.tensor_product(context_.ring_q(), x, y, sum_q_.data(), !first, last, count_);
    queue_.tensor_product(context_.ring_bsk(), extended_a_.data(),
                          square ? extended_a_.data() : extended_b_.data(), sum_bsk_.data(), !first, last,
                          count_);
  }

  /// round(t sum / Q) modulo Q, into the elements of this turn.
  void finish(Ciphertext& out) {
    queue_.apply(context_.floor(), sum_q_.data(), sum_bsk_.data(), out.part(0, first_), 3 * count_);
  }

 private:
  /// The elements of this turn; of an operand that serves all of them, as many copies.
  ConstWordPtr elements(const Ciphertext& x, DeviceArray& repeated) const {
    if (x.batch() == batch_) return x.part(0, first_);
    if (repeated.size() == 0) repeated = queue_.allocate(context_.ring_q(), 2 * group_);
    for (std::size_t e = 0; e < count_; ++e) queue_.copy(x.data(), repeated.data() + e * 2 * q_, 2 * q_);
    return repeated.data();
  }

  const Context& context_;
  const Queue& queue_;
  const std::size_t q_, bsk_, batch_, group_;
  std::size_t first_ = 0, count_ = 0;
  DeviceArray extended_a_, extended_b_, sum_q_, sum_bsk_, repeated_a_, repeated_b_;
};

}  // namespace

Evaluator::Evaluator(ContextPtr context) : IntegerEvaluator(context), context_(std::move(context)) {}

Ciphertext Evaluator::multiply(const Ciphertext& a, const Ciphertext& b) const {
  require_compatible(*context_, a.context(), "a");
  require_compatible(*context_, b.context(), "b");
  require_same_encoding(a.encoding(), "a", b.encoding(), "b");
  require_two_parts(a, "a");
  require_two_parts(b, "b");
  const std::size_t batch = common_batch(a.batch(), "a", b.batch(), "b");
  const Ciphertext *x = &a, *y = &b;
  return sum_of_products({&x, 1}, {&y, 1}, batch);
}

Ciphertext Evaluator::dot_product(std::span<const Ciphertext* const> a,
                                  std::span<const Ciphertext* const> b) const {
  const std::size_t batch = require_terms(a, b);
  const std::size_t group = context_->behz().max_terms();
  Ciphertext total;
  for (std::size_t first = 0; first < a.size(); first += group) {
    const std::size_t count = std::min(group, a.size() - first);
    Ciphertext part = sum_of_products(a.subspan(first, count), b.subspan(first, count), batch);
    if (total.empty())
      total = std::move(part);
    else
      add_in_place(total, part);
  }
  return total;
}

Ciphertext Evaluator::sum_of_products(std::span<const Ciphertext* const> a,
                                      std::span<const Ciphertext* const> b, std::size_t batch) const {
  Product product(*context_, batch);
  Ciphertext result(context_, 3, a[0]->encoding(), context_->limbs(), batch);
  for (std::size_t first = 0; first < batch; first += product.group()) {
    product.begin(first);
    for (std::size_t i = 0; i < a.size(); ++i) {
      poll_interrupt();
      product.add(*a[i], *b[i], i == 0, i + 1 == a.size());
    }
    product.finish(result);
  }
  result.set_noise(context_->noise_model().multiply(largest_noise(a), largest_noise(b), a.size()));
  return result;
}

}  // namespace nttforge::bfv
