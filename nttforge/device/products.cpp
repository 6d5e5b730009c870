// SPDX-License-Identifier: Apache-2.0
// Products by way of a larger base as compositions: their definition, and what CPUs run.
//
//   a, b modulo Q  --extend-->  modulo B             (once per operand)
//        |                          |
//     forward                    forward
//        +--- tensor ---+           +--- tensor ---+   sums of products add up here
//     inverse                    inverse
//        +------------ scale -------+                  modulo Q, three parts
//
// Over Q (ProductTables::change) the second factor goes to B first, and both may lose primes of Q on the way:
//
//   a  --drop--> modulo Q' --extend--> modulo B
//   b  --change--> modulo B --back--> modulo Q'
#include <algorithm>

#include "nttforge/base/interrupt.hpp"
#include "nttforge/device/queue.hpp"

namespace nttforge {
namespace {

/// Words that the products of several elements of a batch take together, if one does not take more.
constexpr std::size_t kWorkWords = std::size_t{1} << 21;

bool same(const BatchRows& a, const BatchRows& b) { return a.words == b.words && a.stride == b.stride; }

/// Products of some elements of batches at a time, as many as the workspace holds: extended operands and the
/// three-part sum modulo Q and modulo B.
class Products {
 public:
  Products(const Queue& queue, const ProductTables& tables, std::size_t batch)
      : queue_(queue),
        tables_(tables),
        q_(tables.factor_limbs() * tables.ring->n()),
        kept_(tables.ring->words()),
        batch_(batch),
        group_(group_of(tables, batch)),
        extended_a_(queue.allocate(*tables.auxiliary, 2 * group_)),
        extended_b_(queue.allocate(*tables.auxiliary, 2 * group_)),
        sum_q_(queue.allocate(*tables.ring, 3 * group_)),
        sum_more_(queue.allocate(*tables.auxiliary, 3 * group_)) {
    if (tables.change == nullptr) return;
    back_b_ = queue.allocate(*tables.ring, 2 * group_);
    if (tables.drop == nullptr) return;
    dropped_a_ = queue.allocate(*tables.ring, 2 * group_);
    scaled_ = queue.allocate(*tables.ring, 3 * group_);
  }

  /// Elements of one turn; the last may have fewer.
  std::size_t group() const { return group_; }

  /// Begins a turn with elements `first` ... of every operand.
  void begin(std::size_t first) {
    first_ = first;
    count_ = std::min(group_, batch_ - first);
  }

  /// Adds a b to the sum, or begins it; the last one returns it to coefficient form. a may be b.
  void add(const BatchRows& a, const BatchRows& b, bool first, bool last) {
    const bool square = same(a, b);
    const ConstWordPtr x = elements(a, gathered_a_);
    const ConstWordPtr y = square ? x : elements(b, gathered_b_);
    if (tables_.change != nullptr) return add_over(x, y, first, last);
    queue_.apply(*tables_.extend, x, nullptr, extended_a_.data(), 2 * count_);
    if (!square) queue_.apply(*tables_.extend, y, nullptr, extended_b_.data(), 2 * count_);
    queue_.tensor_product(*tables_.ring, x, y, sum_q_.data(), !first, last, count_);
    queue_.tensor_product(*tables_.auxiliary, extended_a_.data(),
                          square ? extended_a_.data() : extended_b_.data(), sum_more_.data(), !first, last,
                          count_);
  }

  void finish(WordPtr out) {
    out += first_ * 3 * q_;
    if (tables_.change == nullptr) {
      queue_.apply(*tables_.scale, sum_q_.data(), sum_more_.data(), out, 3 * count_);
      return;
    }
    const WordPtr scaled = tables_.drop == nullptr ? out : scaled_.data();
    queue_.apply(*tables_.scale, sum_more_.data(), sum_q_.data(), scaled, 3 * count_);
    if (tables_.drop == nullptr) return;
    for (std::size_t i = 0; i < 3 * count_; ++i, out += q_) {
      queue_.copy(scaled_.data() + i * kept_, out, kept_);
      queue_.fill_zero(out + kept_, q_ - kept_);
    }
  }

 private:
  static std::size_t group_of(const ProductTables& tables, std::size_t batch) {
    std::size_t words = 3 * tables.ring->words() + 7 * tables.auxiliary->words();
    if (tables.change != nullptr) words += (tables.drop == nullptr ? 2 : 7) * tables.ring->words();
    return std::clamp<std::size_t>(kWorkWords / words, 1, batch);
  }

  void add_over(ConstWordPtr x, ConstWordPtr y, bool first, bool last) {
    if (tables_.drop != nullptr) {
      queue_.apply(*tables_.drop, {x + kept_, q_}, {x, q_}, dropped_a_.data(), 2 * count_, nullptr);
      x = dropped_a_.data();
    }
    queue_.apply(*tables_.extend, x, nullptr, extended_a_.data(), 2 * count_);
    queue_.apply(*tables_.change, y, nullptr, extended_b_.data(), 2 * count_);
    queue_.apply(*tables_.back, extended_b_.data(), nullptr, back_b_.data(), 2 * count_);
    queue_.tensor_product(*tables_.ring, x, back_b_.data(), sum_q_.data(), !first, last, count_);
    queue_.tensor_product(*tables_.auxiliary, extended_a_.data(), extended_b_.data(), sum_more_.data(),
                          !first, last, count_);
  }

  /// The elements of this turn, one after the other.
  ConstWordPtr elements(const BatchRows& x, DeviceArray& gathered) const {
    if (x.stride == 2 * q_ || batch_ == 1) return x.words + first_ * x.stride;
    if (gathered.size() == 0) gathered = queue_.allocate(2 * group_ * q_, tables_.ring->spec().word_bits);
    for (std::size_t e = 0; e < count_; ++e)
      queue_.copy(x.words + (first_ + e) * x.stride, gathered.data() + e * 2 * q_, 2 * q_);
    return gathered.data();
  }

  const Queue& queue_;
  const ProductTables& tables_;
  const std::size_t q_, kept_, batch_, group_;
  std::size_t first_ = 0, count_ = 0;
  DeviceArray extended_a_, extended_b_, sum_q_, sum_more_, gathered_a_, gathered_b_;
  DeviceArray back_b_, dropped_a_, scaled_;  // over Q
};

}  // namespace

void Queue::sum_of_products(const ProductTables& tables, std::span<const BatchRows> a,
                            std::span<const BatchRows> b, WordPtr out, std::size_t batch) const {
  Products products(*this, tables, batch);
  for (std::size_t first = 0; first < batch; first += products.group()) {
    products.begin(first);
    for (std::size_t i = 0; i < a.size(); ++i) {
      poll_interrupt();
      products.add(a[i], b[i], i == 0, i + 1 == a.size());
    }
    products.finish(out);
  }
}

}  // namespace nttforge
