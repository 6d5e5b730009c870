// SPDX-License-Identifier: Apache-2.0
// Key switching: digits, their products with keys, divisions. Digits of values have their own rows already:
//
//   values   inverse | digits but for own rows | first pass | last pass, times key | divide
//   images   of digits that are transformed: permuted where the product with the key loads them
#include <algorithm>

#include "nttforge/cuda/device/gpu_launch.hpp"
#include "nttforge/cuda/device/gpu_sums.hpp"
#include "nttforge/cuda/device/inner_product.hpp"
#include "nttforge/cuda/device/one_piece.hpp"

namespace nttforge::cuda {
namespace {

/// The rows of digits, of which own ones need no transform if c is in values.
DigitRows rows_of(const SwitchTables& level, Form form, std::size_t batch) {
  DigitRows rows{.elements = static_cast<std::uint32_t>(batch),
                 .digits = static_cast<std::uint32_t>(level.digits.size())};
  if (form == Form::coefficients) return rows;
  for (std::size_t i = 0; i < level.digits.size(); ++i)
    for (std::size_t s = 0; s < level.digits[i]->sources(); ++s)
      rows.digit_of[rows.own_limbs++] = static_cast<std::uint8_t>(i);
  return rows;
}

std::uint32_t products_of(const RingTables& ring) {
  const std::vector<std::uint64_t>& moduli = ring.spec().moduli;
  const std::uint64_t q = *std::max_element(moduli.begin(), moduli.end());
  return ring.spec().word_bits == 32 ? products_in_sum<std::uint32_t>(q) : products_in_sum<std::uint64_t>(q);
}

}  // namespace

BatchRows GpuQueue::coefficients_of(const SwitchTables& level, BatchRows c, Form form, DeviceArray& place,
                                    std::size_t batch) const {
  if (form == Form::coefficients) return c;
  const std::size_t words = level.ring->words();
  place = allocate(*level.ring, batch);
  const CudaNttPlan& plan = own<GpuRing>(*level.ring).plan();
  with_word(place.data().word_bits(), [&]<class Word>(Word) {
    for (std::size_t b = 0; b < batch; ++b)
      plan.inverse(std::span((c.words + b * c.stride).as<Word>(), words),
                   std::span((place.data() + b * words).template as<Word>(), words), stream(),
                   CallPlaces::promised);
  });
  return {place.data(), words};
}

void GpuQueue::decompose(const SwitchTables& level, BatchRows c, Form form, WordPtr out,
                         std::size_t batch) const {
  DeviceArray place;
  OnePiece piece(ordinal_);
  const BatchRows x = coefficients_of(level, c, form, place, batch);
  const bool leaves_own =
      form == Form::values && with_word(out.word_bits(), [&]<class Word>(Word) {
        const GpuRing& ring = own<GpuRing>(*level.key_ring);
        if (!ring.plan().has_switching()) return false;
        convert_digits(level, x, out, batch, false);
        const std::size_t words = batch * level.digits.size() * ring.words();
        const DigitRows rows = rows_of(level, form, batch);
        ring.plan().forward_digits(rows, std::span(out.as<Word>(), words), stream());
        const RowGrid<Word> grid(batch * level.ring->limbs(), ring.n(), {c.words.address(), out.address()});
        run("own rows of digits", CopyOwnRows<Word>{grid.shape, grid.log_n, grid.step, rows,
                                                    static_cast<std::uint32_t>(ring.limbs()),
                                                    c.words.as<Word>(), c.stride, out.as<Word>()});
        return true;
      });
  if (!leaves_own) {
    convert_digits(level, x, out, batch);
    forward(*level.key_ring, out, batch * level.digits.size());
  }
  piece.start();
}

template <class Word, unsigned kWords, bool kImage>
void GpuQueue::inner_product_of(const RingTables& ring, std::size_t count, ConstWordPtr digits,
                                const KeyRows& key, const GpuPermutation* image, WordPtr out,
                                std::size_t batch, bool accumulate) const {
  const std::vector<std::uint64_t>& moduli = ring.spec().moduli;
  run("inner product", InnerProduct<Word, kWords, kImage>{
                           .shape = grid_of(batch * ring.limbs(), ring.n() / kWords),
                           .ring = own<GpuRing>(ring).rows(),
                           .digits = digits.as<Word>(),
                           .key = key.words.as<Word>(),
                           .out = out.as<Word>(),
                           .count = static_cast<std::uint32_t>(count),
                           .key_limbs = static_cast<std::uint32_t>(key.limbs),
                           .special = static_cast<std::uint32_t>(key.special),
                           .key_first = static_cast<std::uint32_t>(key.first),
                           .products = products_in_sum<Word>(*std::max_element(moduli.begin(), moduli.end())),
                           .accumulate = accumulate,
                           .index = kImage ? image->index() : nullptr});
}

template <bool kImage>
void GpuQueue::inner_product_of_image(const RingTables& ring, std::size_t count, ConstWordPtr digits,
                                      const KeyRows& key, const GpuPermutation* image, WordPtr out,
                                      std::size_t batch, bool accumulate) const {
  const auto together = [&](unsigned words) {
    const auto fits = [&](ConstWordPtr at) {
      return reinterpret_cast<std::uintptr_t>(at.address()) % 16 == 0;
    };
    return ring.n() >= words && fits(digits) && fits(key.words) && fits(out) &&
           (!kImage || image->keeps_groups_of(words));
  };
  const auto sum = [&]<class Word, unsigned kWords>() {
    inner_product_of<Word, kWords, kImage>(ring, count, digits, key, image, out, batch, accumulate);
  };
  if (out.word_bits() == 32)
    return together(4) ? sum.template operator()<std::uint32_t, 4>()
                       : sum.template operator()<std::uint32_t, 1>();
  return together(2) ? sum.template operator()<std::uint64_t, 2>()
                     : sum.template operator()<std::uint64_t, 1>();
}

void GpuQueue::inner_product(const SwitchTables& level, ConstWordPtr digits, const KeyRows& key, WordPtr out,
                             std::size_t batch, bool accumulate) const {
  inner_product_of_image<false>(*level.key_ring, level.digits.size(), digits, key, nullptr, out, batch,
                                accumulate);
}

void GpuQueue::sums_of_products(const RingTables& ring, ConstWordPtr factors, ConstWordPtr x, WordPtr out,
                                std::size_t groups, std::size_t terms, std::size_t parts) const {
  if (parts != 2) return Queue::sums_of_products(ring, factors, x, out, groups, terms, parts);
  inner_product_of_image<false>(ring, terms, factors, {x, ring.limbs(), 0}, nullptr, out, groups, false);
}

void GpuQueue::key_switch(const SwitchTables& level, BatchRows c, Form form, const KeyRows& key, WordPtr out,
                          std::size_t batch) const {
  const GpuRing& ring = own<GpuRing>(*level.key_ring);
  DeviceArray place, digits = allocate(ring, batch * level.digits.size());
  OnePiece piece(ordinal_);
  const bool fused = with_word(out.word_bits(), [&]<class Word>(Word) {
    if (!ring.plan().has_switching() || level.digits.size() > products_of(ring) ||
        !are_packed<Pack<Word>>(ring.n(), {c.words.address(), key.words.address(), out.address()}))
      return false;
    const std::span<Word> x(digits.data().template as<Word>(), digits.size());
    convert_digits(level, coefficients_of(level, c, form, place, batch), digits.data(), batch,
                   form == Form::coefficients);
    const KeyWords<Word> words{.key = key.words.as<Word>(),
                               .limbs = static_cast<std::uint32_t>(key.limbs),
                               .special = static_cast<std::uint32_t>(key.special),
                               .first = static_cast<std::uint32_t>(key.first),
                               .own = c.words.as<Word>(),
                               .own_stride = c.stride};
    return ring.plan().key_product(rows_of(level, form, batch), words, x,
                                   std::span(out.as<Word>(), batch * 2 * ring.words()), stream());
  });
  if (!fused) {
    decompose(level, c, form, digits.data(), batch);
    inner_product(level, digits.data(), key, out, batch, false);
  }
  piece.start();
}

void GpuQueue::switch_digits(const SwitchTables& level, ConstWordPtr digits, const SwitchedImage& image,
                             Form form, std::size_t batch) const {
  const GpuPermutation& permutation = own<GpuPermutation>(*image.image);
  DeviceArray sum = allocate(*level.key_ring, batch * 2);
  OnePiece piece(ordinal_);
  inner_product_of_image<true>(*level.key_ring, level.digits.size(), digits, image.key, &permutation,
                               sum.data(), batch, false);
  const bool moves = image.moves_addend && image.addend_parts != 0;
  const Addend addend{image.addend, image.addend_parts, 2, moves ? &permutation : nullptr};
  if (form == Form::coefficients || level.division == nullptr ||
      !divide_values(*level.division, *level.key_ring, *level.ring, sum.data(), sum.data(), addend, image.out,
                     2 * batch)) {
    const SwitchedImage x = with_moved_addend(level, image, batch);
    mod_down(level, sum.data(), x.addend, x.addend_parts, form, x.out, batch);
  }
  piece.start();
}

void GpuQueue::mod_down(const SwitchTables& level, WordPtr x, BatchRows addend, std::size_t addend_parts,
                        Form form, WordPtr out, std::size_t batch) const {
  if (level.division == nullptr) return Queue::mod_down(level, x, addend, addend_parts, form, out, batch);
  OnePiece piece(ordinal_);
  if (form == Form::coefficients) {
    inverse(*level.key_ring, x, 2 * batch);
    divide(level, x, addend, addend_parts, out, batch);
  } else if (!divide_values(*level.division, *level.key_ring, *level.ring, x, x,
                            {addend, addend_parts, 2, nullptr}, out, 2 * batch)) {
    Queue::mod_down(level, x, addend, addend_parts, form, out, batch);
  }
  piece.start();
}

}  // namespace nttforge::cuda
