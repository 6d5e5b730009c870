// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bgv/evaluator.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/bgv/correction.hpp"
#include "nttforge/rlwe/evaluation/operands.hpp"

namespace nttforge::bgv {

Evaluator::Evaluator(ContextPtr context) : IntegerEvaluator(context), context_(std::move(context)) {}

void Evaluator::scale(Ciphertext& a, std::int64_t f) const {
  if (f == 1) return;
  const auto residue = [f](std::uint64_t q) {
    const Modulus m(q);
    const std::uint64_t value = m.reduce(static_cast<std::uint64_t>(std::abs(f)));
    return f < 0 ? m.negate(value) : value;
  };
  std::vector<std::uint64_t> scalars;
  for (const std::uint64_t q : context_->ring_q(a.level()).spec().moduli) scalars.push_back(residue(q));
  context_->queue().multiply_scalar(context_->ring_q(a.level()), a.data(), scalars, a.data(),
                                    a.polynomials());
  Meta meta = a.meta().computed(context_->noise_model().scale(a.noise(), static_cast<double>(f)));
  meta.factor = Modulus(context_->t()).mul(a.factor(), residue(context_->t()));
  a.set_meta(meta);
}

void Evaluator::align(Ciphertext& a, Ciphertext& b) const {
  IntegerEvaluator::align(a, b);
  if (a.factor() == b.factor()) return;
  const auto [f, g] = balance(a.factor(), b.factor(), context_->t());
  scale(a, f);
  scale(b, g);
}

Ciphertext Evaluator::tensor(std::span<const Ciphertext* const> a, std::span<const Ciphertext* const> b,
                             std::uint64_t factor) const {
  const Ciphertext& first = *a.front();
  Meta meta =
      first.meta().computed(context_->noise_model().multiply(largest_noise(a), largest_noise(b), a.size()));
  meta.factor = factor;
  Ciphertext result(context_, 3, meta, first.batch());
  for (std::size_t i = 0; i < a.size(); ++i) {
    poll_interrupt();
    context_->queue().tensor(context_->ring_q(first.level()), a[i]->data(), b[i]->data(), result.data(),
                             i != 0, result.batch());
  }
  return result;
}

Ciphertext Evaluator::sum_of_products(std::span<const Ciphertext* const> a,
                                      std::span<const Ciphertext* const> b, std::size_t batch) const {
  const NoiseModel& model = context_->noise_model();
  const auto lowest = [](std::span<const Ciphertext* const> terms) {
    std::size_t level = terms[0]->level();
    for (const Ciphertext* term : terms) level = std::min(level, term->level());
    return level;
  };
  // The largest bounds of each side where all terms are at one level.
  const std::size_t common = std::min(lowest(a), lowest(b));
  const auto largest = [&](std::span<const Ciphertext* const> terms) {
    Noise noise = model.to_level(terms[0]->noise(), terms[0]->level(), common);
    for (const Ciphertext* term : terms)
      noise = rlwe::largest(noise, model.to_level(term->noise(), term->level(), common));
    return noise;
  };
  const std::size_t level = model.product_level(largest(a), common, largest(b), common).level;
  std::vector<Ciphertext> storage(2 * a.size());
  std::vector<const Ciphertext*> x, y;
  std::vector<std::uint64_t> factors;
  const Modulus plain(context_->t());
  for (std::size_t i = 0; i < a.size(); ++i) {
    x.push_back(&operand(*a[i], level, Form::values, batch, storage[2 * i]));
    y.push_back(a[i] == b[i] ? x.back() : &operand(*b[i], level, Form::values, batch, storage[2 * i + 1]));
    factors.push_back(plain.mul(x.back()->factor(), y.back()->factor()));
  }
  // Terms of one factor are added up at once, sums of others are balanced.
  Ciphertext total;
  for (std::size_t first = 0; first < x.size();) {
    std::size_t last = first + 1;
    while (last < x.size() && factors[last] == factors[first]) ++last;
    const std::size_t count = last - first;
    Ciphertext sum =
        tensor(std::span(x).subspan(first, count), std::span(y).subspan(first, count), factors[first]);
    if (total.empty())
      total = std::move(sum);
    else
      add_in_place(total, sum);
    first = last;
  }
  return total;
}

}  // namespace nttforge::bgv
