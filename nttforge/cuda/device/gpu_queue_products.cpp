// SPDX-License-Identifier: Apache-2.0
// Products and key switching in few launches: limbs of both bases are transformed together, and sums of
// products are computed where their inverse transform loads.
//
//   product   extend and join | forward | tensor, inverse | scale down
//   switch    digits | forward | inner product, inverse | divide and add
#include <algorithm>

#include "nttforge/base/interrupt.hpp"
#include "nttforge/cuda/device/gpu_launch.hpp"
#include "nttforge/cuda/device/gpu_sums.hpp"
#include "nttforge/cuda/device/one_piece.hpp"

namespace nttforge::cuda {
namespace {

/// What the temporaries of some elements of a batch take together, if one does not take more: they stay in
/// the card's cache.
constexpr std::size_t kWorkBytes = std::size_t{64} << 20;

/// Elements at a time, each with so many polynomials of temporaries.
std::size_t group_of(const RingTables& ring, std::size_t polynomials, std::size_t batch) {
  const std::size_t bytes = polynomials * ring.words() * (ring.spec().word_bits / 8);
  return std::clamp<std::size_t>(kWorkBytes / bytes, 1, batch);
}

BatchRows from(const BatchRows& rows, std::size_t first) {
  return {rows.words + first * rows.stride, rows.stride};
}

/// Whether the first elements of all terms lie one after the other.
bool follow_each_other(std::span<const BatchRows> terms, const ProductTables& tables) {
  for (std::size_t i = 1; i < terms.size(); ++i)
    if (!(terms[i].words == terms[i - 1].words + 2 * tables.ring->words())) return false;
  return true;
}

bool same(const BatchRows& a, const BatchRows& b) { return a.words == b.words && a.stride == b.stride; }

}  // namespace

bool GpuQueue::inverse_of_tensor(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                                 std::size_t batch) const {
  if (!sums_pay(ring, kTensorMostN)) return false;
  const GpuRing& tables = own<GpuRing>(ring);
  return with_word(out.word_bits(), [&]<class Word>(Word) {
    const Word *const x = a.as<Word>(), *const y = b.as<Word>();
    if (!are_packed<Pack<Word>>(ring.n(), {x, y})) return false;
    const std::span<Word> words(out.as<Word>(), batch * 3 * ring.words());
    return tables.plan().inverse_of_sums(sums_of(tables, x, y), words, stream());
  });
}

bool GpuQueue::inverse_of_inner_product(const SwitchTables& level, ConstWordPtr digits, const KeyRows& key,
                                        WordPtr out, std::size_t batch) const {
  // Windows that lack the first primes are of chains for larger n: the fused sums take keys from their first
  // row on.
  if (key.first != 0 || !sums_pay(*level.key_ring, kKeyMostN)) return false;
  const GpuRing& tables = own<GpuRing>(*level.key_ring);
  return with_word(out.word_bits(), [&]<class Word>(Word) {
    const Word *const x = digits.as<Word>(), *const y = key.words.as<Word>();
    if (!are_packed<Pack<Word>>(tables.n(), {x, y})) return false;
    ProductSums<Word> sums = sums_of(tables, x, y);
    sums.kind = ProductSums<Word>::Kind::key;
    sums.terms = static_cast<std::uint32_t>(level.digits.size());
    sums.key_limbs = static_cast<std::uint32_t>(key.limbs);
    sums.special = static_cast<std::uint32_t>(key.special);
    const std::span<Word> words(out.as<Word>(), batch * 2 * tables.words());
    return tables.plan().inverse_of_sums(sums, words, stream());
  });
}

void GpuQueue::tensor_product(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                              bool accumulate, bool finish, std::size_t batch) const {
  const bool square = a == b;
  const std::size_t words = batch * 2 * ring.words();
  const DeviceArray factors = allocate(ring, (square ? 2 : 4) * batch);
  const WordPtr x = WordPtr::at(const_cast<void*>(factors.data().address()), out.word_bits());
  const WordPtr y = square ? x : x + words;
  copy(a, x, words);
  if (!square) copy(b, y, words);
  forward(ring, x, (square ? 2 : 4) * batch);
  if (!accumulate && finish && inverse_of_tensor(ring, x, y, out, batch)) return;
  tensor(ring, x, y, out, accumulate, batch);
  if (finish) inverse(ring, out, 3 * batch);
}

void GpuQueue::sum_of_products(const ProductTables& tables, std::span<const BatchRows> a,
                               std::span<const BatchRows> b, WordPtr out, std::size_t batch) const {
  if (tables.joint == nullptr || tables.change != nullptr)
    return Queue::sum_of_products(tables, a, b, out, batch);
  if (batch == 1 && a.size() > 1 && follow_each_other(a, tables) && follow_each_other(b, tables))
    return sum_of_rows(tables, a[0].words, b[0].words, a.size(), out);
  const RingTables& joint = *tables.joint;
  const std::size_t q = tables.ring->words(), words = joint.words(), group = group_of(joint, 7, batch);
  // One product is written where its factors were: what is read and written stays within the card's cache.
  const bool in_place = a.size() == 1 && group == 1 && !sums_pay(joint, kTensorMostN);
  DeviceArray factors = allocate(joint, 4 * group), own_sum;
  if (!in_place) own_sum = allocate(joint, 3 * group);
  const WordPtr sum = in_place ? factors.data() : own_sum.data();
  OnePiece piece(ordinal_);
  for (std::size_t first = 0; first < batch; first += group) {
    const std::size_t count = std::min(group, batch - first);
    for (std::size_t i = 0; i < a.size(); ++i) {
      poll_interrupt();
      const bool square = same(a[i], b[i]), last = i + 1 == a.size();
      const BatchRows right = from(b[i], first);
      const WordPtr x = factors.data(), y = square ? x : x + count * 2 * words;
      join(tables, from(a[i], first), square ? nullptr : &right, x, count);
      forward(joint, x, (square ? 2 : 4) * count);
      if (a.size() == 1 && inverse_of_tensor(joint, x, y, sum, count)) break;
      tensor(joint, x, y, sum, i != 0, count);
      if (last) inverse(joint, sum, 3 * count);
    }
    convert(*tables.scale,
            {.sources = {sum, words},
             .own = {sum + q, words},
             .out = {out + first * 3 * q, q},
             .between = {sum + q, words},
             .secret = false},
            3 * count);
  }
  piece.start();
}

void GpuQueue::sum_of_rows(const ProductTables& tables, ConstWordPtr a, ConstWordPtr b, std::size_t terms,
                           WordPtr out) const {
  const RingTables& joint = *tables.joint;
  const std::size_t q = tables.ring->words(), words = joint.words(), group = group_of(joint, 4, terms);
  const DeviceArray factors = allocate(joint, 4 * group);
  DeviceArray sum = allocate(joint, 3);
  const WordPtr x = WordPtr::at(const_cast<void*>(factors.data().address()), out.word_bits());
  OnePiece piece(ordinal_);
  for (std::size_t first = 0; first < terms; first += group) {
    poll_interrupt();
    const std::size_t count = std::min(group, terms - first);
    const BatchRows left{a + first * 2 * q, 2 * q}, right{b + first * 2 * q, 2 * q};
    join(tables, left, &right, x, count);
    forward(joint, x, 4 * count);
    // a_0 (b_0, b_1) to the first two parts, a_1 (b_0, b_1) to the last two.
    std::vector<FactorTerm> products[2];
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t part = 0; part < 2; ++part)
        products[part].push_back(
            {.factor = x + (2 * i + part) * words, .x = x + 2 * (count + i) * words, .parts = 2});
    if (first == 0) fill_zero(sum.data() + 2 * words, words);
    sum_of_terms(joint, products[0], 2, sum.data(), 1, first != 0);
    sum_of_terms(joint, products[1], 2, sum.data() + words, 1, true);
  }
  inverse(joint, sum.data(), 3);
  convert(*tables.scale,
          {.sources = {sum.data(), words},
           .own = {sum.data() + q, words},
           .out = {out, q},
           .between = {sum.data() + q, words},
           .secret = false},
          3);
  piece.start();
}

