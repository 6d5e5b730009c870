// SPDX-License-Identifier: Apache-2.0
// Divisions of polynomials in values: only the rows of primes that are dropped are transformed back.

#include <algorithm>

#include "nttforge/cpu/device/digits.hpp"

namespace nttforge::cpu {

/// out [n] = inverse(x), which may have words of 32 bits.
void CpuQueue::inverse_row(const CpuLimb& limb, ConstWordPtr x, std::uint64_t* out, std::size_t n) const {
  if (x.word_bits() == 64) return limb.inverse(x.as<std::uint64_t>(), out);
  // Half as many vectors.
  const std::shared_ptr<std::uint64_t> place = memory_.allocate((n + 1) / 2, true);
  auto* const row = reinterpret_cast<std::uint32_t*>(place.get());
  limb.inverse(x.as<std::uint32_t>(), row);
  std::copy_n(row, n, out);
}

/// out [batch] = divisions of x in values, whose dropped rows [batch][dropped][n] are in `rests` in
/// coefficients (overwritten).
void CpuQueue::rescale_rows(const StepTables& division, const CpuRing& from, const RingTables& to,
                            ConstWordPtr x, std::uint64_t* rests, std::uint64_t* out,
                            std::size_t batch) const {
  const CpuRing& ring_q = own<CpuRing>(to);
  const RnsStep& step = division.chain().front();
  const std::vector<std::size_t> kept = places_in(from, to.spec().moduli);
  const std::size_t n = from.n(), rest_words = step.sources.size() * n;
  std::vector<DividedRows> polynomials;
  for (std::size_t b = 0; b < batch; ++b)
    polynomials.push_back({rests + b * rest_words, nullptr, out + b * to.words()});
  divide_rows(
      division, ring_q, polynomials, [](std::size_t, std::size_t, std::uint64_t*) {},
      [&](std::size_t b, std::size_t j, std::uint64_t* row) {
        if (step.own.empty() || kept[j] == from.limbs()) return;
        const InputRows own_row(*this, x + b * from.words() + kept[j] * n, 1, n, n, true);
        join_row(ring_q, j, step.own[j], own_row.words, row, row);
      });
}

void CpuQueue::rescale(const StepTables& division, const RingTables& from, const RingTables& to,
                       ConstWordPtr in, Form form, WordPtr out, std::size_t batch) const {
  if (form == Form::coefficients) return Queue::rescale(division, from, to, in, form, out, batch);
  const CpuRing& ring = own<CpuRing>(from);
  const std::vector<std::size_t> sources = places_in(from, division.chain().front().sources);
  const std::size_t n = from.n(), dropped = sources.size();
  const Output result(*this, out, batch * to.words());
  // Polynomials of one thread go through each limb together.
  const std::size_t together = pool_.threads() > 1 && batch >= pool_.threads() ? 1 : batch;
  for_polynomials(batch / together, [&](std::size_t b, bool) {
    const ConstWordPtr x = in + b * from.words();
    const std::shared_ptr<std::uint64_t> rests = memory_.allocate(together * dropped * n, true);
    parallel(together * dropped, together * dropped * n, [&](std::size_t row) {
      const std::size_t source = sources[row % dropped];
      inverse_row(ring.limb[source], x + row / dropped * from.words() + source * n, rests.get() + row * n, n);
    });
    rescale_rows(division, ring, to, x, rests.get(), result.words() + b * to.words(), together);
  });
}

void CpuQueue::switch_key_rescaled(const SwitchTables& level, const RescaleTables& to, BatchRows c,
                                   const KeyRows& key, BatchRows addend, std::size_t addend_parts, Form form,
                                   WordPtr out, std::size_t batch) const {
  if (form == Form::coefficients)
    return Queue::switch_key_rescaled(level, to, c, key, addend, addend_parts, form, out, batch);
  const CpuRing& ring = own<CpuRing>(*level.key_ring);
  const std::size_t n = ring.n(), limbs = ring.limbs(), words = ring.words(), own_limbs = level.ring->limbs();
  // Where the row of a limb is among those that are dropped, if it is.
  const std::vector<std::size_t> sources = places_in(*level.key_ring, to.division->chain().front().sources);
  std::vector<std::size_t> place(limbs, sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) place[sources[i]] = i;
  const Output result(*this, out, batch * 2 * to.ring->words(), false, false);
  for_polynomials(batch, [&](std::size_t b, bool) {
    const Digits digits(*this, level, c.words + b * c.stride, form);
    const ConstWordPtr added = addend.words + b * addend.stride;
    const std::size_t rest_words = sources.size() * n;
    const std::shared_ptr<std::uint64_t> sums = memory_.allocate(2 * words, false),
                                         rests = memory_.allocate(2 * rest_words, false);
    parallel(limbs, digits.count * words, [&](std::size_t j) {
      std::uint64_t* const rows = sums.get() + j * n;
      key_switch_limb(ring, digits.count, j, key, rows, words,
                      [&](std::size_t i, std::uint64_t* to_row) { digits.row(i, j, to_row); });
      for (std::size_t part = 0; part < 2; ++part) {
        std::uint64_t* const row = rows + part * words;
        if (part < addend_parts && j < own_limbs) {
          const InputRows x(*this, added + (part * own_limbs + j) * n, 1, n, n);
          join_row(ring, j, level.special[j], x.words, row, row);
        }
        if (place[j] < sources.size())
          ring.limb[j].inverse(row, rests.get() + part * rest_words + place[j] * n);
      }
    });
    rescale_rows(*to.division, ring, *to.ring, sums.get(), rests.get(),
                 result.words() + 2 * b * to.ring->words(), 2);
  });
}

}  // namespace nttforge::cpu
