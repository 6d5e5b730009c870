// SPDX-License-Identifier: Apache-2.0
// Conversions and key switching as compositions of ring operations and steps: their definition, and what a
// device runs that does not override them.

#include "nttforge/device/key_switching.hpp"

#include <algorithm>
#include <vector>

#include "nttforge/arith/integer_range.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/device/implement.hpp"

namespace nttforge {

namespace {

/// Rows of polynomials of a ring one after the other: where they are, if they follow each other, or copies in
/// `place`, with zeros where `rows` names none of the ring's.
BatchRows rows_of(const KeySwitching& queue, const RingTables& ring, ConstWordPtr in,
                  const std::vector<std::size_t>& rows, std::size_t batch, DeviceArray& place) {
  const std::size_t n = ring.n(), count = rows.size();
  bool consecutive = rows.back() < ring.limbs();
  for (std::size_t i = 1; i < count; ++i) consecutive = consecutive && rows[i] == rows[i - 1] + 1;
  if (consecutive) return {in + rows.front() * n, ring.words()};
  place = queue.allocate_secret(batch * count * n, ring.spec().word_bits);
  for (std::size_t b = 0; b < batch; ++b)
    for (std::size_t i = 0; i < count; ++i) {
      const WordPtr to = place.data() + (b * count + i) * n;
      if (rows[i] < ring.limbs())
        queue.copy(in + (b * ring.limbs() + rows[i]) * n, to, n);
      else
        queue.fill_zero(to, n);
    }
  return {place.data(), count * n};
}

}  // namespace

void KeySwitching::rescale(const StepTables& division, const RingTables& from, const RingTables& to,
                           ConstWordPtr in, Form form, WordPtr out, std::size_t batch) const {
  if (form == Form::values) {
    DeviceArray x = allocate_secret(from, batch);
    copy(in, x.data(), batch * from.words());
    inverse(from, x.data(), batch);
    rescale(division, from, to, x.data(), Form::coefficients, out, batch);
    return forward(to, out, batch);
  }
  DeviceArray sources, own;
  const BatchRows dropped =
      rows_of(*this, from, in, places_in(from, division.chain().front().sources), batch, sources);
  const BatchRows kept = division.own_words() == 0
                             ? BatchRows{}
                             : rows_of(*this, from, in, places_in(from, to.spec().moduli), batch, own);
  apply(division, dropped, kept, out, batch, nullptr);
}

void KeySwitching::decompose(const SwitchTables& level, BatchRows c, Form form, WordPtr out,
                             std::size_t batch) const {
  if (form == Form::values) {
    const std::size_t rows = level.ring->words();
    DeviceArray x = allocate(*level.ring, batch);
    for (std::size_t b = 0; b < batch; ++b) copy(c.words + b * c.stride, x.data() + b * rows, rows);
    inverse(*level.ring, x.data(), batch);
    return decompose(level, {x.data(), rows}, Form::coefficients, out, batch);
  }
  const std::size_t n = level.ring->n(), words = level.key_ring->words();
  for (std::size_t b = 0; b < batch; ++b) {
    ConstWordPtr sources = c.words + b * c.stride;
    for (const auto& digit : level.digits) {
      apply(*digit, sources, nullptr, out, 1);
      forward(*level.key_ring, out, 1);
      sources += digit->sources() * n;
      out += words;
    }
  }
}

void KeySwitching::inner_product(const SwitchTables& level, ConstWordPtr digits, const KeyRows& key,
                                 WordPtr out, std::size_t batch, bool accumulate) const {
  const RingTables& ring = *level.key_ring;
  const std::size_t n = ring.n(), words = ring.words(), count = level.digits.size();
  DeviceArray rows = allocate(ring, 1);
  if (!accumulate) fill_zero(out, batch * 2 * words);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t part = 0; part < 2; ++part) {
      ConstWordPtr polynomial = key.words + (2 * i + part) * key.limbs * n;
      for (std::size_t j = 0; j < ring.limbs(); ++j)
        copy(polynomial + key.row(j, ring.limbs()) * n, rows.data() + j * n, n);
      for (std::size_t b = 0; b < batch; ++b)
        multiply_accumulate(ring, digits + (b * count + i) * words, rows.data(), out + (2 * b + part) * words,
                            1);
    }
}

void KeySwitching::mod_down(const SwitchTables& level, WordPtr x, BatchRows addend, std::size_t addend_parts,
                            Form form, WordPtr out, std::size_t batch) const {
  const std::size_t words = level.ring->words();
  if (form == Form::coefficients) inverse(*level.key_ring, x, 2 * batch);
  if (level.division == nullptr)
    copy(x, out, batch * 2 * words);
  else
    rescale(*level.division, *level.key_ring, *level.ring, x, form, out, 2 * batch);
  if (addend_parts == 0) return;
  for (std::size_t b = 0; b < batch; ++b, out += 2 * words)
    add(*level.ring, out, addend.words + b * addend.stride, out, addend_parts);
}

