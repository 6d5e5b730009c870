// SPDX-License-Identifier: Apache-2.0
// Key switching: digits, their products with keys, divisions. Digits of values have their own rows already:
//
//   values   inverse | digits but for own rows | first pass | last pass, times key | divide
//   images   of digits that are transformed: permuted where the product with the key loads them
#include <algorithm>

#include "nttforge/cuda/device/gpu_launch.hpp"
#include "nttforge/cuda/device/gpu_sums.hpp"
#include "nttforge/cuda/device/inner_product.hpp"
#include "nttforge/cuda/device/map_images.hpp"
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
                                std::size_t batch, bool accumulate, BatchRows addend) const {
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
                           .index = kImage ? image->index() : nullptr,
                           .addend = addend.words.as<Word>(),
                           .addend_stride = addend.stride,
                           .batch = static_cast<std::uint32_t>(batch)});
}

template <bool kImage>
void GpuQueue::inner_product_of_image(const RingTables& ring, std::size_t count, ConstWordPtr digits,
                                      const KeyRows& key, const GpuPermutation* image, WordPtr out,
                                      std::size_t batch, bool accumulate, BatchRows addend) const {
  const auto together = [&](unsigned words) {
    const auto fits = [&](ConstWordPtr at) {
      return reinterpret_cast<std::uintptr_t>(at.address()) % 16 == 0;
    };
    return ring.n() >= words && fits(digits) && fits(key.words) && fits(out) && fits(addend.words) &&
           addend.stride % words == 0 && (!kImage || image->keeps_groups_of(words));
  };
  const auto sum = [&]<class Word, unsigned kWords>() {
    inner_product_of<Word, kWords, kImage>(ring, count, digits, key, image, out, batch, accumulate, addend);
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

bool GpuQueue::key_product(const SwitchTables& level, BatchRows c, Form form, const KeyRows& key,
                           const Addend& addend, std::span<const std::uint64_t> factors, WordPtr out,
                           std::size_t batch) const {
  const GpuRing& ring = own<GpuRing>(*level.key_ring);
  return with_word(out.word_bits(), [&]<class Word>(Word) {
    // Values below 2q and an addend must fit into a sum beside each other.
    if (!ring.plan().has_switching() || 2 * level.digits.size() + 1 > products_of(ring) ||
        !are_packed<Pack<Word>>(
            ring.n(), {c.words.address(), key.words.address(), out.address(), addend.rows.words.address()}))
      return false;
    DeviceArray place, digits = allocate(ring, batch * level.digits.size());
    convert_digits(level, coefficients_of(level, c, form, place, batch), digits.data(), batch,
                   form == Form::coefficients);
    KeyWords<Word> words{.key = key.words.as<Word>(),
                         .limbs = static_cast<std::uint32_t>(key.limbs),
                         .special = static_cast<std::uint32_t>(key.special),
                         .first = static_cast<std::uint32_t>(key.first),
                         .own = c.words.as<Word>(),
                         .own_stride = c.stride,
                         .addend = addend.rows.words.as<Word>(),
                         .addend_stride = addend.rows.stride,
                         .addend_parts = static_cast<std::uint32_t>(addend.parts),
                         .addend_limbs = static_cast<std::uint32_t>(factors.size())};
    for (std::size_t j = 0; j < factors.size(); ++j) words.factors[j] = static_cast<Word>(factors[j]);
    return ring.plan().key_product(rows_of(level, form, batch), words,
                                   std::span(digits.data().template as<Word>(), digits.size()),
                                   std::span(out.as<Word>(), batch * 2 * ring.words()), stream());
  });
}

void GpuQueue::key_switch(const SwitchTables& level, BatchRows c, Form form, const KeyRows& key, WordPtr out,
                          std::size_t batch) const {
  OnePiece piece(ordinal_);
  if (!key_product(level, c, form, key, {}, {}, out, batch)) {
    DeviceArray digits = allocate(*level.key_ring, batch * level.digits.size());
    decompose(level, c, form, digits.data(), batch);
    inner_product(level, digits.data(), key, out, batch, false);
  }
  piece.start();
}

void GpuQueue::switch_image(const SwitchTables& level, BatchRows c, const SwitchedImage& image,
                            std::size_t batch) const {
  if (level.division == nullptr || !image.moves_addend || batch != 1)
    return Queue::switch_image(level, c, image, batch);
  DeviceArray moved = allocate(*level.ring, 1), sum = allocate(*level.key_ring, 2);
  OnePiece piece(ordinal_);
  gather(*image.image, c.words, moved.data(), level.ring->limbs());
  key_switch(level, {moved.data(), level.ring->words()}, Form::values, image.key, sum.data(), 1);
  divide_image(level, sum.data(), image, 1);
  piece.start();
}

void GpuQueue::divide_image(const SwitchTables& level, WordPtr sum, const SwitchedImage& image,
                            std::size_t batch) const {
  const bool moves = image.moves_addend && image.addend_parts != 0;
  const Addend addend{image.addend, image.addend_parts, 2,
                      moves ? &own<GpuPermutation>(*image.image) : nullptr};
  if (level.division != nullptr &&
      divide_values(*level.division, *level.key_ring, *level.ring, sum, sum, addend, image.out, 2 * batch))
    return;
  const SwitchedImage x = with_moved_addend(level, image, batch);
  mod_down(level, sum, x.addend, x.addend_parts, Form::values, x.out, batch);
}

void GpuQueue::switch_key_rescaled(const SwitchTables& level, const RescaleTables& to, BatchRows c,
                                   const KeyRows& key, BatchRows addend, std::size_t addend_parts, Form form,
                                   WordPtr out, std::size_t batch) const {
  if (form == Form::values) {
    DeviceArray sum = allocate(*level.key_ring, batch * 2);
    OnePiece piece(ordinal_);
    const bool fused =
        key_product(level, c, form, key, {addend, addend_parts}, level.special, sum.data(), batch) &&
        divide_values(*to.division, *level.key_ring, *to.ring, sum.data(), sum.data(), {}, out, batch * 2);
    piece.start();
    if (fused) return;
  }
  Queue::switch_key_rescaled(level, to, c, key, addend, addend_parts, form, out, batch);
}

void GpuQueue::add_image(const SwitchTables& level, ConstWordPtr digits, const SwitchedImage& image,
                         BatchRows addend, WordPtr out, std::size_t batch) const {
  inner_product_of_image<true>(*level.key_ring, level.digits.size(), digits, image.key,
                               &own<GpuPermutation>(*image.image), out, batch, true, addend);
}

template <unsigned kGroups, bool kRepeats, bool kShares>
void GpuQueue::map_images(const MapRows& rows, const MapFactors& factors,
                          std::span<const SwitchedImage> images, WordPtr out, std::size_t batch) const {
  const SwitchTables& level = *rows.level;
  const GpuRing& ring = own<GpuRing>(*level.key_ring);
  using Map = MapImages<kGroups, kRepeats, kShares>;
  const std::size_t quads = std::bit_ceil((factors.groups + kGroups - 1) / kGroups);
  Map map{.shape = grid_of(ring.limbs(), rows.elements * quads * ring.n() / Map::kWords),
          .ring = ring.rows(),
          .digits = rows.digits.as<std::uint32_t>(),
          .parts = rows.parts.words.as<std::uint32_t>(),
          .factors = factors.words.as<std::uint32_t>(),
          .out = out.as<std::uint32_t>(),
          .parts_stride = rows.parts.stride,
          .group_stride = batch * 2 * ring.words(),
          .log_n = log2_of(ring.n() / Map::kWords),
          .groups = static_cast<std::uint32_t>(factors.groups),
          .log_elements = log2_of(rows.elements),
          .log_quads = log2_of(quads),
          .count = static_cast<std::uint32_t>(level.digits.size()),
          .own_limbs = static_cast<std::uint32_t>(level.ring->limbs()),
          .terms = static_cast<std::uint32_t>(images.size()),
          .shift = log2_of(factors.repeat),
          .products = products_of(ring),
          .term = {}};
  std::copy(level.special.begin(), level.special.end(), map.scale);
  for (std::size_t j = 0; j < images.size(); ++j)
    if (images[j].image != nullptr)
      map.term[j] = {own<GpuPermutation>(*images[j].image).packed(), images[j].key.words.as<std::uint32_t>(),
                     static_cast<std::uint32_t>(images[j].key.limbs),
                     static_cast<std::uint32_t>(images[j].key.special),
                     static_cast<std::uint32_t>(images[j].key.first)};
  run("sums of images", map);
}

template <bool kRepeats>
void GpuQueue::map_groups(const MapRows& rows, const MapFactors& factors,
                          std::span<const SwitchedImage> images, WordPtr out, std::size_t batch,
                          std::size_t shared) const {
  const std::size_t words = rows.level->key_ring->words();
  for (MapFactors left = factors; left.groups != 0;) {
    MapFactors here = left;
    here.groups =
        left.groups > 4 ? std::min(left.groups, 4 * (shared / rows.elements)) : std::bit_floor(left.groups);
    const bool shares = rows.elements > 1 || here.groups > 4;
    const auto map = [&]<unsigned kGroups>() {
      if (shares)
        map_images<kGroups, kRepeats, true>(rows, here, images, out, batch);
      else
        map_images<kGroups, kRepeats, false>(rows, here, images, out, batch);
    };
    if (here.groups >= 4) map.template operator()<4>();
    if (here.groups == 2) map.template operator()<2>();
    if (here.groups == 1) map.template operator()<1>();
    left.words += here.groups * left.terms * (words / left.repeat);
    left.groups -= here.groups;
    out += here.groups * batch * 2 * words;
  }
}

template <bool kRepeats>
void GpuQueue::map_elements(MapRows rows, const MapFactors& factors, std::span<const SwitchedImage> images,
                            WordPtr out, std::size_t batch) const {
  const RingTables& ring = *rows.level->key_ring;
  // Warps that share have whole columns of a row.
  const std::size_t shared = ring.n() >= std::size_t{4} * 32 ? kSharedImages : 1;
  for (std::size_t left = batch; left != 0;) {
    rows.elements = std::min(std::bit_floor(left), shared);
    map_groups<kRepeats>(rows, factors, images, out, batch, shared);
    rows.digits += rows.elements * rows.level->digits.size() * ring.words();
    rows.parts.words += rows.elements * rows.parts.stride;
    out += rows.elements * 2 * ring.words();
    left -= rows.elements;
  }
}

std::size_t GpuQueue::images_together() const { return kSharedImages; }

void GpuQueue::sums_of_images(const SwitchTables& level, ConstWordPtr digits, BatchRows parts,
                              const MapFactors& factors,
                              const std::function<SwitchedImage(std::size_t)>& image, WordPtr out,
                              std::size_t batch) const {
  const RingTables& ring = *level.key_ring;
  const std::vector<std::uint64_t>& moduli = ring.spec().moduli;
  std::vector<SwitchedImage> images;
  for (std::size_t j = 0; j < factors.terms; ++j) images.push_back(image(j));
  bool fits = ring.spec().word_bits == 32 && factors.terms <= kMostImages && factors.repeat != 2 &&
              level.digits.size() < products_of(ring) &&
              *std::max_element(moduli.begin(), moduli.end()) >> 30 == 0 && parts.stride % 4 == 0 &&
              are_packed<Pack<std::uint32_t>>(ring.n(), {digits.address(), parts.words.address(),
                                                         factors.words.address(), out.address()});
  for (const SwitchedImage& x : images)
    fits =
        fits && (x.image == nullptr || (own<GpuPermutation>(*x.image).packed() != nullptr &&
                                        are_packed<Pack<std::uint32_t>>(ring.n(), {x.key.words.address()})));
  if (!fits)
    return Queue::sums_of_images(
        level, digits, parts, factors, [&](std::size_t j) { return images[j]; }, out, batch);
  const MapRows rows{&level, digits, parts, 1};
  if (factors.repeat == 1) return map_elements<false>(rows, factors, images, out, batch);
  return map_elements<true>(rows, factors, images, out, batch);
}

void GpuQueue::switch_digits(const SwitchTables& level, ConstWordPtr digits, const SwitchedImage& image,
                             Form form, std::size_t batch) const {
  DeviceArray sum = allocate(*level.key_ring, batch * 2);
  OnePiece piece(ordinal_);
  inner_product_of_image<true>(*level.key_ring, level.digits.size(), digits, image.key,
                               &own<GpuPermutation>(*image.image), sum.data(), batch, false);
  if (form == Form::values)
    divide_image(level, sum.data(), image, batch);
  else
    mod_down(level, sum.data(), image.addend, image.addend_parts, form, image.out, batch);
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
