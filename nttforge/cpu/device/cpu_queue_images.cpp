// SPDX-License-Identifier: Apache-2.0
// Key switching of many images of one polynomial, which share its digits: hoisted rotations and linear maps.

#include <algorithm>
#include <bit>
#include <deque>

#include "nttforge/cpu/device/digits.hpp"

namespace nttforge::cpu {
namespace {

/// Images that are multiplied with many factors are taken so few words at a time that those fit beside them.
constexpr std::size_t kImageWords = std::size_t{1} << 14;
/// So many images of a polynomial share its digits: more would hold more memory, and gain little.
constexpr std::size_t kImages = 8;

template <std::size_t kRepeat, class Word>
void repeat_each(const Word* from, std::uint64_t* to, std::size_t count) {
  for (std::size_t i = 0; i < count / kRepeat; ++i)
    for (std::size_t k = 0; k < kRepeat; ++k) to[i * kRepeat + k] = from[i];
}

/// Each word `repeat` times, `count` in all; both are powers of two.
template <class Word>
void repeat_words(const Word* from, std::size_t repeat, std::uint64_t* to, std::size_t count) {
  switch (std::min(repeat, count)) {
    case 1:
      return repeat_each<1>(from, to, count);
    case 2:
      return repeat_each<2>(from, to, count);
    case 4:
      return repeat_each<4>(from, to, count);
    default:
      for (std::size_t i = 0; i < count; i += std::min(repeat, count))
        std::fill_n(to + i, std::min(repeat, count), from[i / repeat]);
  }
}

}  // namespace

/// key_switch_limb of the image of digits whose rows [digits][n] are given.
void CpuQueue::switch_image_limb(const CpuRing& ring, std::size_t digits, std::size_t j,
                                 const SwitchedImage& image, const std::uint64_t* rows, std::uint64_t* out,
                                 std::size_t out_part) const {
  const CpuPermutation& permutation = own<CpuPermutation>(*image.image);
  const CpuLimb& limb = ring.limb[j];
  const KeyRows& key = image.key;
  const std::size_t n = ring.n(), key_words = key.limbs * n;
  if (permutation.in_blocks && limb.kernels->dot_pair_picked != nullptr) {
    const ConstWordPtr y = key.words + key.row(j, ring.limbs()) * n;
    const std::uint32_t* const index = permutation.index.data();
    if (y.word_bits() == 32)
      return limb.kernels->dot_pair_picked32(limb.row_modulus, digits, limb.chunk, rows, n, index,
                                             y.as<std::uint32_t>(), 2 * key_words, key_words, out, out_part,
                                             n);
    return limb.kernels->dot_pair_picked(limb.row_modulus, digits, limb.chunk, rows, n, index,
                                         y.as<std::uint64_t>(), 2 * key_words, key_words, out, out_part, n);
  }
  key_switch_limb(ring, digits, j, key, out, out_part, [&](std::size_t i, std::uint64_t* to) {
    permutation.gather(*limb.kernels, rows + i * n, to);
  });
}

/// The digits of a limb are made once for many images and wait in the caches, instead of going through
/// memory.
void CpuQueue::switch_images(const SwitchTables& level, BatchRows c, Form form, std::size_t count,
                             const std::function<SwitchedImage(std::size_t)>& image,
                             std::size_t batch) const {
  const CpuRing &ring = own<CpuRing>(*level.key_ring), &ring_q = own<CpuRing>(*level.ring);
  const std::size_t n = ring.n(), words = ring_q.words();
  for (std::size_t first = 0; first < count; first += kImages) {
    std::vector<SwitchedImage> images;
    std::deque<Input> addends;
    std::deque<Output> outs;
    for (std::size_t i = first; i < std::min(count, first + kImages); ++i) {
      const SwitchedImage& x = images.emplace_back(with_moved_addend(level, image(i), batch));
      addends.emplace_back(*this, x.addend, x.addend_parts * words, batch, false);
      outs.emplace_back(*this, x.out, batch * 2 * words, false, false);
    }
    for_polynomials(batch, [&](std::size_t b, bool serial) {
      const Digits digits(*this, level, c.words + b * c.stride, form);
      std::vector<Divided> results;
      for (std::size_t i = 0; i < images.size(); ++i)
        results.push_back({addends[i].of(b), images[i].addend_parts, outs[i].words() + 2 * b * words});
      divide(level.division.get(), ring_q, results, form, serial,
             [&](std::size_t j, std::size_t part, const auto& place, const auto& done) {
               const std::shared_ptr<std::uint64_t> rows = memory_.allocate(digits.count * n, false);
               for (std::size_t i = 0; i < digits.count; ++i) digits.row(i, j, rows.get() + i * n);
               for (std::size_t r = 0; r < images.size(); ++r) {
                 std::uint64_t* const x = place(r);
                 switch_image_limb(ring, digits.count, j, images[r], rows.get(), x, part);
                 if (!stays(level, j, form)) {
                   ring.limb[j].inverse(x, x);
                   ring.limb[j].inverse(x + part, x + part);
                 }
                 done(r);
               }
             });
    });
  }
}

/// Limb by limb, as the images of one stay in the caches until they are added up.
void CpuQueue::add_image(const SwitchTables& level, ConstWordPtr digits, const SwitchedImage& image,
                         BatchRows addend, WordPtr out, std::size_t batch) const {
  if (batch != 1) return Queue::add_image(level, digits, image, addend, out, batch);
  const CpuRing& ring = own<CpuRing>(*level.key_ring);
  const CpuPermutation& permutation = own<CpuPermutation>(*image.image);
  const std::size_t n = ring.n(), words = ring.words(), count = level.digits.size();
  parallel(ring.limbs(), 2 * count * words, [&](std::size_t j) {
    const CpuLimb& limb = ring.limb[j];
    const std::shared_ptr<std::uint64_t> place = memory_.allocate((count + 3) * n, false);
    std::uint64_t *const rows = place.get(), *const sums = rows + count * n, *const moved = sums + 2 * n;
    copy_rows(digits + j * n, count, words, n, rows);
    switch_image_limb(ring, count, j, image, rows, sums, n);
    if (addend.words != nullptr) {
      copy_rows(addend.words + j * n, 1, 0, n, rows);
      permutation.gather(*limb.kernels, rows, moved);
      limb.row->add(limb.row_modulus, sums, moved, sums, n);
    }
    for (std::size_t part = 0; part < 2; ++part) {
      const WordPtr to = out + part * words + j * n;
      copy_rows(to, 1, 0, n, rows);
      limb.row->add(limb.row_modulus, rows, sums + part * n, rows, n);
      with_word(to, [&](auto zero) {
        using Word = decltype(zero);
        std::transform(rows, rows + n, to.as<Word>(), [](std::uint64_t x) { return static_cast<Word>(x); });
      });
    }
  });
}

void CpuQueue::sums_of_images(const SwitchTables& level, ConstWordPtr digits, BatchRows parts,
                              const MapFactors& factors,
                              const std::function<SwitchedImage(std::size_t)>& image, WordPtr out,
                              std::size_t batch) const {
  if (batch != 1) return Queue::sums_of_images(level, digits, parts, factors, image, out, batch);
  const CpuRing& ring = own<CpuRing>(*level.key_ring);
  const std::size_t n = ring.n(), words = ring.words(), own_limbs = level.ring->limbs(),
                    count = level.digits.size(), terms = factors.terms, repeat = factors.repeat;
  std::vector<SwitchedImage> images;
  for (std::size_t t = 0; t < terms; ++t) images.push_back(image(t));
  const std::size_t columns = std::min(n, std::max(kLeastColumns, std::bit_floor(kImageWords / (2 * terms))));
  parallel(ring.limbs(), 2 * terms * count * words, [&](std::size_t j) {
    const CpuLimb& limb = ring.limb[j];
    const std::shared_ptr<std::uint64_t> place =
        memory_.allocate((count + 1 + 2 * terms) * n + (terms + 2) * columns, false);
    std::uint64_t *const rows = place.get(), *const moved = rows + count * n, *const all = moved + n,
                         *const f = all + 2 * terms * n, *const sums = f + terms * columns;
    copy_rows(digits + j * n, count, words, n, rows);
    // P times the parts, 0 modulo the special primes.
    const auto add_part = [&](std::size_t part, const CpuPermutation* permutation, std::uint64_t* to) {
      if (j >= own_limbs) return;
      const std::shared_ptr<std::uint64_t> row = memory_.allocate(n, false);
      copy_rows(parts.words + (part * own_limbs + j) * n, 1, 0, n, row.get());
      if (permutation != nullptr) permutation->gather(*limb.kernels, row.get(), moved);
      join_row(ring, j, level.special[j], permutation == nullptr ? row.get() : moved, to, to);
    };
    for (std::size_t t = 0; t < terms; ++t) {
      std::uint64_t* const y = all + 2 * t * n;
      if (images[t].image == nullptr) {
        std::fill_n(y, 2 * n, 0);
        for (std::size_t part = 0; part < 2; ++part) add_part(part, nullptr, y + part * n);
        continue;
      }
      switch_image_limb(ring, count, j, images[t], rows, y, n);
      add_part(0, &own<CpuPermutation>(*images[t].image), y);
    }
    for (std::size_t c = 0; c < n; c += columns)
      for (std::size_t g = 0; g < factors.groups; ++g) {
        const ConstWordPtr row = factors.words + (g * terms * words + j * n) / repeat;
        // Factors that do not repeat are read where they are.
        const bool whole = repeat == 1 && row.word_bits() == 64;
        if (!whole)
          with_word(row, [&](auto zero) {
            const auto* const from = row.as<decltype(zero)>();
            for (std::size_t t = 0; t < terms; ++t)
              repeat_words(from + (t * words + c) / repeat, repeat, f + t * columns, columns);
          });
        limb.kernels->dot_pair(limb.row_modulus, terms, limb.chunk, whole ? row.as<std::uint64_t>() + c : f,
                               whole ? words : columns, all + c, 2 * n, n, sums, columns, false, columns);
        for (std::size_t part = 0; part < 2; ++part) {
          const WordPtr to = out + (2 * g + part) * words + j * n + c;
          with_word(to, [&](auto zero) {
            using Word = decltype(zero);
            std::transform(sums + part * columns, sums + (part + 1) * columns, to.as<Word>(),
                           [](std::uint64_t x) { return static_cast<Word>(x); });
          });
        }
      }
  });
}

}  // namespace nttforge::cpu
