// SPDX-License-Identifier: Apache-2.0
// Key switching of one polynomial or of each of a batch, in steps and fused; sums of products.

#include <algorithm>
#include <bit>

#include "nttforge/base/interrupt.hpp"
#include "nttforge/cpu/device/digits.hpp"

namespace nttforge::cpu {
namespace {

/// Columns of a sum's terms that are taken at a time: those of 32 terms of two parts have 128 KB.
constexpr std::size_t kTermColumns = 256;

}  // namespace

void CpuQueue::decompose(const SwitchTables& level, BatchRows c, Form form, WordPtr out,
                         std::size_t batch) const {
  const std::size_t n = level.ring->n(), limbs = level.key_ring->limbs(), count = level.digits.size();
  const Output all(*this, out, batch * count * limbs * n, false, false);
  for_polynomials(batch, [&](std::size_t b, bool) {
    const Digits digits(*this, level, c.words + b * c.stride, form);
    std::uint64_t* const first = all.words() + b * count * limbs * n;
    parallel(count * limbs, count * limbs * n,
             [&](std::size_t row) { digits.row(row / limbs, row % limbs, first + row * n); });
  });
}

void CpuQueue::inner_product(const SwitchTables& level, ConstWordPtr digits, const KeyRows& key, WordPtr out,
                             std::size_t batch, bool accumulate) const {
  const CpuRing& ring = own<CpuRing>(*level.key_ring);
  const std::size_t n = ring.n(), limbs = ring.limbs(), words = ring.words(), count = level.digits.size();
  const Input in(*this, digits, batch * count * words);
  const Output sums(*this, out, batch * 2 * words, accumulate);
  // Words that are widened are widened for all polynomials at once.
  const std::size_t fits = std::max(kLeastColumns, std::bit_floor(kKeyWords / (2 * count)));
  const bool whole = batch == 1 || out.word_bits() == 32;
  const std::size_t columns = whole ? n : std::min(n, fits), blocks = n / columns;
  parallel(limbs * blocks, batch * count * words, [&](std::size_t task) {
    const std::size_t j = task / blocks, c = task % blocks * columns;
    const CpuLimb& limb = ring.limb[j];
    const InputRows key_rows(*this, key.words + key.row(j, limbs) * n + c, 2 * count, key.limbs * n, columns);
    for (std::size_t b = 0; b < batch; ++b)
      limb.kernels->dot_pair(limb.row_modulus, count, limb.chunk,
                             in.words() + (b * count * limbs + j) * n + c, words, key_rows.words,
                             2 * key_rows.step, key_rows.step, sums.words() + (2 * b * limbs + j) * n + c,
                             words, accumulate, columns);
  });
}

void CpuQueue::sums_of_products(const RingTables& ring, ConstWordPtr factors, ConstWordPtr x, WordPtr out,
                                std::size_t groups, std::size_t terms, std::size_t parts) const {
  const CpuRing& tables = own<CpuRing>(ring);
  const std::size_t n = ring.n(), limbs = ring.limbs(), words = ring.words();
  const bool narrow = out.word_bits() == 32;
  const std::size_t fits = std::max(kLeastColumns, std::bit_floor(kKeyWords / (parts * terms)));
  const std::size_t columns = groups == 1 && !narrow ? n : std::min(n, fits), blocks = n / columns;
  parallel(limbs * blocks, groups * terms * parts * words, [&](std::size_t task) {
    const std::size_t j = task / blocks, at = j * n + task % blocks * columns;
    const CpuLimb& limb = tables.limb[j];
    const InputRows b(*this, x + at, terms * parts, words, columns, true);
    for (std::size_t g = 0; g < groups; ++g) {
      const InputRows a(*this, factors + g * terms * words + at, terms, words, columns, true);
      const std::shared_ptr<std::uint64_t> place = narrow ? memory_.allocate(parts * columns, true) : nullptr;
      const std::size_t step = narrow ? columns : words;
      std::uint64_t* const sums = narrow ? place.get() : out.as<std::uint64_t>() + g * parts * words + at;
      for (std::size_t part = 0; part < parts; part += 2) {
        // The last of an odd number of parts is computed twice, to one place.
        const bool two = part + 1 < parts;
        limb.kernels->dot_pair(limb.row_modulus, terms, limb.chunk, a.words, a.step, b.words + part * b.step,
                               parts * b.step, two ? b.step : 0, sums + part * step, two ? step : 0, false,
                               columns);
      }
      for (std::size_t part = 0; part < parts && narrow; ++part)
        std::transform(sums + part * step, sums + part * step + columns,
                       out.as<std::uint32_t>() + (g * parts + part) * words + at,
                       [](std::uint64_t word) { return static_cast<std::uint32_t>(word); });
    }
  });
}

void CpuQueue::sum_of_terms(const RingTables& ring, std::span<const FactorTerm> terms, std::size_t parts,
                            WordPtr out, std::size_t elements, bool accumulate) const {
  if (terms.empty() || out.word_bits() == 32)
    return Queue::sum_of_terms(ring, terms, parts, out, elements, accumulate);
  poll_interrupt();
  const CpuRing& tables = own<CpuRing>(ring);
  const std::size_t n = ring.n(), words = ring.words(), columns = std::min(n, kTermColumns);
  const bool same_x =
      std::all_of(terms.begin(), terms.end(), [](const auto& term) { return term.stride == 0; });
  const std::size_t rows = terms.size() * parts;
  // Some columns of all terms stay in the cache, while factors pass by once.
  parallel(words / columns, elements * rows * words, [&](std::size_t task) {
    const std::size_t at = task * columns;
    const CpuLimb& limb = tables.limb[at / n];
    const std::shared_ptr<std::uint64_t> place = memory_.allocate((rows + terms.size() + 1) * columns, true);
    std::uint64_t *const x = place.get(), *const factors = x + rows * columns,
                         *const single = factors + terms.size() * columns;
    for (std::size_t e = 0; e < elements; ++e) {
      for (std::size_t i = 0; i < terms.size(); ++i) {
        const FactorTerm& term = terms[i];
        std::copy_n((term.factor + e * term.factor_stride + at).as<std::uint64_t>(), columns,
                    factors + i * columns);
        if (e != 0 && same_x) continue;
        std::uint64_t* const to = x + i * parts * columns;
        for (std::size_t part = 0; part < term.parts; ++part)
          std::copy_n((term.x + e * term.stride + part * words + at).as<std::uint64_t>(), columns,
                      to + part * columns);
        std::fill_n(to + term.parts * columns, (parts - term.parts) * columns, 0);
      }
      for (std::size_t part = 0; part < parts; part += 2) {
        // The last of an odd number of parts is computed twice, to one place, and added from there.
        const bool two = part + 1 < parts;
        std::uint64_t* const sums = out.as<std::uint64_t>() + (e * parts + part) * words + at;
        limb.kernels->dot_pair(limb.row_modulus, terms.size(), limb.chunk, factors, columns,
                               x + part * columns, parts * columns, two ? columns : 0, two ? sums : single,
                               two ? words : 0, two && accumulate, columns);
        if (!two && accumulate)
          limb.row->add(limb.row_modulus, sums, single, sums, columns);
        else if (!two)
          std::copy_n(single, columns, sums);
      }
    }
  });
}

void CpuQueue::key_switch(const SwitchTables& level, BatchRows c, Form form, const KeyRows& key, WordPtr out,
                          std::size_t batch) const {
  const std::size_t n = level.key_ring->n(), limbs = level.key_ring->limbs(), words = limbs * n;
  const Output sums(*this, out, batch * 2 * words, false, false);
  for_polynomials(batch, [&](std::size_t b, bool) {
    const Digits digits(*this, level, c.words + b * c.stride, form);
    parallel(limbs, digits.count * words, [&](std::size_t j) {
      key_switch_limb(digits.ring, digits.count, j, key, sums.words() + 2 * b * words + j * n, words,
                      [&](std::size_t i, std::uint64_t* to) { digits.row(i, j, to); });
    });
  });
}

void CpuQueue::mod_down(const SwitchTables& level, WordPtr x, BatchRows addend, std::size_t addend_parts,
                        Form form, WordPtr out, std::size_t batch) const {
  const CpuRing& ring = own<CpuRing>(*level.key_ring);
  const std::size_t n = ring.n(), words = ring.words(), own_words = level.ring->words();
  const Input in(*this, x, batch * 2 * words, false),
      added(*this, addend, addend_parts * own_words, batch, false);
  const Output result(*this, out, batch * 2 * own_words, false, false);
  for_polynomials(batch, [&](std::size_t b, bool serial) {
    const std::uint64_t* const sums = in.words() + 2 * b * words;
    divide_one(level.division.get(), own<CpuRing>(*level.ring),
               {added.of(b), addend_parts, result.words() + 2 * b * own_words}, form, serial,
               [&](std::size_t j, std::uint64_t* to, std::size_t part) {
                 for (std::size_t i = 0; i < 2; ++i) {
                   const std::uint64_t* const row = sums + i * words + j * n;
                   if (stays(level, j, form))
                     std::copy_n(row, n, to + i * part);
                   else
                     ring.limb[j].inverse(row, to + i * part);
                 }
               });
  });
}

void CpuQueue::switch_key(const SwitchTables& level, BatchRows c, const KeyRows& key, BatchRows addend,
                          std::size_t addend_parts, Form form, WordPtr out, std::size_t batch) const {
  const std::size_t words = level.ring->words();
  const Input added(*this, addend, addend_parts * words, batch, false);
  const Output result(*this, out, batch * 2 * words, false, false);
  for_polynomials(batch, [&](std::size_t b, bool serial) {
    const Digits digits(*this, level, c.words + b * c.stride, form);
    divide_one(level.division.get(), own<CpuRing>(*level.ring),
               {added.of(b), addend_parts, result.words() + 2 * b * words}, form, serial,
               [&](std::size_t j, std::uint64_t* x, std::size_t part) {
                 key_switch_limb(digits.ring, digits.count, j, key, x, part,
                                 [&](std::size_t i, std::uint64_t* to) { digits.row(i, j, to); });
                 if (stays(level, j, form)) return;
                 digits.ring.limb[j].inverse(x, x);
                 digits.ring.limb[j].inverse(x + part, x + part);
               });
  });
}

}  // namespace nttforge::cpu
