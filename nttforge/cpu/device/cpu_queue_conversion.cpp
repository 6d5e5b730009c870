// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "nttforge/cpu/conversion/cpu_step.hpp"
#include "nttforge/cpu/device/word_views.hpp"

namespace nttforge::cpu {

void CpuQueue::apply(const StepTables& step, BatchRows sources, BatchRows own_words, WordPtr out,
                     std::size_t batch, WordPtr exceeded) const {
  const CpuStep& own_step = own<CpuStep>(step);
  const std::size_t n = step.n(), targets = step.targets();
  const Input x(*this, sources, step.sources() * n, batch), y(*this, own_words, step.own_words() * n, batch);
  const Output result(*this, out, batch * targets * n);
  const auto rows_of = [n](const Input& input, std::size_t polynomial, std::size_t c) {
    return input.empty() ? WordRows{} : WordRows{input.of(polynomial) + c, n};
  };
  std::atomic<std::uint64_t> outside{0};
  for_blocks(batch, n, std::max(step.sources(), targets), own_step.scratch_rows(),
             [&](std::size_t polynomial, std::size_t c, std::size_t count, std::uint64_t* scratch) {
               const std::uint64_t any = own_step.run(rows_of(x, polynomial, c), rows_of(y, polynomial, c),
                                                      result.words() + polynomial * targets * n + c, n,
                                                      scratch, kBlock, count, exceeded != nullptr);
               if (exceeded != nullptr) outside.fetch_or(any, std::memory_order_relaxed);
             });
  const std::uint64_t word = outside.load() >> 63;
  if (exceeded != nullptr) copy(&word, exceeded, 1);
}

}  // namespace nttforge::cpu