/// [batch][2][k][n] modulo Q -> [batch][2][k + l][n] modulo both bases; those of `other` follow.
void GpuQueue::join(const ProductTables& tables, const BatchRows& x, const BatchRows* other, WordPtr out,
                    std::size_t batch) const {
  const std::size_t q = tables.ring->words(), words = tables.joint->words();
  const auto extend = [&](ConstWordPtr from, ConstWordPtr second, WordPtr to, std::size_t polynomials) {
    convert(*tables.extend,
            {.sources = {from, q},
             .second = second,
             .split = polynomials,
             .out = {to + q, words},
             .copies = {to, words}},
            (second == nullptr ? 1 : 2) * polynomials);
  };
  const auto contiguous = [&](const BatchRows& rows) { return batch == 1 || rows.stride == 2 * q; };
  if (contiguous(x) && (other == nullptr || contiguous(*other)))
    return extend(x.words, other == nullptr ? ConstWordPtr() : other->words, out, 2 * batch);
  for (const BatchRows* const rows : {&x, other})
    for (std::size_t e = 0; rows != nullptr && e < batch; ++e, out += 2 * words)
      extend(rows->words + e * rows->stride, nullptr, out, 2);
}

void GpuQueue::switch_key(const SwitchTables& level, BatchRows c, const KeyRows& key, BatchRows addend,
                          std::size_t addend_parts, Form form, WordPtr out, std::size_t batch) const {
  if (level.division == nullptr)
    return Queue::switch_key(level, c, key, addend, addend_parts, form, out, batch);
  const RingTables& ring = *level.key_ring;
  const std::size_t count = level.digits.size(), group = group_of(ring, count + 2, batch);
  if (form == Form::values) {
    DeviceArray sum = allocate(ring, group * 2);
    OnePiece piece(ordinal_);
    for (std::size_t first = 0; first < batch; first += group) {
      const std::size_t here = std::min(group, batch - first);
      key_switch(level, from(c, first), form, key, sum.data(), here);
      mod_down(level, sum.data(), from(addend, first), addend_parts, form,
               out + first * 2 * level.ring->words(), here);
    }
    return piece.start();
  }
  const bool in_place = group == 1 && !sums_pay(ring, kKeyMostN);  // as a product is
  DeviceArray digits = allocate(ring, in_place ? std::max<std::size_t>(count, 2) : group * count), own_sum;
  if (!in_place) own_sum = allocate(ring, group * 2);
  const WordPtr sum = in_place ? digits.data() : own_sum.data();
  OnePiece piece(ordinal_);
  for (std::size_t first = 0; first < batch; first += group) {
    const std::size_t here = std::min(group, batch - first);
    decompose(level, from(c, first), form, digits.data(), here);
    if (!inverse_of_inner_product(level, digits.data(), key, sum, here)) {
      inner_product(level, digits.data(), key, sum, here, false);
      inverse(ring, sum, 2 * here);
    }
    divide(level, sum, from(addend, first), addend_parts, out + first * 2 * level.ring->words(), here);
  }
  piece.start();
}

}  // namespace nttforge::cuda
