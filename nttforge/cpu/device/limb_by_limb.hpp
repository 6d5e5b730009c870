// SPDX-License-Identifier: Apache-2.0
#pragma once

// How key switching and encryption go through a batch, and through the limbs of what they divide.

#include <memory>
#include <span>

#include "nttforge/cpu/conversion/cpu_step.hpp"
#include "nttforge/cpu/device/cpu_queue.hpp"

namespace nttforge::cpu {

/// body(b, serial) for each polynomial of the batch: on a thread of its own, serially, if there are enough.
template <class Body>
void CpuQueue::for_polynomials(std::size_t batch, const Body& body) const {
  if (pool_.threads() > 1 && batch >= pool_.threads())
    pool_.parallel_for(batch, [&](std::size_t b) { body(b, true); });
  else
    for (std::size_t b = 0; b < batch; ++b) body(b, pool_.threads() == 1);
}

/// out [n] = own x + moved modulo limb j of a ring; x, moved and out may be one.
inline void join_row(const CpuRing& ring, std::size_t j, std::uint64_t own, const std::uint64_t* x,
                     const std::uint64_t* moved, std::uint64_t* out) {
  const std::uint64_t coefficients[] = {own, 1};
  const CpuLimb& limb = ring.limb[j];
  const AffineMap map{limb.row_modulus, 0, coefficients};
  limb.kernels->affine(&map, 1, 1, limb.chunk, x, 0, moved, 0, out, 0, ring.n());
}

/// Divisions of polynomials in values: each out [k][n] = forward(division(sources, own_words)), sources
/// [dropped][n] (overwritten) and own_words [k][n] in coefficient form, null for zeros; the own words in
/// values are left to after(i, j, row), which finishes row j of polynomial i; before(i, j, row) may change it
/// before its transform. The twiddles of a limb, twice as long as a row, are read once for all polynomials.
template <class Before, class After>
void CpuQueue::divide_rows(const StepTables& division, const CpuRing& ring_q,
                           std::span<const DividedRows> polynomials, const Before& before,
                           const After& after) const {
  const std::size_t n = ring_q.n(), k = ring_q.limbs();
  const CpuStage* const stage = own<CpuStep>(division).division();
  for (const auto& [sources, own_words, out] : polynomials) {
    if (stage != nullptr)
      stage->correct(sources, sources, n);
    else
      apply(division, ConstWordPtr(sources), ConstWordPtr(own_words), out, 1);
  }
  parallel(k, polynomials.size() * k * n, [&](std::size_t j) {
    for (std::size_t i = 0; i < polynomials.size(); ++i) {
      const auto& [sources, own_words, out] = polynomials[i];
      std::uint64_t* const row = out + j * n;
      if (stage != nullptr)
        stage->run_target(j, sources, own_words == nullptr ? nullptr : own_words + j * n, row, n);
      before(i, j, row);
      ring_q.limb[j].forward(row, row);
      after(i, j, row);
    }
  });
}

/// Each result = division(x) + addend, or x + addend without a division, in `form` as the addend. limb(j,
/// part, place, done) writes the two polynomials of every result r modulo limb j to place(r), `part` words
/// apart, and then calls done(r): in coefficient form, but in `form` modulo the primes that stay. Serially,
/// the limb of one prime to divide by comes first, so that every other limb is finished while its rows are at
/// hand; threads would have to wait for it.
template <class Limb>
void CpuQueue::divide(const StepTables* division, const CpuRing& ring_q, std::span<const Divided> results,
                      Form form, bool serial, const Limb& limb) const {
  const std::size_t n = ring_q.n(), k = ring_q.limbs();
  const CpuStage* stage = division == nullptr ? nullptr : own<CpuStep>(*division).division();
  const auto add_row = [&](const Divided& result, std::size_t part, std::size_t j) {
    const auto& [addend, parts, out] = result;
    const std::size_t at = (part * k + j) * n;
    if (part < parts) ring_q.limb[j].row->add(ring_q.limb[j].row_modulus, out + at, addend + at, out + at, n);
  };
  const auto own_factor = [&](std::size_t j) { return division->chain().front().own[j]; };
  if (!serial || stage == nullptr) {
    const std::size_t limbs = k + (division == nullptr ? 0 : division->sources());
    std::shared_ptr<std::uint64_t> sums;
    if (division != nullptr) sums = memory_.allocate(results.size() * 2 * limbs * n, true);
    const auto first = [&](std::size_t r) {
      return division == nullptr ? results[r].out : sums.get() + r * 2 * limbs * n;
    };
    parallel(limbs, results.size() * 2 * limbs * n, [&](std::size_t j) {
      limb(j, limbs * n, [&](std::size_t r) { return first(r) + j * n; }, [](std::size_t) {});
    });
    for (std::size_t r = 0; r < results.size(); ++r) {
      const auto& [addend, parts, out] = results[r];
      if (division != nullptr && form == Form::values) {
        const auto sums_of = [&](std::size_t part) { return first(r) + part * limbs * n; };
        const DividedRows both[] = {{sums_of(0) + k * n, nullptr, out},
                                    {sums_of(1) + k * n, nullptr, out + k * n}};
        divide_rows(
            *division, ring_q, both, [](std::size_t, std::size_t, std::uint64_t*) {},
            [&](std::size_t part, std::size_t j, std::uint64_t* row) {
              join_row(ring_q, j, own_factor(j), sums_of(part) + j * n, row, row);
              add_row(results[r], part, j);
            });
        continue;
      }
      if (division != nullptr) apply_joined(*division, first(r), out, 2);
      if (parts != 0) add(ring_q, out, addend, out, parts);
    }
    return;
  }
  const std::shared_ptr<std::uint64_t> rests = memory_.allocate(results.size() * 2 * n, true);
  const auto rest = [&](std::size_t r) { return rests.get() + r * 2 * n; };
  limb(k, n, rest, [&](std::size_t r) {
    for (std::size_t part = 0; part < 2; ++part) stage->correct(rest(r) + part * n, rest(r) + part * n, n);
  });
  if (form == Form::coefficients) {
    for (std::size_t j = 0; j < k; ++j)
      limb(
          j, k * n, [&](std::size_t r) { return results[r].out + j * n; },
          [&](std::size_t r) {
            for (std::size_t part = 0; part < 2; ++part) {
              std::uint64_t* const row = results[r].out + (part * k + j) * n;
              stage->run_target(j, rest(r) + part * n, row, row, n);
              add_row(results[r], part, j);
            }
          });
    return;
  }
  // The two sums of a result, and behind them what their remainders give.
  const std::shared_ptr<std::uint64_t> rows = memory_.allocate(3 * n, true);
  std::uint64_t* const moved = rows.get() + 2 * n;
  for (std::size_t j = 0; j < k; ++j) {
    const std::uint64_t coefficients[] = {own_factor(j), 1, 1};
    const CpuLimb& target = ring_q.limb[j];
    const AffineMap map{target.row_modulus, 0, coefficients};
    limb(
        j, n, [&](std::size_t) { return rows.get(); },
        [&](std::size_t r) {
          for (std::size_t part = 0; part < 2; ++part) {
            stage->run_target(j, rest(r) + part * n, nullptr, moved, n);
            target.forward(moved, moved);
            const std::size_t at = (part * k + j) * n;
            target.kernels->affine(&map, 1, 2, target.chunk, rows.get() + part * n, (2 - part) * n,
                                   part < results[r].parts ? results[r].addend + at : nullptr, 0,
                                   results[r].out + at, 0, n);
          }
        });
  }
}

/// Divides one result limb by limb; rows(j, x, part) writes its two polynomials to x.
template <class Rows>
void CpuQueue::divide_one(const StepTables* division, const CpuRing& ring_q, const Divided& result, Form form,
                          bool serial, const Rows& rows) const {
  divide(division, ring_q, std::span(&result, 1), form, serial,
         [&](std::size_t j, std::size_t part, const auto& place, const auto& done) {
           rows(j, place(0), part);
           done(0);
         });
}

}  // namespace nttforge::cpu
