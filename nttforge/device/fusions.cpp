// SPDX-License-Identifier: Apache-2.0
// The larger operations as compositions of the others: their definition, and what a device runs that does not
// override them.

#include "nttforge/device/fusions.hpp"

#include <algorithm>

#include "nttforge/base/interrupt.hpp"

namespace nttforge {

void Fusions::multiply_transformed(const RingTables& ring, ConstWordPtr a, ConstWordPtr b,
                                   ConstWordPtr addend, WordPtr out, std::size_t batch) const {
  copy(a, out, batch * ring.words());
  forward(ring, out, batch);
  multiply_broadcast(ring, out, b, out, batch);
  inverse(ring, out, batch);
  if (addend != nullptr) add(ring, out, addend, out, batch);
}

void Fusions::tensor_product(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                             bool accumulate, bool finish, std::size_t batch) const {
  const std::size_t words = batch * 2 * ring.words();
  DeviceArray x = allocate(ring, 2 * batch), y = allocate(ring, 2 * batch);
  copy(a, x.data(), words);
  copy(b, y.data(), words);
  forward(ring, x.data(), 2 * batch);
  forward(ring, y.data(), 2 * batch);
  tensor(ring, x.data(), y.data(), out, accumulate, batch);
  if (finish) inverse(ring, out, 3 * batch);
}

void Fusions::encrypt(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
                      ConstWordPtr key, const SmallPolynomial& u, std::span<const SmallPolynomial, 2> errors,
                      ConstWordPtr message, Form form, WordPtr out) const {
  const std::size_t words = ring_key.words();
  DeviceArray mask = allocate_secret(ring_key, 1), error = allocate_secret(ring_key, 1),
              sum = allocate_secret(ring_key, 2);
  sample_small(ring_key, u, mask.data());
  forward(ring_key, mask.data(), 1);
  multiply_broadcast(ring_key, key, mask.data(), sum.data(), 2);
  inverse(ring_key, sum.data(), 2);
  for (std::size_t part = 0; part < 2; ++part) {
    WordPtr x = sum.data() + part * words;
    sample_small(ring_key, errors[part], error.data());
    add(ring_key, x, error.data(), x, 1);
  }
  if (division != nullptr)
    apply_joined(*division, sum.data(), out, 2);
  else
    copy(sum.data(), out, 2 * words);
  if (message != nullptr) add(ring_q, out, message, out, 1);
  if (form == Form::values) forward(ring_q, out, 2);
}

ConstWordPtr Fusions::message_of(const RingTables& ring, const MessageRows& message, std::size_t b,
                                 DeviceArray& place) const {
  if (message.words == nullptr) return nullptr;
  if (message.step == nullptr) return message.words + b * ring.words();
  if (place.size() == 0) place = allocate_secret(ring, 1);
  apply(*message.step, message.words + b * ring.n(), nullptr, place.data(), 1);
  return place.data();
}

void Fusions::encrypt_batch(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
                            ConstWordPtr key, const SmallPolynomial& u,
                            std::span<const SmallPolynomial, 2> errors, const MessageRows& message, Form form,
                            WordPtr out, std::size_t batch) const {
  SmallPolynomial mask = u, error[] = {errors[0], errors[1]};
  DeviceArray place;
  for (std::size_t b = 0; b < batch; ++b, out += 2 * ring_q.words()) {
    poll_interrupt();
    encrypt(ring_key, ring_q, division, key, mask, error, message_of(ring_q, message, b, place), form, out);
    ++mask.name.index, ++error[0].name.index, ++error[1].name.index;
  }
}

void Fusions::masked_pair(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                          const SmallPolynomial& error, const LimbRows& message, WordPtr out) const {
  const std::size_t words = ring.words(), n = ring.n();
  WordPtr a = out + words;
  sample_uniform(ring, uniform, a);
  DeviceArray noise = allocate_secret(ring, 1);
  sample_small(ring, error, noise.data());
  forward(ring, noise.data(), 1);
  multiply_accumulate(ring, a, secret, noise.data(), 1);
  negate(ring, noise.data(), out, 1);
  if (message.words == nullptr) return;
  fill_zero(noise.data(), words);
  copy(message.words, noise.data() + message.first * n, message.count * n);
  add(ring, out, noise.data(), out, 1);
}

void Fusions::key_switch_pairs(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                               const SmallPolynomial& error, ConstWordPtr from,
                               std::span<const std::uint64_t> scalars, std::span<const std::size_t> ends,
                               WordPtr out) const {
  DeviceArray scaled = allocate_secret(ring, 1);
  multiply_scalar(ring, from, scalars, scaled.data(), 1);
  StreamName name = uniform;
  SmallPolynomial noise = error;
  std::size_t first = 0;
  for (const std::size_t end : ends) {
    poll_interrupt();
    masked_pair(ring, secret, name, noise, {scaled.data() + first * ring.n(), first, end - first}, out);
    first = end;
    ++name.index, ++noise.name.index, out += 2 * ring.words();
  }
}

void Fusions::encrypt_by_secret(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                                const SmallPolynomial& error, const MessageRows& message, Form form,
                                WordPtr out, std::size_t batch) const {
  const std::size_t words = ring.words();
  DeviceArray product = allocate_secret(ring, 1), noise = allocate_secret(ring, 1), place;
  StreamName name = uniform;
  SmallPolynomial sample = error;
  for (std::size_t b = 0; b < batch; ++b, ++name.index, ++sample.name.index, out += 2 * words) {
    poll_interrupt();
    const WordPtr a = out + words;
    sample_uniform(ring, name, a);
    sample_small(ring, sample, noise.data());
    const ConstWordPtr added = message_of(ring, message, b, place);
    if (added != nullptr) add(ring, noise.data(), added, noise.data(), 1);
    if (form == Form::values) {
      forward(ring, a, 1);
      forward(ring, noise.data(), 1);
      multiply(ring, a, secret, product.data(), 1);
    } else {
      multiply_transformed(ring, a, secret, nullptr, product.data(), 1);
    }
    sub(ring, noise.data(), product.data(), out, 1);
  }
}

void Fusions::phase(const RingTables& ring, ConstWordPtr ciphertexts, std::size_t parts, Form form,
                    ConstWordPtr secret, ConstWordPtr square, WordPtr out, std::size_t batch) const {
  const std::size_t words = ring.words();
  if (form == Form::values) {
    for (std::size_t b = 0; b < batch; ++b, ciphertexts += parts * words) {
      const WordPtr x = out + b * words;
      copy(ciphertexts, x, words);
      multiply_accumulate(ring, ciphertexts + words, secret, x, 1);
      if (parts == 3) multiply_accumulate(ring, ciphertexts + 2 * words, square, x, 1);
    }
    return inverse(ring, out, batch);
  }
  DeviceArray products = parts == 3 ? allocate_secret(ring, 2) : DeviceArray();
  for (std::size_t b = 0; b < batch; ++b, ciphertexts += parts * words, out += words) {
    if (parts == 2) {
      multiply_transformed(ring, ciphertexts + words, secret, ciphertexts, out, 1);
      continue;
    }
    copy(ciphertexts + words, products.data(), 2 * words);
    forward(ring, products.data(), 2);
    multiply(ring, products.data(), secret, out, 1);
    multiply_accumulate(ring, products.data() + words, square, out, 1);
    inverse(ring, out, 1);
    add(ring, out, ciphertexts, out, 1);
  }
}

void Fusions::decrypt(const RingTables& ring, const StepTables& recover, ConstWordPtr ciphertexts,
                      std::size_t parts, Form form, ConstWordPtr secret, ConstWordPtr square, WordPtr out,
                      std::size_t batch, WordPtr exceeded) const {
  DeviceArray x = allocate_secret(ring, batch);
  phase(ring, ciphertexts, parts, form, secret, square, x.data(), batch);
  apply(recover, x.data(), nullptr, out, batch, exceeded);
}

bool Fusions::decrypt_checked(const RingTables& ring, const StepTables& recover, ConstWordPtr ciphertexts,
                              std::size_t parts, Form form, ConstWordPtr secret, ConstWordPtr square,
                              WordPtr out, std::size_t batch) const {
  DeviceArray exceeded = allocate(1);
  decrypt(ring, recover, ciphertexts, parts, form, secret, square, out, batch, exceeded.data());
  std::uint64_t word = 0;
  download(exceeded.data(), {&word, 1});
  return word != 0;
}

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
namespace {

/// Words that the products of several elements of a batch take together, if one does not take more.
constexpr std::size_t kWorkWords = std::size_t{1} << 21;

bool same(const BatchRows& a, const BatchRows& b) { return a.words == b.words && a.stride == b.stride; }

/// Products of some elements of batches at a time, as many as the workspace holds: extended operands and the
/// three-part sum modulo Q and modulo B.
class Products {
 public:
  Products(const Fusions& queue, const ProductTables& tables, std::size_t batch)
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

  const Fusions& queue_;
  const ProductTables& tables_;
  const std::size_t q_, kept_, batch_, group_;
  std::size_t first_ = 0, count_ = 0;
  DeviceArray extended_a_, extended_b_, sum_q_, sum_more_, gathered_a_, gathered_b_;
  DeviceArray back_b_, dropped_a_, scaled_;  // over Q
};

}  // namespace

void Fusions::sum_of_products(const ProductTables& tables, std::span<const BatchRows> a,
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
