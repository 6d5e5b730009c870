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

/// Each result = division(x) + addend, or x + addend without a division. limb(j, part, place, done) writes
/// the two polynomials of every result r modulo limb j in coefficient form to place(r), `part` words apart,
/// and then calls done(r). Serially, the limb of one prime to divide by comes first, so that every other limb
/// is finished while its rows are at hand; threads would have to wait for it.
template <class Limb>
void CpuQueue::divide(const StepTables* division, const CpuRing& ring_q, std::span<const Divided> results,
                      bool serial, const Limb& limb) const {
  const std::size_t n = ring_q.n(), k = ring_q.limbs();
  const CpuStage* stage = division == nullptr ? nullptr : own<CpuStep>(*division).division();
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
  for (std::size_t j = 0; j < k; ++j)
    limb(
        j, k * n, [&](std::size_t r) { return results[r].out + j * n; },
        [&](std::size_t r) {
          const auto& [addend, parts, out] = results[r];
          for (std::size_t part = 0; part < 2; ++part) {
            const std::size_t at = (part * k + j) * n;
            stage->run_target(j, rest(r) + part * n, out + at, out + at, n);
            if (part < parts)
              ring_q.limb[j].row->add(ring_q.limb[j].row_modulus, out + at, addend + at, out + at, n);
          }
        });
}

/// Divides one result limb by limb; rows(j, x, part) writes its two polynomials to x.
template <class Rows>
void CpuQueue::divide_one(const StepTables* division, const CpuRing& ring_q, const Divided& result,
                          bool serial, const Rows& rows) const {
  divide(division, ring_q, std::span(&result, 1), serial,
         [&](std::size_t j, std::size_t part, const auto& place, const auto& done) {
           rows(j, place(0), part);
           done(0);
         });
}

}  // namespace nttforge::cpu