void KeySwitching::key_switch(const SwitchTables& level, BatchRows c, Form form, const KeyRows& key,
                              WordPtr out, std::size_t batch) const {
  DeviceArray digits = allocate(*level.key_ring, batch * level.digits.size());
  decompose(level, c, form, digits.data(), batch);
  inner_product(level, digits.data(), key, out, batch, false);
}

void KeySwitching::switch_key(const SwitchTables& level, BatchRows c, const KeyRows& key, BatchRows addend,
                              std::size_t addend_parts, Form form, WordPtr out, std::size_t batch) const {
  DeviceArray sum = allocate(*level.key_ring, batch * 2);
  key_switch(level, c, form, key, sum.data(), batch);
  mod_down(level, sum.data(), addend, addend_parts, form, out, batch);
}

void KeySwitching::switch_image(const SwitchTables& level, BatchRows c, const SwitchedImage& image,
                                std::size_t batch) const {
  const std::size_t words = level.ring->words();
  DeviceArray moved = allocate(*level.ring, batch);
  for (std::size_t b = 0; b < batch; ++b)
    gather(*image.image, c.words + b * c.stride, moved.data() + b * words, level.ring->limbs());
  const SwitchedImage x = with_moved_addend(level, image, batch);
  switch_key(level, {moved.data(), words}, x.key, x.addend, x.addend_parts, Form::values, x.out, batch);
}

void KeySwitching::switch_key_rescaled(const SwitchTables& level, const RescaleTables& to, BatchRows c,
                                       const KeyRows& key, BatchRows addend, std::size_t addend_parts,
                                       Form form, WordPtr out, std::size_t batch) const {
  const RingTables &ring = *level.ring, &key_ring = *level.key_ring;
  DeviceArray sum = allocate(key_ring, batch * 2);
  key_switch(level, c, form, key, sum.data(), batch);
  if (form == Form::coefficients) inverse(key_ring, sum.data(), batch * 2);
  DeviceArray scaled = addend_parts == 0 ? DeviceArray() : allocate(ring, addend_parts);
  for (std::size_t b = 0; b < batch && addend_parts != 0; ++b) {
    multiply_scalar(ring, addend.words + b * addend.stride, level.special, scaled.data(), addend_parts);
    for (std::size_t part = 0; part < addend_parts; ++part) {
      const WordPtr x = sum.data() + (2 * b + part) * key_ring.words();
      add(ring, x, scaled.data() + part * ring.words(), x, 1);
    }
  }
  rescale(*to.division, key_ring, *to.ring, sum.data(), form, out, batch * 2);
}

void KeySwitching::add_image(const SwitchTables& level, ConstWordPtr digits, const SwitchedImage& image,
                             BatchRows addend, WordPtr out, std::size_t batch) const {
  const RingTables& ring = *level.key_ring;
  const std::size_t count = batch * level.digits.size();
  DeviceArray images = allocate(ring, count);
  gather(*image.image, digits, images.data(), count * ring.limbs());
  inner_product(level, images.data(), image.key, out, batch, true);
  if (addend.words == nullptr) return;
  for (std::size_t b = 0; b < batch; ++b, out += 2 * ring.words()) {
    gather(*image.image, addend.words + b * addend.stride, images.data(), ring.limbs());
    add(ring, out, images.data(), out, 1);
  }
}

void KeySwitching::sums_of_images(const SwitchTables& level, ConstWordPtr digits, BatchRows parts,
                                  const MapFactors& factors,
                                  const std::function<SwitchedImage(std::size_t)>& image, WordPtr out,
                                  std::size_t batch) const {
  if (batch != 1) {
    const std::size_t one = level.digits.size() * level.key_ring->words(), two = 2 * level.key_ring->words();
    DeviceArray sums = allocate(*level.key_ring, 2 * factors.groups);
    for (std::size_t b = 0; b < batch; ++b) {
      const BatchRows own{parts.words + b * parts.stride, parts.stride};
      sums_of_images(level, digits + b * one, own, factors, image, sums.data(), 1);
      for (std::size_t g = 0; g < factors.groups; ++g)
        copy(sums.data() + g * two, out + (g * batch + b) * two, two);
    }
    return;
  }
  const RingTables &ring = *level.ring, &key_ring = *level.key_ring;
  const std::size_t n = ring.n(), words = key_ring.words(), terms = factors.terms;
  DeviceArray images = allocate(key_ring, 2 * terms), scaled = allocate(key_ring, 2);
  fill_zero(scaled.data(), 2 * words);
  for (std::size_t part = 0; part < 2; ++part)
    multiply_scalar(ring, parts.words + part * ring.words(), level.special, scaled.data() + part * words, 1);
  for (std::size_t j = 0; j < terms; ++j) {
    const SwitchedImage x = image(j);
    const WordPtr y = images.data() + 2 * j * words;
    if (x.image == nullptr) {
      copy(scaled.data(), y, 2 * words);
      continue;
    }
    fill_zero(y, 2 * words);
    add_image(level, digits, x, {scaled.data(), 0}, y, 1);
  }
  if (factors.repeat == 1)
    return sums_of_products(key_ring, factors.words, images.data(), out, factors.groups, terms, 2);
  DeviceArray whole = allocate(key_ring, terms);
  for (std::size_t g = 0; g < factors.groups; ++g) {
    repeat(factors.words + g * terms * (words / factors.repeat), factors.repeat, whole.data(), n,
           terms * key_ring.limbs());
    sums_of_products(key_ring, whole.data(), images.data(), out + g * 2 * words, 1, terms, 2);
  }
}

