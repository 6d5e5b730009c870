// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "nttforge/cpu/conversion/cpu_step.hpp"
#include "nttforge/cpu/device/cpu_queue.hpp"

namespace nttforge::cpu {

void CpuQueue::apply(const StepTables& step, BatchRows sources, BatchRows own_words, std::uint64_t* out,
                     std::size_t batch, std::uint64_t* exceeded) const {
  const CpuStep& own_step = own<CpuStep>(step);
  const std::size_t n = step.n(), targets = step.targets();
  const auto rows_of = [&](BatchRows rows, std::size_t polynomial, std::size_t c) {
    return rows.words == nullptr ? WordRows{} : WordRows{rows.words + polynomial * rows.stride + c, n};
  };
  std::atomic<std::uint64_t> outside{0};
  for_blocks(batch, n, std::max(step.sources(), targets), own_step.scratch_rows(),
             [&](std::size_t polynomial, std::size_t c, std::size_t count, std::uint64_t* scratch) {
               const std::uint64_t any = own_step.run(
                   rows_of(sources, polynomial, c), rows_of(own_words, polynomial, c),
                   out + polynomial * targets * n + c, n, scratch, kBlock, count, exceeded != nullptr);
               if (exceeded != nullptr) outside.fetch_or(any, std::memory_order_relaxed);
             });
  if (exceeded != nullptr) *exceeded = outside.load() >> 63;
}

}  // namespace nttforge::cpu