SwitchedImage KeySwitching::with_moved_addend(const SwitchTables& level, SwitchedImage image,
                                              std::size_t batch) const {
  if (!image.moves_addend || image.addend_parts == 0) return image;
  const std::size_t words = image.addend_parts * level.ring->words();
  DeviceArray place = allocate(*level.ring, batch * image.addend_parts);
  for (std::size_t b = 0; b < batch; ++b)
    gather(*image.image, image.addend.words + b * image.addend.stride, place.data() + b * words,
           image.addend_parts * level.ring->limbs());
  image.addend = {place.data(), words};
  image.addend_words = std::move(place);
  image.moves_addend = false;
  return image;
}

void KeySwitching::switch_digits(const SwitchTables& level, ConstWordPtr digits, const SwitchedImage& image,
                                 Form form, std::size_t batch) const {
  const RingTables& ring = *level.key_ring;
  const std::size_t count = batch * level.digits.size();
  DeviceArray images = allocate(ring, count), sum = allocate(ring, batch * 2);
  const SwitchedImage x = with_moved_addend(level, image, batch);
  gather(*x.image, digits, images.data(), count * ring.limbs());
  inner_product(level, images.data(), x.key, sum.data(), batch, false);
  mod_down(level, sum.data(), x.addend, x.addend_parts, form, x.out, batch);
}

void KeySwitching::switch_images(const SwitchTables& level, BatchRows c, Form form, std::size_t count,
                                 const std::function<SwitchedImage(std::size_t)>& image,
                                 std::size_t batch) const {
  DeviceArray digits = allocate(*level.key_ring, batch * level.digits.size());
  decompose(level, c, form, digits.data(), batch);
  for (std::size_t i = 0; i < count; ++i) {
    switch_digits(level, digits.data(), image(i), form, batch);
  }
}

namespace {

/// Words of 32 bits as those of 64 that stand for the same integers.
__attribute__((noinline)) void widen(std::span<std::uint64_t> words, bool is_signed) {
  for (std::uint64_t& word : words)
    word = is_signed ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(word)})
                     : word & 0xFFFFFFFFu;
}

/// Whether any is outside; see reduce_integer().
__attribute__((noinline)) bool reduce_rows(std::span<const std::uint64_t> words, const IntegerRange& range,
                                           std::size_t width, std::size_t n, std::span<std::uint64_t> out) {
  std::uint64_t outside = 0;
  for (std::size_t i = 0; i < words.size(); ++i)
    out[i / width * n + i % width] = reduce_integer(words[i], range, outside);
  return outside != 0;
}

__attribute__((noinline)) void centre_words(std::uint64_t t, std::span<std::uint64_t> words, bool narrow) {
  for (std::uint64_t& word : words) {
    word = centred_integer(word, t);
    if (narrow) word &= 0xFFFFFFFFu;
  }
}

}  // namespace

void KeySwitching::reduce_integers(std::uint64_t t, const IntegerRows& in, std::int64_t low, WordPtr out,
                                   std::size_t n, std::size_t rows, WordPtr outside) const {
  const StackWipe wipe(StackDepth::shallow);
  SecretVector<std::uint64_t> words(rows * in.width), result(rows * n, 0);
  if (!words.empty()) download(in.words, words);
  if (in.words.word_bits() == 32) widen(words, in.is_signed);
  const std::uint64_t any = reduce_rows(words, IntegerRange(t, in.is_signed, low), in.width, n, result);
  upload(result, out);
  if (outside != nullptr) upload(std::span(&any, 1), outside);
}

void KeySwitching::centre(std::uint64_t t, ConstWordPtr in, WordPtr out, std::size_t words) const {
  const StackWipe wipe(StackDepth::shallow);
  SecretVector<std::uint64_t> host(words);
  download(in, host);
  centre_words(t, host, out.word_bits() == 32);
  upload(host, out);
}

}  // namespace nttforge
